import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agreedApp } from './support/app.ts'
import { ANONYMOUS, type StoreStack, startStore, type TestStore } from './support/store.ts'

let stack: StoreStack
beforeAll(async () => {
  stack = await startStore()
})
afterAll(() => stack.close())

const TRANSFER = `number status version sentAt finishedAt note source { number } destination { number }
  lines { id number productNumber variantNumber quantity received missing returned reason product { name } }`
const ANSWER = `__typename ... on InventoryTransferSuccess { inventoryTransfer { ${TRANSFER} } } ... on InventoryTransferNotAllowed { message status }
  ... on InsufficientStock { message items { wanted available } } ... on ValidationError { field message errors { field } }
  ... on NotFoundError { message } ... on ConflictError { message currentVersion }`

type Who = Parameters<StoreStack['ask']>[0]
async function run(who: Who, field: string, variables: Record<string, unknown>) {
  const type =
    { create: 'CreateInventoryTransferInput', receive: 'ReceiveInventoryTransferInput' }[field] ?? 'InventoryTransferChangeInput'
  const [declared, passed] = field === 'create' ? ['', ''] : ['$id: ID!, ', 'id: $id, ']
  const { data, errors } = await stack.ask(
    who,
    `mutation (${declared}$input: ${type}!) { result: ${field}InventoryTransfer(${passed}input: $input) { ${ANSWER} } }`,
    variables,
  )
  expect(errors).toBeUndefined()
  return data.result
}

/** A store with a product, of which 10 are at the first of two locations. */
async function aWorld() {
  const store = await stack.aStore()
  const ask = async (query: string, variables: Record<string, unknown> = {}) => {
    const { data, errors } = await stack.ask(store, query, variables)
    expect(errors).toBeUndefined()
    return data
  }
  const aLocation = async (name: string) =>
    (
      await ask(
        'mutation ($input: CreateLocationInput!) { r: createLocation(input: $input) { ... on CreateLocationSuccess { location { id number } } } }',
        { input: { name, address: 'Rua 1', city: 'Porto', country: 'PT' } },
      )
    ).r.location as { readonly id: string; readonly number: number }
  const [north, south] = [await aLocation('North'), await aLocation('South')]
  const aProduct = async (stock: number, input: object = {}) => {
    const { r } = await ask(
      'mutation ($input: CreateProductInput!) { r: createProduct(input: $input) { ... on CreateProductSuccess { product { id number } } } }',
      { input: { name: 'Cup', price: '1', ...input } },
    )
    await ask('mutation ($input: SetInventoryLevelInput!) { r: setInventoryLevel(input: $input) { __typename } }', {
      input: { locationId: north.id, productId: r.product.id, stock },
    })
    return r.product as { readonly id: string; readonly number: number }
  }
  const product = await aProduct(10)
  /** Units at both locations, and those that can be sold. */
  const stockOf = async ({ id }: { readonly id: string } = product) => {
    const { product: found } = await ask(
      'query ($id: ID!) { product(id: $id) { stock inventoryLevels { locationNumber stock } } }',
      { id },
    )
    const at = (number: number) =>
      found.inventoryLevels.find((level: { locationNumber: number }) => level.locationNumber === number)?.stock ?? 0
    return [at(north.number), at(south.number), found.stock]
  }
  const create = (quantity: number, input: object = {}) =>
    run(store, 'create', {
      input: { sourceId: north.id, destinationId: south.id, lines: [{ productId: product.id, quantity }], ...input },
    })
  const drafted = async (quantity: number) => String((await create(quantity)).inventoryTransfer.number)
  const sent = async (quantity: number) => {
    const id = await drafted(quantity)
    const { inventoryTransfer } = await run(store, 'send', { id, input: {} })
    return { id, version: inventoryTransfer.version as number, line: String(inventoryTransfer.lines[0].number) }
  }
  return { store, ask, north, south, product, aProduct, stockOf, create, drafted, sent }
}

describe('a transfer', () => {
  test('moves no stock as a draft, leaves the source when sent, and counts at the destination when received', async () => {
    const { store, stockOf, create, north, south } = await aWorld()
    const { inventoryTransfer: draft } = await create(4, { note: 'By van' })
    expect(draft).toMatchObject({
      ...{ status: 'DRAFT', version: 1, note: 'By van', sentAt: null, finishedAt: null },
      ...{ source: { number: north.number }, destination: { number: south.number } },
      lines: [{ quantity: 4, received: 0, missing: 0, returned: 0, reason: null, product: { name: 'Cup' } }],
    })
    expect(await stockOf()).toEqual([10, 0, 10])
    const id = String(draft.number)
    const { inventoryTransfer: moving } = await run(store, 'send', { id, input: { expectedVersion: 1 } })
    expect(moving).toMatchObject({ status: 'IN_TRANSIT', version: 2, sentAt: expect.any(String) })
    expect(await stockOf()).toEqual([6, 0, 6])
    const { inventoryTransfer: done } = await run(store, 'receive', { id, input: { expectedVersion: 2 } })
    expect(done).toMatchObject({ status: 'RECEIVED', finishedAt: expect.any(String), lines: [{ received: 4, missing: 0 }] })
    expect(await stockOf()).toEqual([6, 4, 10])
  })

  test('is received in parts, and what is missing has a reason and counts nowhere', async () => {
    const { store, stockOf, sent } = await aWorld()
    const { id, version, line } = await sent(6)
    const part = await run(store, 'receive', { id, input: { expectedVersion: version, lines: [{ lineId: line, received: 2 }] } })
    expect(part.inventoryTransfer).toMatchObject({ status: 'IN_TRANSIT', lines: [{ received: 2 }] })
    expect(await stockOf()).toEqual([4, 2, 6])
    const rest = await run(store, 'receive', {
      id,
      input: { expectedVersion: version + 1, lines: [{ lineId: line, received: 3, missing: 1, reason: 'DAMAGED' }] },
    })
    expect(rest.inventoryTransfer).toMatchObject({ status: 'RECEIVED', lines: [{ received: 5, missing: 1, reason: 'DAMAGED' }] })
    expect(await stockOf()).toEqual([4, 5, 9])
  })

  test('of many lines is received with one statement for the levels of all', async () => {
    const { store, north, south, aProduct, stockOf } = await aWorld()
    const products = []
    for (const stock of [3, 4, 5]) products.push(await aProduct(stock, { name: `Cup ${stock}` }))
    const lines = products.map(({ id }) => ({ productId: id, quantity: 2 }))
    const { inventoryTransfer } = await run(store, 'create', { input: { sourceId: north.id, destinationId: south.id, lines } })
    const id = String(inventoryTransfer.number)
    await run(store, 'send', { id, input: { expectedVersion: 1 } })
    await stack.sql('CREATE TABLE inserted (at timestamptz)')
    await stack.sql(`CREATE FUNCTION count_inserts() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO store.inserted VALUES (now()); RETURN NULL; END $$`)
    await stack.sql('CREATE TRIGGER counted AFTER INSERT ON inventory_level FOR EACH STATEMENT EXECUTE FUNCTION count_inserts()')
    const received = await run(store, 'receive', { id, input: { expectedVersion: 2 } })
    await stack.sql('DROP TRIGGER counted ON inventory_level')
    expect(received).toMatchObject({ inventoryTransfer: { status: 'RECEIVED' } })
    expect(await stack.sql('SELECT count(*)::int FROM inserted')).toEqual([{ count: 1 }])
    expect(await Promise.all(products.map(stockOf))).toEqual([
      [1, 2, 3],
      [2, 2, 4],
      [3, 2, 5],
    ])
  })

  test('that is canceled under way gives the rest back to the source, and a draft gives nothing', async () => {
    const { store, stockOf, sent, drafted } = await aWorld()
    const { id, version, line } = await sent(6)
    await run(store, 'receive', { id, input: { expectedVersion: version, lines: [{ lineId: line, received: 2 }] } })
    const canceled = await run(store, 'cancel', { id, input: {} })
    expect(canceled.inventoryTransfer).toMatchObject({ status: 'CANCELED', lines: [{ received: 2, returned: 4 }] })
    expect(await stockOf()).toEqual([8, 2, 10])
    expect((await run(store, 'cancel', { id, input: {} })).__typename).toBe('InventoryTransferSuccess')
    await run(store, 'cancel', { id: await drafted(3), input: {} })
    expect(await stockOf()).toEqual([8, 2, 10])
  })

  test('of an item that was deleted under way ends, and the item counts nowhere', async () => {
    const { store, ask, sent, product } = await aWorld()
    const { id, version } = await sent(6)
    await ask('mutation ($id: ID!) { deleteProduct(id: $id) { __typename } }', { id: product.id })
    const { inventoryTransfer } = await run(store, 'receive', { id, input: { expectedVersion: version } })
    expect(inventoryTransfer).toMatchObject({ status: 'RECEIVED', lines: [{ received: 6, product: null }] })
  })

  test('keeps its locations while it is open, and is kept without them afterwards', async () => {
    const { ask, store, sent, south } = await aWorld()
    const { id, version } = await sent(6)
    const remove = async () =>
      (
        await ask('mutation ($id: ID!) { r: deleteLocation(id: $id) { __typename ... on ValidationError { message } } }', {
          id: south.id,
        })
      ).r
    expect(await remove()).toMatchObject({ __typename: 'ValidationError', message: expect.stringContaining('open transfers') })
    await run(store, 'receive', { id, input: { expectedVersion: version } })
    expect((await remove()).__typename).toBe('DeleteLocationSuccess')
    const { inventoryTransfer } = await ask(`query ($id: ID!) { inventoryTransfer(id: $id) { ${TRANSFER} } }`, { id })
    expect(inventoryTransfer).toMatchObject({ status: 'RECEIVED', destination: null })
  })
})

describe('in races', () => {
  const results = (answers: readonly { __typename: string }[]) =>
    answers.filter(({ __typename }) => __typename === 'InventoryTransferSuccess').length

  test('20 receipts at once, or 20 sends, count once', async () => {
    const { store, stockOf, drafted } = await aWorld()
    const id = await drafted(6)
    const sends = await Promise.all(Array.from({ length: 20 }, () => run(store, 'send', { id, input: {} })))
    expect([results(sends), await stockOf()]).toEqual([1, [4, 0, 4]])
    const receipts = await Promise.all(
      Array.from({ length: 20 }, () => run(store, 'receive', { id, input: { expectedVersion: 2 } })),
    )
    expect([results(receipts), await stockOf()]).toEqual([1, [4, 6, 10]])
    expect(new Set(receipts.map(({ __typename }) => __typename))).toEqual(new Set(['InventoryTransferSuccess', 'ConflictError']))
  })

  test('a repeated key counts once, and cancelling and receiving at once lose and double no unit', async () => {
    const { store, stockOf, sent } = await aWorld()
    const { id, version, line } = await sent(6)
    const input = { expectedVersion: version, idempotencyKey: 'r1', lines: [{ lineId: line, received: 1 }] }
    await Promise.all(Array.from({ length: 5 }, () => run(store, 'receive', { id, input })))
    expect(await stockOf()).toEqual([4, 1, 5])
    await Promise.all([
      run(store, 'cancel', { id, input: {} }),
      run(store, 'receive', { id, input: { expectedVersion: version + 1 } }),
    ])
    const [north = 0, south = 0, all] = await stockOf()
    expect([north + south, all]).toEqual([10, 10])
  })

  test('transfers that take the same stock never take more than there is', async () => {
    const { store, stockOf, drafted } = await aWorld()
    const ids = await Promise.all(Array.from({ length: 8 }, () => drafted(3)))
    const sends = await Promise.all(ids.map((id) => run(store, 'send', { id, input: {} })))
    expect([results(sends), await stockOf()]).toEqual([3, [1, 0, 1]])
    expect(new Set(sends.map(({ __typename }) => __typename))).toEqual(new Set(['InventoryTransferSuccess', 'InsufficientStock']))
  })
})

describe('what is refused', () => {
  test('names the field, and nothing is written', async () => {
    const { store, north, product, create, sent, stockOf } = await aWorld()
    const line = { productId: product.id, quantity: 1 }
    expect(await create(1, { destinationId: north.id })).toMatchObject({ field: 'destinationId' })
    expect(await create(1, { lines: [] })).toMatchObject({ field: 'lines' })
    expect(await create(1, { lines: Array.from({ length: 251 }, () => line) })).toMatchObject({ field: 'lines' })
    expect(await create(0)).toMatchObject({ field: 'lines.0.quantity' })
    expect(await create(1, { lines: [line, line] })).toMatchObject({ field: 'lines.1' })
    expect(await create(1, { note: 'n'.repeat(1_001) })).toMatchObject({ field: 'note' })
    expect(await create(1, { lines: [{ ...line, variantId: '999999' }] })).toMatchObject({ __typename: 'NotFoundError' })
    expect(await create(1, { sourceId: '999999' })).toMatchObject({ __typename: 'NotFoundError' })
    const { id, version, line: lineId } = await sent(5)
    const receive = (lines: object[]) => run(store, 'receive', { id, input: { expectedVersion: version, lines } })
    expect(await receive([{ lineId, received: 6 }])).toMatchObject({ field: 'lines.0.received' })
    expect(await receive([{ lineId, received: 5, missing: 1, reason: 'LOST' }])).toMatchObject({ field: 'lines.0.missing' })
    expect(await receive([{ lineId, missing: 1 }])).toMatchObject({ field: 'lines.0.reason' })
    expect(await receive([{ lineId, received: 1, reason: 'LOST' }])).toMatchObject({ field: 'lines.0.reason' })
    expect(await receive([{ lineId }])).toMatchObject({ field: 'lines.0.received' })
    expect(await receive([{ lineId, received: -1, missing: 2, reason: 'LOST' }])).toMatchObject({ field: 'lines.0.received' })
    expect(
      await receive([
        { lineId, received: 1 },
        { lineId, received: 1 },
      ]),
    ).toMatchObject({ field: 'lines.1.lineId' })
    expect(await receive([])).toMatchObject({ field: 'lines' })
    expect(await stockOf()).toEqual([5, 0, 5])
  })

  test('an order of steps that does not exist, stock that is short, unlimited stock and a full destination', async () => {
    const { store, ask, aProduct, product, create, drafted, sent, stockOf, south } = await aWorld()
    const draft = await drafted(11)
    expect(await run(store, 'receive', { id: draft, input: { expectedVersion: 1 } })).toMatchObject({ status: 'DRAFT' })
    expect(await run(store, 'send', { id: draft, input: {} })).toMatchObject({ items: [{ wanted: 11, available: 10 }] })
    const unlimited = await aProduct(1, { stockUnlimited: true })
    expect(await create(1, { lines: [{ productId: unlimited.id, quantity: 1 }] })).toMatchObject({ field: 'lines.0.productId' })
    const { id, version } = await sent(5)
    expect(await run(store, 'send', { id, input: {} })).toMatchObject({
      __typename: 'InventoryTransferNotAllowed',
      status: 'IN_TRANSIT',
    })
    await ask('mutation ($input: SetInventoryLevelInput!) { r: setInventoryLevel(input: $input) { __typename } }', {
      input: { locationId: south.id, productId: product.id, stock: 999_999_995 },
    })
    expect(await run(store, 'receive', { id, input: { expectedVersion: version } })).toMatchObject({ field: 'lines' })
    expect(await stockOf()).toEqual([5, 999_999_995, 1_000_000_000])
  })

  test('ids of another store, apps without the scope, and callers without credentials', async () => {
    const [mine, other] = [await aWorld(), await aWorld()]
    const { id, version } = await other.sent(5)
    for (const field of ['send', 'cancel', 'receive'])
      expect(
        (await run(mine.store, field, { id, input: field === 'receive' ? { expectedVersion: version } : {} })).__typename,
      ).toBe('NotFoundError')
    expect(await mine.create(1, { destinationId: other.south.id })).toMatchObject({ __typename: 'NotFoundError' })
    expect(await mine.create(1, { lines: [{ productId: other.product.id, quantity: 1 }] })).toMatchObject({
      __typename: 'NotFoundError',
    })
    const read = await stack.ask(
      mine.store,
      `query ($id: ID!) { inventoryTransfer(id: $id) { number } inventoryTransfers { totalCount } }`,
      { id },
    )
    expect(read.data).toEqual({ inventoryTransfer: null, inventoryTransfers: { totalCount: 0 } })
    const app = await agreedApp(stack, mine.store, { scopes: ['read_products'] })
    for (const [who, code] of [
      [app.caller, 'FORBIDDEN'],
      [ANONYMOUS, 'UNAUTHENTICATED'],
    ] as const) {
      const { errors } = await stack.ask(
        who,
        'mutation ($id: ID!) { cancelInventoryTransfer(id: $id, input: {}) { __typename } }',
        { id },
      )
      expect(errors?.[0]?.extensions.code).toBe(code)
    }
    expect(await other.stockOf()).toEqual([5, 0, 5])
  })
})

test('pages go on, a status narrows them, and the audit log has what moved', async () => {
  const { store, ask, drafted, sent } = await aWorld()
  await drafted(1)
  const { id } = await sent(2)
  const { inventoryTransfers } = await ask(
    '{ inventoryTransfers(status: [IN_TRANSIT], first: 1) { totalCount nodes { number } pageInfo { hasNextPage } } }',
  )
  expect(inventoryTransfers).toEqual({ totalCount: 1, nodes: [{ number: Number(id) }], pageInfo: { hasNextPage: false } })
  const { data } = await stack.ask(
    store as TestStore,
    `{ auditEntries(filter: { noun: INVENTORY_TRANSFER, objectNumber: ${id} }) { nodes { operation kind fields { name before after } } } }`,
  )
  expect(data.auditEntries.nodes[0]).toMatchObject({
    ...{ operation: 'sendInventoryTransfer', kind: 'UPDATED' },
    fields: [{ name: 'status', before: 'DRAFT', after: 'IN_TRANSIT' }],
  })
})
