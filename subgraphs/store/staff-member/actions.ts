import { isMailable } from '../../../platform/mail/message.ts'
import { emailProblem, notFoundError, problem, problemsIn, validationError } from '../../toolkit/validation.ts'
import type { StaffRole } from '../access/staff-roles.ts'
import { decodeId } from '../ids.ts'
import type { MailJobs } from '../mail/jobs.ts'
import { secretTokenHash } from '../secret-token.ts'
import { storeRepository } from '../store/repository.ts'
import { conflictError, staleVersion, type UnitOfWork } from '../write.ts'
import { staffMemberRepository } from './repository.ts'
import { INVITATION_MS, invitationProblems, isMemberRole, MAX_STAFF, roleProblem } from './staff-member.ts'

/** Who is invited. `mail` sends the secret; null: `secret` is given to the caller instead. */
type Invitation = {
  readonly email: string
  readonly role: StaffRole
  readonly mail: MailJobs | null
  readonly secret: string
}

/** Invites a person as staff of the store. */
export async function inviteStaffMember(unit: UnitOfWork, { email, role, mail, secret }: Invitation) {
  const { query, storeId, now } = unit
  const problems = invitationProblems({ email, role })
  if (problems.length > 0 || !isMemberRole(role)) return validationError(problems)
  const staff = staffMemberRepository(query)
  await staff.lockStaff(storeId)
  const count = await staff.count(storeId, now)
  if (count >= MAX_STAFF) return validationError([problem('email', `one of at most ${MAX_STAFF} staff members`, count + 1)])
  const staffMember = await staff.insert(storeId, {
    email: email.trim(),
    role,
    secretHash: mail === null ? secretTokenHash(secret) : null,
    at: now,
    expiresAt: new Date(now.getTime() + INVITATION_MS),
  })
  if (mail) await mail.add(unit, { kind: 'staff-invitation', subjectId: staffMember })
  return { __typename: 'InviteStaffMemberSuccess' as const, staffMember, acceptUrl: null }
}

/** Changes the role of a member or an invitation. */
export async function updateStaffMember(
  { query, storeId }: UnitOfWork,
  id: string,
  {
    role,
    lowStockEmail,
    expectedVersion,
  }: {
    readonly role: StaffRole
    readonly lowStockEmail?: string | null | undefined
    readonly expectedVersion?: number | null | undefined
  },
) {
  const staff = staffMemberRepository(query)
  const member = await staff.lock(storeId, decodeId(id, 'StaffMember') ?? 0)
  if (!member) return notFoundError('staff member', id)
  const stale = staleVersion(expectedVersion, member.version)
  if (stale) return stale
  const problems = problemsIn([roleProblem(role), lowStockEmail == null ? null : mailableProblem('lowStockEmail', lowStockEmail)])
  if (problems.length > 0 || !isMemberRole(role)) return validationError(problems)
  const wanted = { role, lowStockEmail: lowStockEmail === undefined ? member.lowStockEmail : lowStockEmail }
  if (wanted.role !== member.role || wanted.lowStockEmail !== member.lowStockEmail) await staff.update(storeId, member.id, wanted)
  return { __typename: 'UpdateStaffMemberSuccess' as const, staffMember: member.id }
}

/** Removes a member, or withdraws an invitation. */
export async function removeStaffMember(
  { query, storeId }: UnitOfWork,
  { id, expectedVersion }: { readonly id: string; readonly expectedVersion?: number | null | undefined },
) {
  const staff = staffMemberRepository(query)
  const member = await staff.lock(storeId, decodeId(id, 'StaffMember') ?? 0)
  if (!member) return notFoundError('staff member', id)
  const stale = staleVersion(expectedVersion, member.version)
  if (stale) return stale
  await staff.delete(storeId, member.id)
  return { __typename: 'RemoveStaffMemberSuccess' as const, row: member.id }
}

/** The signed-in user accepts an invitation to the store of the transaction. */
export async function acceptStaffInvitation({ query, storeId, now }: UnitOfWork, secret: string, userId: string) {
  const staff = staffMemberRepository(query)
  const hash = secretTokenHash(secret)
  // Two invitations of one user at once: the second finds the membership of the first.
  await staff.lockStaff(storeId)
  const invitation = hash && (await staff.bySecret(hash, now, { isLocked: true }))
  if (!invitation) return noInvitation()
  const [[store], isMember] = await Promise.all([storeRepository(query).findByIds([storeId]), staff.isMember(storeId, userId)])
  if (store?.ownerId === userId) return conflictError('You own this store: an owner has every right already.')
  if (isMember) return conflictError('You are on the staff of this store already. Its owner can change your role.')
  await staff.accept(storeId, invitation.id, userId, now)
  return {
    __typename: 'AcceptStaffInvitationSuccess' as const,
    membership: { storeId, userId, role: invitation.role },
  }
}

/** The secret is not repeated. */
export const noInvitation = () => ({
  __typename: 'NotFoundError' as const,
  message: 'There is no open invitation with this secret: it is unknown, expired or used.',
})

/** The problem of an address that nothing but e-mails is for. */
const mailableProblem = (field: string, email: string) =>
  emailProblem(field, email) ?? (isMailable(email) ? null : problem(field, 'an address of the form name@host', email))
