import { capitalOf } from '../country/country.ts'
import { createCustomer } from '../customer/actions.ts'
import { createCustomerCategory } from '../customer-category/actions.ts'
import { createFulfillment, updateFulfillment } from '../fulfillment/actions.ts'
import { cancelOrder, markOrderPaid } from '../order/actions.ts'
import type { NewOrderInput } from '../order/calculation/prepare.ts'
import { quoteOrder } from '../order/calculation/shipping.ts'
import { orderLineRepository } from '../order/line/repository.ts'
import { placeOrder } from '../order/place-order.ts'
import type { ShipmentStatus } from '../order/status/states.ts'
import { refundOrder } from '../order-refund/actions.ts'
import { productReviewRepository } from '../product-review/repository.ts'
import { shippingMethodRepository } from '../shipping-method/repository.ts'
import type { ShippingServices } from '../shipping-method/service.ts'
import type { UnitOfWork } from '../write.ts'
import type { Goods } from './fill-catalogue.ts'
import type { Settings } from './fill-settings.ts'
import { done, type FilledStore } from './filled.ts'
import { priceIn } from './market.ts'
import type { readSample, SampleCustomer, SampleOrder } from './sample.ts'

type Trade = Pick<ReturnType<typeof readSample>, 'customers' | 'orders' | 'reviews' | 'products'>
type Means = Settings & { readonly goods: Goods; readonly onProgress: (done: number) => void }

/** Something that happened so many days ago. */
type Step = { readonly days: number; readonly run: (unit: UnitOfWork) => Promise<unknown> }

/** How goods go to where an order ends, once they were handed over. */
const SENT: Readonly<Partial<Record<SampleOrder['ends'], readonly ShipmentStatus[]>>> = {
  REQUESTED: [],
  IN_TRANSIT: ['IN_TRANSIT'],
  FAILED: ['IN_TRANSIT', 'FAILED'],
  PICKUP_AVAILABLE: ['IN_TRANSIT', 'PICKUP_AVAILABLE'],
  DELIVERED: ['IN_TRANSIT', 'DELIVERED'],
}

/** Writes customers, their orders and reviews, in chronological order. */
export async function fillTrade(
  filled: FilledStore,
  { customers, orders, reviews, products }: Trade,
  means: Means,
): Promise<void> {
  const ids = await fillCustomers(filled, customers)
  const steps: Step[] = []
  const rows = new Map<SampleOrder, number>()
  for (const order of orders)
    steps.push(
      ...stepsOf(filled, order, { ...means, customerId: ids.get(order.who) ?? '' }, (row) => {
        rows.set(order, row)
        means.onProgress(rows.size)
      }),
    )
  for (const { of, who, rating, says, status = 'PUBLISHED' } of reviews) {
    const bought = orders.findLast(
      (order) => order.who === who && Object.keys(order.lines).some((sku) => sku === of || sku.startsWith(`${of}-`)),
    )
    const { name } = products.find(({ sku }) => sku === of) ?? {}
    const productId = [...means.goods].find(([sku]) => sku === of || sku.startsWith(`${of}-`))?.[1].productId
    if (!bought || name === undefined || productId === undefined) throw new Error(`Expected ${who} to have bought ${of}.`)
    steps.push({
      days: bought.days - 8,
      run: ({ query, storeId, now }) =>
        productReviewRepository(query).insert(storeId, {
          status,
          rating,
          review: says,
          productId: Number(productId),
          productName: name,
          orderId: rows.get(bought) ?? null,
          customerEmail: who,
          createdAt: now,
        }),
    })
  }
  for (const { days, run } of steps.sort((one, other) => other.days - one.days)) await run(filled.ago(days))
}

async function fillCustomers(
  { ago, country }: FilledStore,
  customers: readonly SampleCustomer[],
): Promise<ReadonlyMap<string, string>> {
  const unit = ago(110)
  const categories = new Map<string, string>()
  for (const name of new Set(customers.flatMap((customer) => customer.in ?? []))) {
    categories.set(name, String(done(await createCustomerCategory(unit, { name })).customerCategory))
  }
  const ids = new Map<string, string>()
  for (const [index, { email, name, surname, address, phone, ...customer }] of customers.entries()) {
    const place = {
      name,
      surname,
      address,
      city: customer.city ?? capitalOf(country),
      postal: customer.postal,
      country: customer.country ?? country,
    }
    const input = {
      email,
      ...(phone !== undefined && { phone, phonePrefix: '+353' }),
      status: customer.status,
      acceptsMarketing: customer.marketing,
      shippingAddress: place,
      billingAddress: place,
      categoryIds: customer.in?.map((each) => categories.get(each) ?? ''),
    }
    ids.set(email, String(done(await createCustomer(ago(110 - index), input, undefined)).customer))
  }
  return ids
}

/** Steps of an order. `delivered` gets its row once it exists. */
function stepsOf(
  filled: FilledStore,
  order: SampleOrder,
  means: Means & { readonly customerId: string },
  delivered: (row: number) => void,
): readonly Step[] {
  const { days, delivery, pays = 'Card', ends } = order
  const paid = days - (pays === 'Card' ? 0.02 : 2)
  const handedOver = paid - 1
  let id = ''
  let fulfillment = ''
  const input: NewOrderInput = {
    status: ends === 'ABANDONED' ? 'ABANDONED' : 'PENDING_PAYMENT',
    customer: { id: means.customerId },
    lines: Object.entries(order.lines).map(([sku, quantity]) => ({ ...itemOf(sku, means.goods), quantity })),
    paymentMethodId: means.payments.get(pays),
    applyPromotions: true,
    ...(order.coupon !== undefined && { couponCodes: [order.coupon] }),
    ...(delivery === 'Collect'
      ? { pickupLocationId: means.locations[1] }
      : { shippingMethodId: delivery === 'Post' ? means.post : means.courier }),
  }
  const steps: Step[] = [
    {
      days,
      run: async (unit) => {
        const { order: row } = done(await placeOrder(input, await quoted(unit, input))(unit))
        id = String(row)
        delivered(row)
      },
    },
  ]
  const isPaid = ends === 'PAID' || ends in SENT || (ends === 'CANCELED' && !order.unpaid)
  if (isPaid) steps.push({ days: paid, run: async (unit) => done(await markOrderPaid(unit, id, {})) })
  if (ends === 'CANCELED') {
    steps.push({
      days: isPaid ? paid - 1 : days - 14,
      run: async (unit) => done(await cancelOrder(unit, id, { reason: order.reason })),
    })
  }
  const sent = SENT[ends]
  if (sent) {
    const number = `MG${Math.round(days * 10)}IE`
    const tracking =
      delivery === 'Collect'
        ? {}
        : { trackingNumber: number, trackingCompany: 'other', trackingUrl: `https://track.example.com/${number}` }
    steps.push({
      days: handedOver,
      run: async (unit) => {
        const given = {
          orderId: id,
          type: 'MANUAL' as const,
          locationId: means.locations[delivery === 'Collect' ? 1 : 0],
          ...tracking,
        }
        fulfillment = String(done(await createFulfillment(unit, given)).fulfillment)
      },
    })
    for (const [index, shipmentStatus] of sent.entries()) {
      steps.push({
        days: handedOver - 0.5 - 2 * index,
        run: async (unit) => done(await updateFulfillment(unit, fulfillment, { shipmentStatus })),
      })
    }
  }
  const { refund } = order
  if (refund) {
    steps.push({
      days: handedOver - 5,
      run: async (unit) => {
        const lines = refund.lines && (await linesOf(unit, Number(id), refund.lines))
        const amount = refund.amount === undefined ? undefined : priceIn(filled.currency, refund.amount)
        done(await refundOrder(unit, id, { amount, lines, restock: refund.restock, reason: refund.reason }))
      },
    })
  }
  return steps
}

const itemOf = (sku: string, goods: Goods) => {
  const item = goods.get(sku)
  if (!item) throw new Error(`Expected something with the SKU ${sku}.`)
  return item
}

/** Units of lines by the SKU, as a refund names them. */
async function linesOf({ query, storeId }: UnitOfWork, order: number, wanted: Readonly<Record<string, number>>) {
  const lines = await orderLineRepository(query).ofOrders(storeId, [order])
  return Object.entries(wanted).map(([sku, quantity]) => ({
    lineId: String(lines.find((line) => line.sku === sku)?.id),
    quantity,
  }))
}

/** The quote of a shipping method by its own tables. */
const quoted = (unit: UnitOfWork, input: NewOrderInput) =>
  quoteOrder(
    { shippingMethods: shippingMethodRepository(unit.query), shippingServices: NO_SERVICES, secrets: unit.secrets },
    unit,
    input,
  )

/** The sample has no shipping method of an external service. */
const NO_SERVICES: ShippingServices = {
  rates: async () => [],
  services: async () => [],
  close: async () => {},
}
