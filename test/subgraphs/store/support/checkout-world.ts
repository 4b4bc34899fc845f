import { expect } from 'vitest'
import type { Faults, paymentGateway } from './payment-gateway.ts'
import type { storefrontShopper } from './shopper.ts'
import { ANONYMOUS, type StoreStack, type TestStore } from './store.ts'

type Shopper = ReturnType<typeof storefrontShopper>

/** What histories of one test share. */
export type Stage = {
  readonly stack: StoreStack
  readonly shop: TestStore
  readonly shopper: Shopper
  readonly gateway: Awaited<ReturnType<typeof paymentGateway>>
  /** Address of the subgraph's HTTP routes, for notifications. */
  readonly routesUrl: string
  readonly methods: { readonly manual: string; readonly gateway: string }
  readonly coupon: string
  readonly now: () => Date
  readonly pass: (minutes: number) => void
}

type CartOf = { readonly token: string; key: number }
type OrderOf = { readonly number: number; readonly token: string }

/** Prices of products: plain, with 3-D Secure, and declined (see `paymentGateway`). */
const PRICES = ['12.5', '5.03', '7.05'] as const
const STOCK = 3
const COUPON_USES = 2
/** Amounts of the gift cards of a history: one pays part of an order, one pays whole ones. */
const GIFT_CARDS = ['4', '20'] as const

export type CheckoutWorld = Awaited<ReturnType<typeof checkoutWorld>>

/**
 * One history of a shop: own products and carts, faults of the gateway, and what must hold after
 * every step and at the end.
 */
export async function checkoutWorld(stage: Stage) {
  const { stack, shop, shopper, gateway, routesUrl, methods, coupon, now, pass } = stage
  Object.assign(gateway.faults, { loseAnswer: 0, unavailable: 0, refuse: 0 } satisfies Faults)
  const before = new Set(gateway.ids())
  await stack.sql('UPDATE coupon SET usage_limit = times_used + $1 WHERE code = $2', [COUPON_USES, coupon])
  const products = await Promise.all(PRICES.map((price) => shopper.aProduct({ price, stock: STOCK, shippingRequired: false })))
  const numbers = await Promise.all(
    products.map(
      async (id) => (await shopper.merchant('query ($id: ID!) { product(id: $id) { number } }', { id })).product.number as number,
    ),
  )
  const giftCards = await Promise.all(GIFT_CARDS.map((amount) => shopper.aGiftCard(amount)))
  /** Units that the shop ever had of each product. */
  const received = products.map(() => STOCK)
  /** Units of each product that were returned and discarded. */
  const discarded = products.map(() => 0)
  const carts: CartOf[] = []
  const orders: OrderOf[] = []
  const returns: string[] = []

  const orderRows = async () =>
    (await stack.sql(`SELECT id, status, total::text, refunded::text FROM "order" WHERE store_id = $1 AND id = ANY ($2)`, [
      shop.storeId,
      orders.map(({ number }) => number),
    ])) as { id: number; status: string; total: string; refunded: string }[]
  const paymentRows = async (number: number) =>
    (await stack.sql(
      'SELECT id, reference, status, authorized, captured, voided, refunded FROM payment WHERE store_id = $1 AND order_id = $2',
      [shop.storeId, number],
    )) as {
      id: number
      reference: string | null
      status: string
      authorized: string
      captured: string
      voided: string
      refunded: string
    }[]
  const paymentIds = async (number: number): Promise<string[]> => {
    const { order } = await shopper.merchant('query ($id: ID!) { order(id: $id) { payments { id } } }', { id: String(number) })
    return order.payments.map(({ id }: { id: string }) => id)
  }
  const operation = (field: string, id: string, input: object) =>
    shopper.merchant(
      `mutation ($id: ID!, $input: PaymentOperationInput!) { done: ${field}(id: $id, input: $input) { __typename } }`,
      { id, input },
    )
  const onOrder = (field: string, number: number) =>
    shopper.merchant(`mutation ($id: ID!) { done: ${field}(id: $id, input: {}) { __typename } }`, { id: String(number) })

  const lineOf = async (number: number): Promise<string> =>
    (await shopper.merchant('query ($id: ID!) { order(id: $id) { lines { id } } }', { id: String(number) })).order.lines[0].id
  const reservedUnits = async (): Promise<number[]> => {
    const rows = await stack.sql(
      'SELECT product_id, sum(quantity)::integer AS units FROM stock_allocation WHERE store_id = $1 AND product_id = ANY ($2) GROUP BY 1',
      [shop.storeId, numbers],
    )
    return numbers.map((number) => Number(rows.find(({ product_id }) => product_id === number)?.units ?? 0))
  }

  async function complete(cart: CartOf, { times = 1, isStale = false, isNewKey = false } = {}) {
    const { totals, order } = (await shopper.read(cart.token)) ?? {}
    if (isNewKey) cart.key += 1
    const total = isStale || totals === null || totals === undefined ? '0.01' : totals.total
    const results = await Promise.all(Array.from({ length: times }, () => shopper.complete(cart.token, total, `key-${cart.key}`)))
    for (const result of results) {
      if (result.__typename !== 'CompleteStorefrontCheckoutSuccess') continue
      expect(order === null || order === undefined || order.number === result.order.number, 'a cart has one order').toBe(true)
      const number = result.order.number as number
      const known = orders.find(({ token }) => token === cart.token)
      expect(known?.number ?? number, 'the same cart leads to the same order').toBe(number)
      if (!known) orders.push({ number, token: cart.token })
    }
  }

  return {
    orders,
    carts,
    async fill(
      product: number,
      quantity: number,
      { isByGateway, withCoupon, withCards }: { isByGateway: boolean; withCoupon: boolean; withCards: boolean },
    ) {
      const { token } = await shopper.create([{ productId: products[product % products.length], quantity }])
      await shopper.update(token, {
        email: 'buyer@example.org',
        paymentMethodId: isByGateway ? methods.gateway : methods.manual,
        ...(withCoupon && { couponCodes: [coupon] }),
      })
      if (withCards) for (const { code } of giftCards) await shopper.update(token, { addGiftCardCodes: [code] })
      carts.push({ token, key: 0 })
    },
    complete,
    /** Several carts at the same moment. */
    race: (some: readonly CartOf[]) => Promise.all(some.map((cart) => complete(cart))),
    async restock(product: number, units: number) {
      const index = product % products.length
      const id = products[index] ?? ''
      await shopper.updateProduct(id, { stock: (await shopper.stockOf(id)) + units })
      received[index] = (received[index] ?? 0) + units
    },
    reprice: (product: number, price: string) => shopper.updateProduct(products[product % products.length] ?? '', { price }),
    pay: ({ number }: OrderOf) => onOrder('markOrderPaid', number),
    refund: ({ number }: OrderOf, input: object) => shopper.refund(number, input),
    returns,
    /** Some units, with their stock or without it. */
    refundUnits: async ({ number }: OrderOf, quantity: number, restock: boolean) =>
      shopper.refund(number, { lines: [{ lineId: await lineOf(number), quantity }], restock }),
    handOver: ({ number }: OrderOf) =>
      shopper.merchant('mutation ($id: ID!) { updateOrder(id: $id, input: {shipmentStatus: REQUESTED}) { __typename } }', {
        id: String(number),
      }),
    async sendBack({ number }: OrderOf, quantity: number) {
      const { made } = await shopper.merchant(
        `mutation ($input: CreateOrderReturnInput!) { made: createOrderReturn(input: $input) { ... on CreateOrderReturnSuccess { orderReturn { id } } } }`,
        { input: { orderId: String(number), lines: [{ lineId: await lineOf(number), quantity }] } },
      )
      if (made.orderReturn) returns.push(made.orderReturn.id)
    },
    async receive(id: string, quantity: number, restock: 'RESTOCK' | 'DISCARD', times: number) {
      const { orderReturn } = await shopper.merchant('query ($id: ID!) { orderReturn(id: $id) { lines { lineId quantity } } }', {
        id,
      })
      const lines = orderReturn.lines.map((line: { lineId: string; quantity: number }) => ({
        lineId: line.lineId,
        quantity: Math.min(line.quantity, quantity),
        restock,
      }))
      const before = await reservedUnits()
      await Promise.all(
        Array.from({ length: times }, () =>
          shopper.merchant(
            'mutation ($id: ID!, $input: ReceiveOrderReturnInput!) { receiveOrderReturn(id: $id, input: $input) { __typename } }',
            { id, input: { lines } },
          ),
        ),
      )
      const after = await reservedUnits()
      if (restock === 'DISCARD')
        for (const [index, units] of before.entries()) discarded[index] = (discarded[index] ?? 0) + units - (after[index] ?? 0)
    },
    /** A refund of a return, or an exchange for a unit of a product. */
    refundReturn: (
      id: string,
      { throughGateway, times, product }: { throughGateway: boolean; times: number; product: number | null },
    ) =>
      Promise.all(
        Array.from({ length: times }, () =>
          shopper.merchant(
            'mutation ($id: ID!, $input: RefundOrderReturnInput!) { refundOrderReturn(id: $id, input: $input) { __typename } }',
            {
              id,
              input: {
                throughGateway,
                ...(product !== null && { exchangeLines: [{ productId: products[product % products.length] }] }),
              },
            },
          ),
        ),
      ),
    /** New quantity of the first line, and a unit of a product. */
    edit: async ({ number }: OrderOf, quantity: number, product: number | null) =>
      shopper.merchant('mutation ($id: ID!, $input: EditOrderInput!) { editOrder(id: $id, input: $input) { __typename } }', {
        id: String(number),
        input: {
          setQuantities: [{ lineId: await lineOf(number), quantity }],
          ...(product !== null && { addLines: [{ productId: products[product % products.length] }] }),
        },
      }),
    balance: (field: 'payOrderBalance' | 'refundOrderBalance', { number }: OrderOf, throughGateway: boolean) =>
      shopper.merchant(
        `mutation ($id: ID!, $input: OrderBalanceInput!) { done: ${field}(id: $id, input: $input) { __typename } }`,
        { id: String(number), input: { throughGateway } },
      ),
    /** What its customer does on the page of the order, also more than once. */
    async payOnPage({ number }: OrderOf, times: number) {
      const [row] = await stack.sql('SELECT token FROM "order" WHERE store_id = $1 AND id = $2', [shop.storeId, number])
      const pay = () =>
        stack.ask(
          ANONYMOUS,
          'mutation ($input: RetryStorefrontPaymentInput!) { retryStorefrontPayment(input: $input) { __typename } }',
          { input: { store: shop.code, secret: row?.token } },
        )
      for (const { errors } of await Promise.all(Array.from({ length: times }, pay))) expect(errors).toBeUndefined()
    },
    disableCard: (index: number) => shopper.disableGiftCard(giftCards[index % giftCards.length]?.id ?? ''),
    cancel: ({ number }: OrderOf) => onOrder('cancelOrder', number),
    async confirm({ number }: OrderOf, isConfirmed: boolean) {
      for (const { reference } of await paymentRows(number)) if (reference !== null) gateway.confirm(reference, isConfirmed)
    },
    async notify({ number }: OrderOf, times: number) {
      for (const { reference } of await paymentRows(number)) {
        if (reference === null) continue
        const { path, signature, body } = gateway.notification(reference, now())
        const send = () => fetch(`${routesUrl}${path}`, { method: 'POST', headers: { 'payment-signature': signature }, body })
        await Promise.all(Array.from({ length: times }, send))
      }
    },
    async operate(field: 'capturePayment' | 'voidPayment' | 'refundPayment', { number }: OrderOf, amount: string | null) {
      for (const id of await paymentIds(number)) await operation(field, id, amount === null ? {} : { amount })
    },
    fail(fault: keyof Faults, times: number) {
      gateway.faults[fault] = times
    },
    async wait(minutes: number) {
      pass(minutes)
      await stack.subgraph.runCheckoutJobs()
    },

    /** What holds at any moment: no negative stock, no unit lost or sold twice, coupons within their limits. */
    async check() {
      const held = await stack.sql(
        `SELECT product.id, product.stock, (SELECT coalesce(min(stock), 0) FROM inventory_level level
            WHERE level.store_id = product.store_id AND level.product_id = product.id) AS least,
          (SELECT coalesce(sum(quantity), 0)::integer FROM stock_allocation WHERE store_id = product.store_id AND product_id = product.id) AS sold
         FROM product WHERE store_id = $1 AND id = ANY ($2)`,
        [shop.storeId, numbers],
      )
      for (const { id, stock, least, sold } of held as { id: number; stock: number; least: number; sold: number }[]) {
        expect(Math.min(stock, least), 'no negative stock').toBeGreaterThanOrEqual(0)
        const index = numbers.indexOf(id)
        expect(stock + sold + (discarded[index] ?? 0), 'units in stock, sold and discarded are those that there ever were').toBe(
          received[index],
        )
      }
      const lines = await stack.sql(
        `SELECT "order".status, line.qty,
           (SELECT coalesce(sum(quantity), 0)::integer FROM stock_allocation part WHERE part.store_id = line.store_id AND part.order_line_id = line.id) AS held,
           (SELECT coalesce(sum(quantity), 0)::integer FROM order_refund_line part WHERE part.store_id = line.store_id AND part.order_line_id = line.id) AS refunded,
           (SELECT coalesce(sum(coalesce(part.received, part.quantity)), 0)::integer FROM order_return_line part
             JOIN order_return parent ON parent.store_id = part.store_id AND parent.id = part.return_id AND parent.status NOT IN ('DECLINED', 'CANCELED')
             WHERE part.store_id = line.store_id AND part.order_line_id = line.id) AS returned
         FROM order_line line JOIN "order" ON "order".store_id = line.store_id AND "order".id = line.order_id
         WHERE line.store_id = $1 AND line.order_id = ANY ($2)`,
        [shop.storeId, orders.map(({ number }) => number)],
      )
      for (const { status, qty, held, refunded, returned } of lines as Record<string, number | string>[]) {
        const isOpen = status === 'PENDING_PAYMENT' || status === 'PAID'
        const least = isOpen ? Number(qty) - Number(refunded) - Number(returned) : 0
        expect(Number(held), `a line of an order that is ${status} reserves what did not come back`).toBeGreaterThanOrEqual(least)
        expect(Number(held), 'no line reserves more than was sold').toBeLessThanOrEqual(isOpen ? Number(qty) : 0)
        expect(Math.max(Number(refunded), Number(returned)), 'no unit is refunded or returned twice').toBeLessThanOrEqual(
          Number(qty),
        )
      }
      const [uses] = await stack.sql(
        `SELECT times_used AS used, usage_limit AS most, (SELECT count(*)::integer FROM promotion_redemption WHERE coupon_id = coupon.id) AS counted
         FROM coupon WHERE code = $1`,
        [coupon],
      )
      expect(uses?.used, 'uses of a coupon are counted').toBe(uses?.counted)
      expect(Number(uses?.used), 'no coupon is used beyond its limit').toBeLessThanOrEqual(Number(uses?.most))
      const cards = await stack.sql(
        `SELECT card.issued::float8, card.balance::float8,
           coalesce(-sum(entry.amount) FILTER (WHERE kind = 'REDEMPTION'), 0)::float8 AS redeemed,
           coalesce(sum(entry.amount) FILTER (WHERE kind = 'RETURN'), 0)::float8 AS returned,
           sum(entry.amount)::float8 AS sum
         FROM gift_card card JOIN gift_card_transaction entry ON entry.store_id = card.store_id AND entry.gift_card_id = card.id
         WHERE card.store_id = $1 AND card.id = ANY ($2) GROUP BY card.store_id, card.id`,
        [shop.storeId, giftCards.map(({ number }) => number)],
      )
      expect(cards).toHaveLength(GIFT_CARDS.length)
      for (const { issued, balance, redeemed, returned, sum } of cards as Record<string, number>[]) {
        expect(balance, 'no gift card pays more than it has').toBeGreaterThanOrEqual(0)
        expect(balance, 'a balance is the sum of its ledger').toBeCloseTo(sum ?? Number.NaN, 4)
        expect(issued, 'what was issued is there, or was spent').toBeCloseTo(
          (balance ?? 0) + (redeemed ?? 0) - (returned ?? 0),
          4,
        )
      }
      const paid = await stack.sql(
        `SELECT status, gift_cards_discount::float8 AS discount,
           coalesce((SELECT sum(to_gift_cards) FROM order_refund refund WHERE refund.store_id = "order".store_id AND refund.order_id = "order".id), 0)::float8 AS refunded,
           coalesce((SELECT -sum(amount) FROM gift_card_transaction entry WHERE entry.store_id = "order".store_id AND entry.order_id = "order".id), 0)::float8 AS held
         FROM "order" WHERE store_id = $1 AND id = ANY ($2)`,
        [shop.storeId, orders.map(({ number }) => number)],
      )
      for (const { status, discount, refunded, held } of paid as {
        status: string
        discount: number
        refunded: number
        held: number
      }[])
        expect(held, `an order that is ${status} holds of its cards what it should`).toBeCloseTo(
          status === 'PENDING_PAYMENT' || status === 'PAID' ? discount - refunded : 0,
          4,
        )
    },

    /** Without faults and after all waiting: the books of shop and gateway are equal, and balance. */
    async settle() {
      Object.assign(gateway.faults, { loseAnswer: 0, unavailable: 0, refuse: 0 })
      for (const order of orders) {
        for (const { reference } of await paymentRows(order.number)) if (reference !== null) gateway.confirm(reference, false)
      }
      for (let round = 0; round < 4; round += 1) await this.wait(20)
      // A capture that was refused for good leaves what was authorized to the merchant.
      for (const order of orders) await this.operate('voidPayment', order, null)
      await this.check()

      const known = new Set<string>()
      for (const { id, status, total, refunded } of await orderRows()) {
        let netAmount = 0
        for (const payment of await paymentRows(id)) {
          const { reference } = payment
          if (reference === null) continue
          known.add(reference)
          const books = gateway.shown(reference)
          for (const amount of ['authorized', 'captured', 'voided', 'refunded'] as const)
            expect([amount, Number(payment[amount])], 'the gateway says the same').toEqual([amount, Number(books[amount])])
          expect(Number(payment.captured) + Number(payment.voided), 'nothing is left open').toBe(Number(payment.authorized))
          netAmount += Number(payment.captured) - Number(payment.refunded)
        }
        const entries = await stack.sql(
          'SELECT coalesce(sum(amount), 0)::float8 AS sum FROM ledger_entry WHERE store_id = $1 AND order_id = $2',
          [shop.storeId, id],
        )
        const booked = Number(entries[0]?.sum)
        expect(['PAID', 'CANCELED', 'ABANDONED', 'PENDING_PAYMENT']).toContain(status)
        const { order } = await shopper.merchant('query ($id: ID!) { order(id: $id) { balanceDue refundDue } }', {
          id: String(id),
        })
        const balance = Number(order.balanceDue) - Number(order.refundDue)
        if (status === 'PAID')
          expect(booked, 'a paid order is booked once').toBeCloseTo(Number(total) - Number(refunded) - balance, 4)
        expect(Number(refunded), 'no more is refunded than an order costs').toBeLessThanOrEqual(Number(total))
        if (status === 'ABANDONED' || status === 'PENDING_PAYMENT')
          expect([booked, netAmount], 'nothing is taken for nothing').toEqual([0, 0])
        expect(netAmount, 'nobody pays twice').toBeLessThanOrEqual(Number(total) + Number(order.refundDue))
        expect(booked, 'no more is paid back than was paid').toBeGreaterThanOrEqual(0)
        const [paidBack] = await stack.sql(
          'SELECT coalesce(sum(amount), 0)::float8 AS sum FROM order_refund WHERE store_id = $1 AND order_id = $2',
          [shop.storeId, id],
        )
        expect(Number(paidBack?.sum), 'refunds are those of the order').toBeCloseTo(Number(refunded), 4)
      }
      const lost = gateway.ids().filter((id) => !before.has(id) && !known.has(id))
      expect(lost, 'every payment at the gateway is known').toEqual([])
      const twice = await stack.sql('SELECT order_id FROM cart WHERE order_id IS NOT NULL GROUP BY order_id HAVING count(*) > 1')
      expect(twice, 'an order comes of one cart').toEqual([])
    },
  }
}
