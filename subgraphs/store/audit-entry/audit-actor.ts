import type { Access } from '../access/grant.ts'
import type { StaffRole } from '../access/staff-roles.ts'

/** Who makes a change that the audit log keeps. */
export type AuditActor =
  | { readonly actor: 'USER'; readonly userId: string; readonly role: StaffRole }
  | { readonly actor: 'APP'; readonly appCode: string }
  | { readonly actor: 'AUTHTOKEN' | 'OPERATOR' }

/** The operator, who changes stores by commands. */
export const OPERATOR: AuditActor = { actor: 'OPERATOR' }

/** The caller of a mutation of merchants. */
export function auditActorOf({ staff, app }: Pick<Access, 'staff' | 'app'>): AuditActor {
  if (staff) return { actor: 'USER', ...staff }
  return app ? { actor: 'APP', appCode: app.code } : { actor: 'AUTHTOKEN' }
}
