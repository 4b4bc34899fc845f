import type { MailJobs, ReturnMailKind } from '../mail/jobs.ts'
import type { MailTemplate } from '../mail/send.ts'
import { filledText, type MailTextKind } from '../mail-text/mail-text.ts'
import { type OrderTexts, orderTexts } from '../mail-text/order-texts.ts'
import type { MailTextRepository } from '../mail-text/repository.ts'
import type { OrderLineRepository } from '../order/line/repository.ts'
import type { OrderRepository } from '../order/repository.ts'
import type { OrderRefund } from '../order-refund/order-refund.ts'
import type { OrderRefundRepository } from '../order-refund/repository.ts'
import type { StoreRepository } from '../store/repository.ts'
import type { UnitOfWork } from '../write.ts'
import type { OrderReturn } from './order-return.ts'
import { type OrderReturnRepository, orderReturnRepository } from './repository.ts'

/** What the e-mails about returns are made from. */
type ReturnMailDeps = {
  readonly orderReturns: OrderReturnRepository
  readonly orderRefunds: OrderRefundRepository
  readonly orders: OrderRepository
  readonly orderLines: OrderLineRepository
  readonly stores: StoreRepository
  readonly mailTexts: MailTextRepository
  readonly publicUrl: string
}

/** Which status a return has while an e-mail about it is true. */
const STATUS_OF: Readonly<Record<ReturnMailKind, readonly OrderReturn['status'][]>> = {
  'return-requested': ['REQUESTED'],
  'return-approved': ['APPROVED'],
  'return-declined': ['DECLINED'],
  'return-refunded': ['CLOSED'],
  'return-exchanged': ['CLOSED'],
}

/**
 * Tells the customer what became of a return that they requested, if and only if the transaction
 * commits. Returns of the merchant are not written about: the customer has heard of them.
 */
export async function writeAboutReturn(
  unit: Pick<UnitOfWork, 'query' | 'storeId' | 'now'>,
  mail: Pick<MailJobs, 'add'> | null,
  kind: ReturnMailKind,
  id: number,
): Promise<void> {
  if (mail === null) return
  const [found] = await orderReturnRepository(unit.query).findByIds(unit.storeId, [id])
  if (found?.requestedBy === 'CUSTOMER') await mail.add(unit, { kind, subjectId: id })
}

/** The e-mail of this kind, to the address of the order; none when the return has gone on meanwhile. */
export function returnMail(
  kind: ReturnMailKind,
  { orderReturns, orderRefunds, orders, orderLines, stores, mailTexts, publicUrl }: ReturnMailDeps,
): MailTemplate {
  return async ({ storeId, subjectId }) => {
    const [[store], [found]] = await Promise.all([stores.findByIds([storeId]), orderReturns.findByIds(storeId, [subjectId])])
    if (!store || !found || !STATUS_OF[kind].includes(found.status)) return null
    const [[order], returned, lines, [refund]] = await Promise.all([
      orders.findByIds(storeId, [found.orderId]),
      orderReturns.linesOf(storeId, [found.id]),
      orderLines.ofOrders(storeId, [found.orderId]),
      found.refundId === null ? [] : orderRefunds.findByIds(storeId, [found.refundId]),
    ])
    const to = order?.customer?.email
    const isClosed = kind === 'return-refunded' || kind === 'return-exchanged'
    if (!order || to == null || (isClosed && !refund)) return null
    const values = { order: String(order.id), shop: store.name, return: String(found.id) }
    const texts = await orderTexts({ mailTexts, stores }, { storeId, kind: TEXT_OF[kind], order }, values)
    const units = returned
      .map(({ lineNumber, quantity, received }) => ({
        name: lines.find(({ id }) => id === lineNumber)?.name ?? texts.words.product,
        quantity: isClosed ? (received ?? 0) : quantity,
      }))
      .filter(({ quantity }) => quantity > 0)
    return {
      ...{ to, fromName: store.name, replyTo: store.email },
      subject: texts.subject,
      language: texts.language,
      blocks: [
        { kind: 'text', text: [texts.opening, ...(isClosed ? refundSentences(kind, refund ?? null, texts) : [])].join(' ') },
        { kind: 'table', rows: units.map(({ name, quantity }) => [name, String(quantity)] as const) },
        ...(kind === 'return-declined' && found.reason !== null
          ? [{ kind: 'text' as const, text: filledText(texts.words.shopWrites, { text: found.reason }) }]
          : []),
        { kind: 'link', text: texts.words.seeReturn, url: `${publicUrl}/shops/${store.code}/account/orders/${order.id}` },
      ],
    }
  }
}

/** Texts of these e-mails, which merchants can replace. */
const TEXT_OF: Readonly<Record<ReturnMailKind, MailTextKind>> = {
  'return-requested': 'RETURN_REQUESTED',
  'return-approved': 'RETURN_APPROVED',
  'return-declined': 'RETURN_DECLINED',
  'return-refunded': 'RETURN_REFUNDED',
  'return-exchanged': 'RETURN_EXCHANGED',
}

/** What becomes of the money of a refund. */
function refundSentences(kind: ReturnMailKind, refund: OrderRefund | null, { words, money }: OrderTexts): readonly string[] {
  const [paid, toGiftCards] = [refund?.amount ?? '0', refund?.toGiftCards ?? '0']
  const sentence = kind === 'return-exchanged' ? words.exchanged : words.paidBack
  return [
    ...(Number(paid) > 0 ? [filledText(sentence, { amount: money(paid) })] : []),
    ...(Number(toGiftCards) > 0 ? [filledText(words.toGiftCards, { amount: money(toGiftCards) })] : []),
  ]
}
