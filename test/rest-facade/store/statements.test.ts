import { buildSubgraphSchema } from '@apollo/subgraph'
import {
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sdlOf } from '../../../subgraphs/toolkit/sdl.ts'
import { watchStatements } from '../../subgraphs/store/support/statements.ts'
import { operations } from './contract.ts'
import { aFullShop, type FullShop, pathOf } from './full-shop.ts'
import { type StoreRestStack, startStoreStack } from './stack.ts'

const [FEW, MANY] = [2, 20]

async function aSellingShop(stack: StoreRestStack): Promise<void> {
  const as = await stack.aStore()
  const { status } = await stack.ask('POST /products.json', { as, body: { product: { name: 'Mug', price: 1 } } })
  expect(status).toBe(200)
}

let stack: StoreRestStack
let few: FullShop
let many: FullShop
beforeAll(async () => {
  stack = await startStoreStack()
  few = await aFullShop(stack, FEW)
  many = await aFullShop(stack, MANY)
  for (let count = 2; count < MANY; count += 1) await aSellingShop(stack)
}, 120_000)
afterAll(() => stack.close())

/** Lists that are not as long as the shop has things, and how long they are. */
const OTHER_LENGTHS: Readonly<Record<string, readonly [number, number]>> = {
  // Behind the first.
  listProductsAfter: [FEW - 1, MANY - 1],
  listOrdersAfter: [FEW - 1, MANY - 1],
  // Of the first of them, and of each other.
  listReviews: [2 * FEW - 1, 2 * MANY - 1],
  listDocuments: [2 * FEW - 1, 2 * MANY - 1],
  listOrders: [2 * FEW, 2 * MANY],
  listFulfillments: [2 * FEW, 2 * MANY],
  // Paid ones of everybody, and the others of the first customer.
  listCustomerOrders: [FEW + 1, MANY + 1],
  // With what the order itself wrote down.
  listOrderHistory: [FEW + 1, MANY + 1],
  // Of what every shop has as much.
  getCart: [1, 1],
  getStoreBalance: [1, 1],
  listStoreLanguages: [1, 1],
  listCountries: [249, 249],
  listRegions: [16, 16],
  listMunicipalities: [9, 9],
}
const lists = [...operations.values()].filter(({ method, answer }) => method === 'GET' && answer?.type === 'array')

/** What a list asks for besides its path. */
const queryOf = ({ locationIds, productIds }: FullShop): Readonly<Record<string, string>> => ({
  searchProducts: '?query=Product',
  searchCustomers: '?query=example',
  listProductsLocations: `?location_ids=${locationIds.join()}&product_ids=${productIds.join()}`,
})

test.each(lists)('$operationId makes the same statements for two things as for twenty', async (operation) => {
  const { operationId } = operation
  const heard = watchStatements()
  const run = async (full: FullShop) => {
    const before = heard.texts().length
    const on = `GET ${pathOf(operation, full)}${queryOf(full)[operationId] ?? ''}`
    const { status, json, text } = await stack.ask(on, { as: full.shop })
    expect([on, status, text]).toEqual([on, 200, expect.any(String)])
    return { rows: json.length, statements: heard.texts().slice(before).sort() }
  }
  try {
    const [small, large] = [await run(few), await run(many)]
    expect([small.rows, large.rows]).toEqual(OTHER_LENGTHS[operationId] ?? [FEW, MANY])
    expect(large.statements).toEqual(small.statements)
  } finally {
    heard.stop()
  }
})

const schema = buildSubgraphSchema([{ typeDefs: sdlOf('store') }])
const connections = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(
  ({ name, type }) =>
    name !== '_entities' && (isListType(getNullableType(type)) || getNamedType(type).name.endsWith('Connection')),
)

/** What a list has to be told, or may be told to have more rows. */
const argumentsOf = ({ ids, locationIds, productIds, size }: FullShop): Readonly<Record<string, string>> => ({
  orderFulfillments: `(orderId: "${ids.orders}")`,
  inventoryLevels: `(locationIds: ${JSON.stringify(locationIds.map(String))}, productIds: ${JSON.stringify(productIds.map(String))})`,
  // Each shop has hundreds.
  auditEntries: `(first: ${size})`,
  // Of the whole installation.
  shops: `(first: ${size})`,
  shippingQuotes: `(input: { country: "PT", lines: [${Array.from({ length: size }, () => '{ price: "1", quantity: 1, weight: "1" }').join()}] })`,
})
/** Lists of what every shop has as much. */
const EQUALLY_LONG = ['countries', 'mailTexts']
/** Things within things within things. */
const DEPTH = 3

/**
 * Everything of a type that can be asked for without saying more, down to things that are on the
 * way there already.
 */
function selectionOf(type: GraphQLNamedType, above: readonly string[]): string | null {
  if (!isCompositeType(type)) return ''
  if (!isObjectType(type) || above.length === DEPTH || above.includes(type.name)) return null
  const fields = Object.values(type.getFields()).flatMap((field) => {
    if (field.args.some(isRequiredArgument)) return []
    const below = selectionOf(getNamedType(field.type), isPage(type) ? above : [...above, type.name])
    return below === null ? [] : [`${field.name} ${below}`]
  })
  return fields.length === 0 ? null : `{ ${fields.join(' ')} }`
}

/** Types that a page of things is made of. */
const isPage = ({ name }: GraphQLNamedType) => /Connection$|Edge$/.test(name)

test.each(connections.map(({ name, type }) => ({ name, type })))(
  'the list $name of the graph, with all that belongs to its things, makes the same statements for two of them as for twenty',
  async ({ name, type }) => {
    const selection = selectionOf(getNamedType(type), [])
    const heard = watchStatements()
    const run = async (full: FullShop) => {
      const before = heard.texts().length
      const { data, errors } = await stack.graph(full.shop, `{ list: ${name}${argumentsOf(full)[name] ?? ''} ${selection} }`)
      expect(errors).toBeUndefined()
      return { rows: (data.list.nodes ?? data.list).length, statements: heard.texts().slice(before).sort() }
    }
    try {
      const [small, large] = [await run(few), await run(many)]
      if (EQUALLY_LONG.includes(name)) expect(large.rows).toBe(small.rows)
      else expect(large.rows - small.rows).toBeGreaterThanOrEqual(MANY - FEW)
      expect(large.statements).toEqual(small.statements)
    } finally {
      heard.stop()
    }
  },
)
