import type { MailTemplate } from '../mail/send.ts'
import { newSecretToken, secretTokenHash } from '../secret-token.ts'
import type { StoreRepository } from '../store/repository.ts'
import type { StaffMemberRepository } from './repository.ts'

/** Where an invitation is accepted. */
export const acceptUrlOf = (publicUrl: string, secret: string): string => `${publicUrl}/account/staff/${secret}`

/**
 * The e-mail with an invitation. The secret is made with the message and kept as a hash, so that it
 * is nowhere but in the e-mail; an attempt that is repeated has another one.
 */
export const staffInvitationMail =
  ({
    staffMembers,
    stores,
    publicUrl,
    now,
  }: {
    readonly staffMembers: StaffMemberRepository
    readonly stores: StoreRepository
    readonly publicUrl: string
    readonly now: () => Date
  }): MailTemplate =>
  async ({ storeId, subjectId }) => {
    const [[member], [store]] = await Promise.all([staffMembers.findByIds(storeId, [subjectId]), stores.findByIds([storeId])])
    if (!store || !member?.email || !member.expiresAt || member.expiresAt <= now()) return null
    const secret = newSecretToken()
    const hash = secretTokenHash(secret)
    if (!hash || !(await staffMembers.setSecret(storeId, member.id, hash))) return null
    return {
      to: member.email,
      fromName: store.name,
      replyTo: store.email,
      subject: `Invitation to the staff of ${store.name}`,
      blocks: [
        { kind: 'text', text: `The owner of ${store.name} invites you to work in the console of the store.` },
        { kind: 'link', text: 'Accept the invitation', url: acceptUrlOf(publicUrl, secret) },
        {
          kind: 'text',
          text: 'You need an account; the page offers to make one. The link works once, within seven days. If you do not know the store, do nothing.',
        },
      ],
    }
  }
