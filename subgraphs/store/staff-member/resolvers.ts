import type { Resolvers } from '#generated/store/resolvers.ts'
import { unauthenticated } from '../../../platform/graphql/errors.ts'
import { gone, identified, present } from '../ids.ts'
import { newSecretToken, secretTokenHash } from '../secret-token.ts'
import { acceptStaffInvitation, inviteStaffMember, noInvitation, removeStaffMember, updateStaffMember } from './actions.ts'
import { acceptUrlOf } from './invitation-mail.ts'

export const staffMemberResolvers = {
  Query: {
    staffMembers: async (_, __, { storeId, staffMembers }) => staffMembers.ofStore(await storeId()),
    staffInvitation: async (_, { secret }, { staffMembers, stores, now }) => {
      const hash = secretTokenHash(secret)
      const invitation = hash && (await staffMembers.bySecret(hash, now()))
      if (!invitation?.expiresAt) return null
      const [store] = await stores.findByIds([invitation.storeId])
      return store ? { storeName: store.name, role: invitation.role, expiresAt: invitation.expiresAt } : null
    },
  },
  Mutation: {
    inviteStaffMember: async (_, { input }, { storeId, write, mail, mailLimits, publicUrl }) => {
      const secret = newSecretToken()
      // An address that gets too many e-mails gets none: the owner passes the URL on.
      const isMailed = mail !== null && (await mailLimits.mayInvite(await storeId(), input.email))
      let acceptUrl: string | null = null
      const result = await write('inviteStaffMember', input, async (unit) => {
        const invited = await inviteStaffMember(unit, { ...input, mail: isMailed ? mail : null, secret })
        acceptUrl = isMailed ? null : acceptUrlOf(publicUrl, secret)
        return invited
      })
      return result.__typename === 'InviteStaffMemberSuccess' ? { ...result, acceptUrl } : result
    },
    updateStaffMember: (_, { id, input }, { write }) =>
      write('updateStaffMember', { ...input, id }, (unit) => updateStaffMember(unit, id, input)),
    removeStaffMember: (_, given, { write }) => write('removeStaffMember', given, (unit) => removeStaffMember(unit, given)),
    acceptStaffInvitation: async (_, { secret }, { user, staffMembers, writeTo, now }) => {
      const userId = await user()
      if (userId === null) throw unauthenticated()
      const hash = secretTokenHash(secret)
      const invitation = hash && (await staffMembers.bySecret(hash, now()))
      if (!invitation) return noInvitation()
      const { storeId, role } = invitation
      const by = { actor: 'USER' as const, userId, role }
      return writeTo(storeId, 'acceptStaffInvitation', {}, (unit) => acceptStaffInvitation(unit, secret, userId), by)
    },
  },
  StaffMember: {
    ...identified('StaffMember'),
    user: ({ userId }) => (userId === null ? null : { id: userId }),
  },
  StaffMembership: { store: ({ storeId }, _, { load }) => present(load.storeById.load(storeId), 'store') },
  User: {
    staffMemberships: async ({ id }, _, { user, staffMembers }) => ((await user()) === id ? staffMembers.ofUser(id) : null),
  },
  InviteStaffMemberSuccess: {
    staffMember: ({ staffMember }, _, { load }) => present(load.staffMemberById.load(staffMember), 'staff member'),
  },
  UpdateStaffMemberSuccess: {
    staffMember: ({ staffMember }, _, { load }) => present(load.staffMemberById.load(staffMember), 'staff member'),
  },
  RemoveStaffMemberSuccess: gone('StaffMember'),
} satisfies Resolvers
