import type { MailTemplate } from '../mail/send.ts'
import { accountTexts } from '../mail-text/account-texts.ts'
import { filledText } from '../mail-text/mail-text.ts'
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
    const { code, language: texts, locale } = await accountTexts(stores, storeId, account.locale)
    const values = { shop: store.name }
    return {
      to: account.email,
      fromName: store.name,
      replyTo: store.email,
      language: code,
      subject: filledText(texts.passwordSubject, values),
      blocks: [
        { kind: 'text', text: filledText(texts.passwordOpening, values) },
        { kind: 'text', text: texts.passwordAdvice },
        { kind: 'link', text: texts.accountLink, url: shopUrl(publicUrl, store, '/account', locale) },
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
    const hash = secretTokenHash(token) ?? Buffer.alloc(0)
    await customerAccounts.insertLink(storeId, account.id, hash, account.linkLocale, now())
    const isNew = account.confirmedAt === null
    const { code, language: texts, locale } = await accountTexts(stores, storeId, account.linkLocale)
    const values = { shop: store.name }
    return {
      to: account.email,
      fromName: store.name,
      replyTo: store.email,
      language: code,
      subject: filledText(isNew ? texts.confirmSubject : texts.signInSubject, values),
      blocks: [
        { kind: 'text', text: filledText(isNew ? texts.confirmOpening : texts.signInOpening, values) },
        {
          kind: 'link',
          text: isNew ? texts.confirmLink : texts.signInLink,
          url: shopUrl(publicUrl, store, `/account/link/${token}`, locale),
        },
        { kind: 'text', text: texts.linkLimits },
      ],
    }
  }

/** A page of a shop in the language of an account. */
const shopUrl = (publicUrl: string, { code }: { readonly code: string }, path: string, locale: string | null): string =>
  `${publicUrl}/shops/${code}${path}${locale === null ? '' : `?language=${encodeURIComponent(locale)}`}`
