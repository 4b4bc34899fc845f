import type { MailMessage } from '../../../platform/mail/message.ts'
import type { Order } from '../order/order.ts'
import type { StoreRepository } from '../store/repository.ts'
import { type MailLanguage, mailLanguage } from './default-texts.ts'
import { filledText, type MailTextKind } from './mail-text.ts'
import type { MailTextRepository } from './repository.ts'

/** What e-mails about orders get their texts from. */
type OrderTextDeps = { readonly mailTexts: MailTextRepository; readonly stores: StoreRepository }

/** Texts of an e-mail about an order, in its language. */
export type OrderTexts = Pick<MailMessage, 'subject'> & {
  /** BCP 47 tag of the texts. */
  readonly language: string
  readonly opening: string
  readonly words: MailLanguage
  /** An amount in the currency of the order, in the format of the language. */
  readonly money: (amount: string) => string
}

/** Texts of the merchant, or else ours, in the language of an order, which may be that of the store. */
export async function orderTexts(
  { mailTexts, stores }: OrderTextDeps,
  {
    storeId,
    kind,
    order,
  }: { readonly storeId: number; readonly kind: MailTextKind; readonly order: Pick<Order, 'locale' | 'currency'> },
  values: Readonly<Record<string, string>>,
): Promise<OrderTexts> {
  const tag = order.locale ?? (await stores.languagesOf([storeId]))[0]?.code ?? 'en'
  const { code, language: words } = mailLanguage(tag)
  const own = await mailTexts.find(storeId, kind, tag)
  const { subject, opening } = own ?? words.texts[kind]
  const format = new Intl.NumberFormat(code, { style: 'currency', currency: order.currency, maximumFractionDigits: 4 })
  return {
    // Texts of the merchant are in the language of the order, whether we have words in it or not.
    language: own === null ? code : tag,
    subject: filledText(subject, values),
    opening: filledText(opening, values),
    words,
    // An exact decimal: as a number it would be rounded.
    money: (amount) => format.format(amount as `${number}`),
  }
}
