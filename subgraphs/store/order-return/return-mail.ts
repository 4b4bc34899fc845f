import type { MailBlock } from '../../../platform/mail/message.ts'
import type { MailJobs, ReturnMailKind } from '../mail/jobs.ts'
import type { MailTemplate } from '../mail/send.ts'
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
  { orderReturns, orderRefunds, orders, orderLines, stores, publicUrl }: ReturnMailDeps,
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
    const units = returned
      .map(({ lineNumber, quantity, received }) => ({
        name: lines.find(({ id }) => id === lineNumber)?.name ?? 'Product',
        quantity: isClosed ? (received ?? 0) : quantity,
      }))
      .filter(({ quantity }) => quantity > 0)
    const about = { shopName: store.name, number: order.id, currency: order.currency, found, refund: refund ?? null }
    return {
      ...{ to, fromName: store.name, replyTo: store.email },
      subject: subjectOf(kind, about),
      blocks: [
        { kind: 'text', text: textOf(kind, about) },
        { kind: 'table', rows: units.map(({ name, quantity }) => [name, String(quantity)] as const) },
        ...(kind === 'return-declined' && found.reason !== null ? [reasonOf(found.reason)] : []),
        { kind: 'link', text: 'See the return', url: `${publicUrl}/shops/${store.code}/account/orders/${order.id}` },
      ],
    }
  }
}

type About = {
  readonly shopName: string
  readonly number: number
  readonly currency: string
  readonly found: OrderReturn
  /** Null: not refunded. */
  readonly refund: OrderRefund | null
}

const reasonOf = (reason: string): MailBlock => ({ kind: 'text', text: `The shop writes: ${reason}` })

const SUBJECTS: Readonly<Record<ReturnMailKind, string>> = {
  'return-requested': 'was requested',
  'return-approved': 'was approved',
  'return-declined': 'was declined',
  'return-refunded': 'was refunded',
  'return-exchanged': 'was exchanged',
}

const subjectOf = (kind: ReturnMailKind, { found, number, shopName }: About): string =>
  `Return ${found.id} of your order ${number} at ${shopName} ${SUBJECTS[kind]}`

/** What becomes of the money of a refund. */
const PAID: { readonly [Kind in ReturnMailKind]?: string } = {
  'return-refunded': 'are paid back',
  'return-exchanged': 'pay for what you get instead, and what is left of them is paid back',
}

function textOf(kind: ReturnMailKind, { shopName, number, currency, refund }: About): string {
  if (kind === 'return-requested')
    return `${shopName} got your request to return these units of order ${number}. Keep them until it is approved.`
  if (kind === 'return-approved') return `${shopName} takes back these units of order ${number}. Send them to the shop.`
  if (kind === 'return-declined') return `${shopName} does not take back these units of order ${number}.`
  const money = (amount: string) =>
    // An exact decimal: as a number it would be rounded.
    new Intl.NumberFormat('en', { style: 'currency', currency, maximumFractionDigits: 4 }).format(amount as `${number}`)
  const [paid, toGiftCards] = [refund?.amount ?? '0', refund?.toGiftCards ?? '0']
  const parts = [
    ...(Number(paid) > 0 ? [`${money(paid)} ${PAID[kind]}`] : []),
    ...(Number(toGiftCards) > 0 ? [`${money(toGiftCards)} are on your gift cards again`] : []),
  ]
  return `${shopName} received these units of order ${number}: ${parts.join(', and ')}.`
}
