import { emailProblem, type Problem, problem, problemsIn } from '../../toolkit/validation.ts'
import type { StaffRole } from '../access/staff-roles.ts'

/** Every role but that of the owner, who claimed the store. */
export type MemberRole = Exclude<StaffRole, 'OWNER'>

/** A user who works in a store, or an invitation that nobody has accepted yet. */
export type StaffMember = {
  readonly id: number
  /** Opaque id of a user of the social graph; null: not accepted yet. */
  readonly userId: string | null
  /** Null once accepted. */
  readonly email: string | null
  /** Address for e-mails about items that are low in stock; null: none. */
  readonly lowStockEmail: string | null
  readonly role: MemberRole
  readonly invitedAt: Date
  /** Null once accepted. */
  readonly expiresAt: Date | null
  readonly acceptedAt: Date | null
  readonly version: number
}

/** A store that a user works in. */
export type StaffMembership = { readonly storeId: number; readonly userId: string; readonly role: MemberRole }

/** Members and open invitations of a store. */
export const MAX_STAFF = 100
/** For how long an invitation can be accepted. */
export const INVITATION_MS = 7 * 24 * 3_600_000

const MEMBER_ROLES = 'MANAGER, CATALOGUE, FULFILLMENT or SUPPORT'

/** Whether a role can be given to somebody. */
export const isMemberRole = (role: StaffRole): role is MemberRole => role !== 'OWNER'

/** A role that cannot be given; null when it can. */
export const roleProblem = (role: StaffRole): Problem | null =>
  isMemberRole(role) ? null : problem('role', `${MEMBER_ROLES}: the owner is who claims the store`, role)

/** Problems of an invitation, in the order of its fields. */
export const invitationProblems = ({ email, role }: { readonly email: string; readonly role: StaffRole }): readonly Problem[] =>
  problemsIn([emailProblem('email', email), roleProblem(role)])
