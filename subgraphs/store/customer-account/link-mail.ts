import type { MailTemplate } from '../mail/send.ts'
import { newSecretToken, secretTokenHash } from '../secret-token.ts'
import type { StoreRepository } from '../store/repository.ts'
import { REQUEST_MS } from './customer-account.ts'
import type { CustomerAccountRepository } from './repository.ts'

type LinkMailDeps = {
  readonly customerAccounts: CustomerAccountRepository
  readonly stores: StoreRepository
  readonly publicUrl: string
  readonly now: () => Date
}

/** The e-mail to who has an account whose password was changed: by whom is not known. */
export const customerPasswordMail =
  ({ customerAccounts, stores, publicUrl }: Omit<LinkMailDeps, 'now'>): MailTemplate =>
  async ({ storeId, subjectId }) => {
    const [account, [store]] = await Promise.all([customerAccounts.byId(storeId, subjectId), stores.findByIds([storeId])])
    if (!account || !store) return null
    return {
      to: account.email,
      fromName: store.name,
      replyTo: store.email,
      subject: `Your password at ${store.name} was changed`,
      blocks: [
        { kind: 'text', text: `The password of your account at ${store.name} was changed, and other devices were signed out.` },
        { kind: 'text', text: 'If it was not you, sign in by a link that we send you, and set a new one:' },
        { kind: 'link', text: 'Your account', url: `${publicUrl}/shops/${store.code}/account` },
      ],
    }
  }

/**
 * The e-mail with a link that signs in. The token is made with the message and kept as a hash, so
 * that it is nowhere but in the e-mail; an attempt that is repeated has another one.
 */
export const customerLinkMail =
  ({ customerAccounts, stores, publicUrl, now }: LinkMailDeps): MailTemplate =>
  async ({ storeId, subjectId, requestedAt }) => {
    const [account, [store]] = await Promise.all([customerAccounts.byId(storeId, subjectId), stores.findByIds([storeId])])
    if (!account || !store || now().getTime() - requestedAt.getTime() > REQUEST_MS) return null
    const token = newSecretToken()
    await customerAccounts.insertLink(storeId, account.id, secretTokenHash(token) ?? Buffer.alloc(0), now())
    const isNew = account.confirmedAt === null
    return {
      to: account.email,
      fromName: store.name,
      replyTo: store.email,
      subject: isNew ? `Confirm your address for ${store.name}` : `Sign in to ${store.name}`,
      blocks: [
        {
          kind: 'text',
          text: isNew
            ? `Somebody, probably you, wants to create an account at ${store.name} with this e-mail address.`
            : `Somebody, probably you, wants to sign in to ${store.name} with this e-mail address.`,
        },
        {
          kind: 'link',
          text: isNew ? 'Confirm the address and create the account' : 'Sign in',
          url: `${publicUrl}/shops/${store.code}/account/link/${token}`,
        },
        {
          kind: 'text',
          text: 'The link works once, within 30 minutes. If it was not you, do nothing: nobody gets in without it.',
        },
      ],
    }
  }
