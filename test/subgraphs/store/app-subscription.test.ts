import { afterAll, beforeAll, expect, test } from 'vitest'
import { amountDue, cycleOf } from '../../../subgraphs/store/app-subscription/app-subscription.ts'
import { shopping } from './order/support.ts'
import { storeImports } from './store-import/support.ts'
import { agreedApp, anApp } from './support/app.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

let clock = new Date('2026-03-31T12:00:00Z')
let stack: StoreStack
beforeAll(async () => {
  stack = await startStore(() => clock)
})
afterAll(() => stack.close())

const PLAN = { name: 'Basic', currency: 'EUR', monthlyPrice: '10', freeOrders: 2, pricePerOrder: '0.5' }
const PROBLEMS =
  '... on ValidationError { errors { field message } } ... on NotFoundError { message } ... on ConflictError { message }'

/** Asks for something that has to be answered, and returns it. */
async function said(who: TestStore, query: string, variables: Record<string, unknown> = {}) {
  const { data, errors } = await stack.ask(who, query, variables)
  expect(errors).toBeUndefined()
  return data.said
}

/** An app of the store's own with these plans; its code. */
async function paidApp(shop: TestStore, plans: readonly Record<string, unknown>[] = [PLAN]): Promise<string> {
  const { app } = await said(
    shop,
    'mutation { said: createApp(input: { name: "Paid", redirectUris: ["https://a.example/"], scopes: ["read_apps"] }) { ... on CreateAppSuccess { app { id code } } } }',
  )
  expect(await setPlans(shop, app.id, plans)).toMatchObject({ __typename: 'SetAppPlansSuccess' })
  return app.code
}
const setPlans = (shop: TestStore, id: string, plans: readonly Record<string, unknown>[]) =>
  said(
    shop,
    `mutation ($id: ID!, $input: SetAppPlansInput!) { said: setAppPlans(id: $id, input: $input) { __typename
      ... on SetAppPlansSuccess { app { plans { name currency monthlyPrice freeOrders pricePerOrder } } } ${PROBLEMS} } }`,
    { id, input: { plans } },
  )
const INSTALLATION = 'isInstalled subscription { plan { name } status startsOn endsOn }'
const subscribe = (shop: TestStore, code: string, plan = 'Basic') =>
  said(
    shop,
    `mutation ($input: SubscribeToAppInput!) { said: subscribeToApp(input: $input) { __typename
      ... on SubscribeToAppSuccess { installation { ${INSTALLATION} } } ${PROBLEMS} } }`,
    { input: { code, plan } },
  )
const cancel = (shop: TestStore, code: string) =>
  said(
    shop,
    `mutation ($code: String!) { said: cancelAppSubscription(code: $code) { __typename
      ... on CancelAppSubscriptionSuccess { installation { ${INSTALLATION} } } } }`,
    { code },
  )
const CYCLE = 'startsOn endsOn amountDue amountPaid isPaid'
const cycle = (shop: TestStore, code: string, date: string | null = null, fields = CYCLE) =>
  said(
    shop,
    `query ($code: String!, $date: String) { said: appInstallation(code: $code) { billingCycle(date: $date) { ${fields} } } }`,
    { code, date },
  ).then(({ billingCycle }) => billingCycle)
const pay = (shop: TestStore, code: string, more: Record<string, unknown> = {}) =>
  said(
    shop,
    `mutation ($code: String!, $date: String, $key: String) { said: payAppBillingCycle(code: $code, date: $date, idempotencyKey: $key) { __typename
      ... on PayAppBillingCycleSuccess { billingCycle { ${CYCLE} } } ${PROBLEMS} } }`,
    { code, ...more },
  )

/** Orders that are completed at the present time. */
async function orders(shop: TestStore, count: number): Promise<number[]> {
  const buyer = shopping(stack, shop)
  const { id } = await buyer.aProduct({ price: '10', stock: 100 })
  const made: number[] = []
  for (let n = 0; n < count; n += 1) made.push((await buyer.anOrder({ lines: [{ productId: String(id), quantity: 1 }] })).number)
  return made
}

test.each([
  ['2026-03-15', '2026-03-15', '2026-03-15', '2026-04-14', 'its first day'],
  ['2026-03-15', '2026-04-14', '2026-03-15', '2026-04-14', 'the last day of the first month'],
  ['2026-03-15', '2026-04-15', '2026-04-15', '2026-05-14', 'the first day of the second month'],
  ['2026-01-31', '2026-02-27', '2026-01-31', '2026-02-27', 'before a month that lacks the day'],
  ['2026-01-31', '2026-02-28', '2026-02-28', '2026-03-30', 'the last day of a month that lacks the day'],
  ['2026-01-31', '2026-03-31', '2026-03-31', '2026-04-29', 'the day again, after a month without it'],
  ['2024-02-29', '2025-02-28', '2025-02-28', '2025-03-28', 'a leap day'],
  ['2026-12-10', '2027-01-09', '2026-12-10', '2027-01-09', 'over the year'],
  ['2026-12-10', '2030-01-10', '2030-01-10', '2030-02-09', 'years later'],
])('months from %s: %s lies in %s to %s (%s)', (startsOn, day, first, last) => {
  expect(cycleOf(startsOn, day)).toEqual({ startsOn: first, endsOn: last })
})

test.each([
  [0, 100_000n, 'none'],
  [2, 100_000n, 'those for nothing'],
  [3, 105_000n, 'one more'],
  [102, 600_000n, 'a hundred more'],
])('%i orders make %i ten-thousandths (%s)', (count, due) => {
  expect(amountDue(PLAN, count)).toBe(due)
})

test('a store subscribes to a plan, and keeps it as it was', async () => {
  const shop = await stack.aStore()
  const code = await paidApp(shop)
  expect(await cycle(shop, code)).toBeNull()
  expect(await subscribe(shop, code)).toEqual({
    __typename: 'SubscribeToAppSuccess',
    installation: {
      isInstalled: true,
      subscription: { plan: { name: 'Basic' }, status: 'ACTIVE', startsOn: '2026-03-31', endsOn: null },
    },
  })
  expect(await subscribe(shop, code)).toMatchObject({ __typename: 'ValidationError', errors: [{ field: 'code' }] })

  const { apps } = (await stack.ask(shop, '{ apps { id code } }')).data
  expect((await setPlans(shop, apps[0].id, [])).app.plans).toEqual([])
  expect(await cycle(shop, code)).toEqual({
    startsOn: '2026-03-31',
    endsOn: '2026-04-29',
    amountDue: '10',
    amountPaid: '0',
    isPaid: false,
  })
})

test('an invalid subscription is refused with its field', async () => {
  const shop = await stack.aStore()
  const code = await paidApp(shop, [PLAN, { ...PLAN, name: 'Elsewhere', currency: 'USD' }])
  for (const plan of ['Elsewhere', 'None'])
    expect(await subscribe(shop, code, plan)).toMatchObject({ __typename: 'ValidationError', errors: [{ field: 'plan' }] })
  expect(await subscribe(shop, await anApp(stack))).toMatchObject({
    errors: [{ message: expect.stringContaining('costs nothing') }],
  })
  for (const other of ['nothing', await paidApp(await stack.aStore())])
    expect((await subscribe(shop, other)).__typename).toBe('NotFoundError')
})

test.each([
  ['eleven', Array.from({ length: 11 }, (_, n) => ({ ...PLAN, name: `${n}` })), 'plans'],
  ['without a name', [{ ...PLAN, name: ' ' }], 'plans.0.name'],
  ['with one name twice', [PLAN, { ...PLAN, name: ' Basic' }], 'plans.1.name'],
  ['in money that is none', [{ ...PLAN, currency: 'eur' }], 'plans.0.currency'],
  ['for less than nothing', [{ ...PLAN, monthlyPrice: '-1' }], 'plans.0.monthlyPrice'],
  ['with less than no orders', [{ ...PLAN, freeOrders: -1 }], 'plans.0.freeOrders'],
  ['with orders for less than nothing', [{ ...PLAN, pricePerOrder: '-0.01' }], 'plans.0.pricePerOrder'],
])('plans %s are refused with the field', async (_, plans, field) => {
  const shop = await stack.aStore()
  await paidApp(shop)
  const { apps } = (await stack.ask(shop, '{ apps { id } }')).data
  expect(await setPlans(shop, apps[0].id, plans)).toMatchObject({ __typename: 'ValidationError', errors: [{ field }] })
})

test('orders count in the cycle in which they were completed, the first ones for nothing, canceled ones not', async () => {
  const shop = await stack.aStore()
  const code = await paidApp(shop)
  await subscribe(shop, code)
  const made = await orders(shop, 5)
  await shopping(stack, shop).cancel(made[0] ?? 0)
  const FIELDS = `${CYCLE} freeOrders { totalCount nodes { number } } billableOrders(first: 1) { totalCount nodes { number } pageInfo { endCursor hasNextPage } }`
  const found = await cycle(shop, code, null, FIELDS)
  expect(found).toMatchObject({
    amountDue: '11',
    freeOrders: { totalCount: 2, nodes: [{ number: made[1] }, { number: made[2] }] },
    billableOrders: { totalCount: 2, nodes: [{ number: made[3] }], pageInfo: { hasNextPage: true } },
  })
  const rest = await cycle(
    shop,
    code,
    null,
    `billableOrders(after: "${found.billableOrders.pageInfo.endCursor}") { nodes { number } pageInfo { hasNextPage } }`,
  )
  expect(rest.billableOrders).toEqual({ nodes: [{ number: made[4] }], pageInfo: { hasNextPage: false } })
  expect((await cycle(shop, code, null, 'billableOrders(offset: 1) { nodes { number } }')).billableOrders.nodes).toEqual([
    { number: made[4] },
  ])

  clock = new Date('2026-04-30T12:00:00Z')
  expect(await cycle(shop, code)).toMatchObject({ startsOn: '2026-04-30', amountDue: '10' })
  expect(await cycle(shop, code, '2026-04-29')).toMatchObject({ startsOn: '2026-03-31', amountDue: '11' })
  expect(await cycle(shop, code, '2026-03-30')).toBeNull()
  expect(await cycle(shop, code, '2026-07-01')).toBeNull()
  expect(await cycle(shop, code, '9999-12-30')).toBeNull()
})

test('orders that were imported do not count', async () => {
  clock = new Date('2026-04-02T12:00:00Z')
  const shop = await stack.aStore()
  const code = await paidApp(shop, [{ ...PLAN, freeOrders: 1 }])
  await subscribe(shop, code)
  const header = 'Name,Financial Status,Currency,Total,Created at,Lineitem quantity,Lineitem name,Lineitem price'
  const rows = [1, 2, 3].map((number) => `#${number},paid,EUR,10,2026-04-02T10:00:0${number}.000Z,1,Mug,10`)
  const file = [header, ...rows].join('\n')
  expect(await storeImports(stack).run(shop, file, { kind: 'ORDERS' })).toMatchObject({ created: 3, failed: 0 })
  const [first, second] = await orders(shop, 2)
  const FIELDS = `${CYCLE} freeOrders { totalCount nodes { number } } billableOrders { totalCount nodes { number } }`
  expect(await cycle(shop, code, null, FIELDS)).toMatchObject({
    amountDue: '10.5',
    freeOrders: { totalCount: 1, nodes: [{ number: first }] },
    billableOrders: { totalCount: 1, nodes: [{ number: second }] },
  })
})

test('days are those of the calendar of the store', async () => {
  clock = new Date('2026-05-10T02:00:00Z')
  const shop = await stack.aStore({ country: 'CL' })
  const code = await paidApp(shop, [{ ...PLAN, currency: 'CLP' }])
  await orders(shop, 1)
  expect((await subscribe(shop, code)).installation.subscription.startsOn).toBe('2026-05-09')
  expect((await cycle(shop, code, null, 'freeOrders { totalCount }')).freeOrders.totalCount).toBe(1)
})

test('a cycle is paid from the balance once, and the next cycle again', async () => {
  const shop = await stack.aStore()
  const code = await paidApp(shop)
  await subscribe(shop, code)
  expect(await pay(shop, code)).toMatchObject({ __typename: 'ValidationError', errors: [{ field: 'code' }] })
  const made = await orders(shop, 3)
  for (const id of made) await shopping(stack, shop).pay(id)
  const balance = async () => (await stack.ask(shop, '{ storeBalance { amount } }')).data.storeBalance.amount

  expect(await pay(shop, code)).toMatchObject({ billingCycle: { amountDue: '10.5', amountPaid: '10.5', isPaid: true } })
  expect(await balance()).toBe('19.5')
  const again = await Promise.all([pay(shop, code), pay(shop, code), pay(shop, code)])
  expect(again.map(({ __typename }) => __typename)).toEqual(Array(3).fill('PayAppBillingCycleSuccess'))
  expect(await balance()).toBe('19.5')

  await orders(shop, 2)
  expect(await cycle(shop, code)).toMatchObject({ amountDue: '11.5', amountPaid: '10.5', isPaid: false })
  await Promise.all([pay(shop, code), pay(shop, code), pay(shop, code)])
  expect([await balance(), (await cycle(shop, code)).isPaid]).toEqual(['18.5', true])
  const { ledgerEntries } = (await stack.ask(shop, '{ ledgerEntries { nodes { kind amount order { number } } } }')).data
  expect(ledgerEntries.nodes.slice(3)).toEqual([
    { kind: 'APP_FEE', amount: '-10.5', order: null },
    { kind: 'APP_FEE', amount: '-1', order: null },
  ])
  expect((await pay(shop, code, { date: '2020-01-01' })).__typename).toBe('NotFoundError')
})

test('a free plan is always paid', async () => {
  const shop = await stack.aStore()
  const code = await paidApp(shop, [{ ...PLAN, monthlyPrice: '0', pricePerOrder: '0' }])
  await subscribe(shop, code)
  await orders(shop, 3)
  expect(await cycle(shop, code)).toMatchObject({ amountDue: '0', isPaid: true })
})

test('a subscription that is canceled lasts to the end of its cycle, and another follows it', async () => {
  clock = new Date('2026-06-10T12:00:00Z')
  const shop = await stack.aStore()
  const code = await paidApp(shop)
  await subscribe(shop, code)
  clock = new Date('2026-07-20T12:00:00Z')
  expect((await cancel(shop, code)).installation.subscription).toMatchObject({ status: 'CANCELED', endsOn: '2026-08-09' })
  expect((await cancel(shop, code)).__typename).toBe('NotFoundError')
  expect(await subscribe(shop, code)).toMatchObject({ errors: [{ message: expect.stringContaining('ends on 2026-08-09') }] })
  clock = new Date('2026-08-10T12:00:00Z')
  expect(await cycle(shop, code)).toBeNull()
  expect(await cycle(shop, code, '2026-08-09')).toMatchObject({ startsOn: '2026-07-10' })
  expect((await subscribe(shop, code)).installation.subscription).toMatchObject({ status: 'ACTIVE', startsOn: '2026-08-10' })
})

test('an app that is uninstalled is paid for to the end of its cycle', async () => {
  const shop = await stack.aStore()
  const code = await paidApp(shop)
  await subscribe(shop, code)
  const gone = await said(
    shop,
    `mutation ($code: String!) { said: uninstallApp(code: $code) { ... on UninstallAppSuccess { installation { ${INSTALLATION} } } } }`,
    { code },
  )
  expect(gone.installation).toMatchObject({ isInstalled: false, subscription: { status: 'CANCELED', endsOn: '2026-09-09' } })
})

test('what an app costs is for the store and for that app only', async () => {
  const shop = await stack.aStore()
  const code = await paidApp(shop)
  const [own, other] = [await agreedApp(stack, shop, { code }), await agreedApp(stack, shop)]
  const ASK =
    'query ($code: String!, $store: ID) { appInstallation(code: $code, storeId: $store) { store { number } isInstalled } }'
  const found = { appInstallation: { store: { number: shop.storeId }, isInstalled: true } }
  expect((await stack.ask(own.caller, ASK, { code })).data).toEqual(found)
  expect((await stack.ask(shop, ASK, { code, store: shop.storeId })).data).toEqual(found)
  const codeOf = async (who: Parameters<StoreStack['ask']>[0], variables: Record<string, unknown>) =>
    (await stack.ask(who, ASK, variables)).errors?.[0]?.extensions.code
  expect(await codeOf(other.caller, { code })).toBe('FORBIDDEN')
  const stranger = await stack.aStore()
  expect(await codeOf(stranger, { code })).toBe('NOT_FOUND')
  expect(await codeOf(shop, { code, store: stranger.storeId })).toBe('NOT_FOUND')
  expect(await codeOf((await agreedApp(stack, shop, { scopes: ['read_orders'] })).caller, { code })).toBe('FORBIDDEN')

  for (const mutation of [
    `subscribeToApp(input: { code: "${code}", plan: "Basic" })`,
    `cancelAppSubscription(code: "${code}")`,
    `payAppBillingCycle(code: "${code}")`,
    `uninstallApp(code: "${code}")`,
    'setAppPlans(id: "1", input: { plans: [] })',
  ]) {
    const { errors } = await stack.ask(own.caller, `mutation { ${mutation} { __typename } }`)
    expect([mutation, errors?.[0]?.extensions.code]).toEqual([mutation, 'FORBIDDEN'])
  }
})

test.each(['2026-02-30', 'today', '2026-1-1', '9999-12-31', ''])('an invalid date is refused: %j', async (date) => {
  const shop = await stack.aStore()
  const code = await paidApp(shop)
  await subscribe(shop, code)
  const { errors } = await stack.ask(
    shop,
    'query ($code: String!, $date: String) { appInstallation(code: $code) { billingCycle(date: $date) { startsOn } } }',
    { code, date },
  )
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'date' })
})
