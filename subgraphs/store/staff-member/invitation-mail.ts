import type { MailTemplate } from '../mail/send.ts'
import { accountTexts } from '../mail-text/account-texts.ts'
import { filledText } from '../mail-text/mail-text.ts'
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
    // Nothing is known of who is invited yet.
    const { code, language: texts } = await accountTexts(stores, storeId, null)
    const values = { shop: store.name }
    return {
      to: member.email,
      fromName: store.name,
      replyTo: store.email,
      language: code,
      subject: filledText(texts.invitationSubject, values),
      blocks: [
        { kind: 'text', text: filledText(texts.invitationOpening, values) },
        { kind: 'link', text: texts.invitationLink, url: acceptUrlOf(publicUrl, secret) },
        { kind: 'text', text: texts.invitationLimits },
      ],
    }
  }
