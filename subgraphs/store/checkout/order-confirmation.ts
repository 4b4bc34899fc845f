import type { MailBlock } from '../../../platform/mail/message.ts'
import type { MailTemplate } from '../mail/send.ts'
import { filledText } from '../mail-text/mail-text.ts'
import { type OrderTexts, orderTexts } from '../mail-text/order-texts.ts'
import type { MailTextRepository } from '../mail-text/repository.ts'
import type { Order } from '../order/order.ts'
import type { OrderRepository } from '../order/repository.ts'
import type { PaymentMethodRepository } from '../payment-method/repository.ts'
import type { ShopRepository } from '../shop/repository.ts'
import type { ShopOrder, ShopOrderLine } from '../shop/shop.ts'
import type { StoreRepository } from '../store/repository.ts'

/** What a confirmation says. */
type Confirmed = {
  readonly texts: OrderTexts
  readonly order: ShopOrder
  readonly lines: readonly ShopOrderLine[]
  /** How it is paid; null: nothing is due, or its method says nothing. */
  readonly paymentInstructions: string | null
  /** Address of the page of the order. */
  readonly url: string
}

/** What a confirmation is made from. */
type ConfirmationDeps = {
  readonly orders: OrderRepository
  readonly shops: ShopRepository
  readonly stores: StoreRepository
  readonly mailTexts: MailTextRepository
  readonly paymentMethods: PaymentMethodRepository
}

/** Confirms an order to the address that it was placed with, unless its store does not want that. */
export function orderConfirmation(
  { orders, shops, stores, paymentMethods, mailTexts }: ConfirmationDeps,
  publicUrl: string,
): MailTemplate {
  return async ({ storeId, subjectId }) => {
    const [[store], [order], shown, lines] = await Promise.all([
      stores.findByIds([storeId]),
      orders.findByIds(storeId, [subjectId]),
      shops.orderById(storeId, subjectId),
      shops.orderLines(storeId, subjectId),
    ])
    const to = order?.customer?.email
    if (!store?.sendsOrderConfirmations || !order || !shown || to == null || isOver(order)) return null
    const number = order.status === 'PENDING_PAYMENT' ? order.paymentMethodNumber : null
    const [method] = number === null ? [] : await paymentMethods.findByIds(storeId, [number])
    const about = { storeId, kind: 'ORDER_CONFIRMATION', order } as const
    const texts = await orderTexts({ mailTexts, stores }, about, { order: String(order.id), shop: store.name })
    const confirmed = {
      texts,
      order: shown,
      lines,
      paymentInstructions: method?.description == null ? null : shortened(method.description),
      url: `${publicUrl}/shops/${store.code}/orders/${order.token}`,
    }
    return {
      to,
      fromName: store.name,
      replyTo: store.email,
      subject: texts.subject,
      language: texts.language,
      blocks: blocksOf(confirmed),
    }
  }
}

/** Of how it is paid. UTF-16 code units. */
const MAX_INSTRUCTIONS_LENGTH = 500

const shortened = (text: string): string =>
  text.length <= MAX_INSTRUCTIONS_LENGTH ? text : `${text.slice(0, MAX_INSTRUCTIONS_LENGTH).toWellFormed()}…`

/** A confirmation that comes late says nothing about an order that has ended meanwhile. */
const isOver = ({ status }: Order): boolean => status === 'CANCELED' || status === 'ABANDONED'

function blocksOf({ texts, order, lines, paymentInstructions, url }: Confirmed): readonly MailBlock[] {
  const { status, shippingTotal, giftCardsDiscount, total } = order
  const { opening, words, money } = texts
  return [
    { kind: 'text', text: opening },
    { kind: 'table', rows: lines.map(({ name, quantity, total: sum }) => [`${quantity} × ${name}`, money(sum)] as const) },
    {
      kind: 'table',
      rows: [
        [words.shipping, money(shippingTotal)] as const,
        ...(Number(giftCardsDiscount) > 0 ? [[words.giftCards, `−${money(giftCardsDiscount)}`] as const] : []),
        [words.total, money(total)] as const,
      ],
    },
    { kind: 'text', text: status === 'PAID' ? words.paid : words.pending },
    ...(paymentInstructions === null
      ? []
      : [{ kind: 'text' as const, text: filledText(words.howToPay, { text: paymentInstructions }) }]),
    { kind: 'link', text: words.seeOrder, url },
    { kind: 'text', text: words.secretLink },
  ]
}
