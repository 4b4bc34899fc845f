import {
  type DocumentNode,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
  Kind,
  type OperationDefinitionNode,
  parse,
  subscribe,
} from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtInSupergraph } from '../../../composition/built-in-supergraph.ts'
import { requirementsIn } from '../../../gateway/authorization/operation-guard.ts'
import { readSupergraph } from '../../../gateway/planning/supergraph.ts'
import { type AnyOfAll, authorizationRules, isMet, type Requirement } from '../../../platform/graphql/authorization-rules.ts'
import { operationOf } from '../../../rest-facade/store/compiled-route.ts'
import type { ContractOperation, ContractSchema } from '../../../rest-facade/store/contract.ts'
import { grantedScopesOf, namedOperations } from '../../../rest-facade/store/granted-scopes.ts'
import { storeRoutes } from '../../../rest-facade/store/routes.ts'
import { SCOPES } from '../../../subgraphs/store/access/scopes.ts'
import { FIELD_SCOPES } from '../../subgraphs/store/support/field-scopes.ts'
import { ANONYMOUS } from '../../subgraphs/store/support/store.ts'
import { operations } from './contract.ts'
import { aFullShop, type FullShop, pathOf } from './full-shop.ts'
import { type StoreRestStack, startStoreStack } from './stack.ts'
import { aToken } from './token.ts'

let stack: StoreRestStack
let full: FullShop
beforeAll(async () => {
  stack = await startStoreStack()
  full = await aFullShop(stack, 1)
})
afterAll(() => stack.close())

const tokens = new Map<string, Promise<string>>()
/** The header of an app that the shop lets do so much. */
async function bearer(scopes: readonly string[]): Promise<{ authorization: string }> {
  const key = scopes.join()
  const token = tokens.get(key) ?? aToken(stack, full.shop, scopes)
  tokens.set(key, token)
  return { authorization: `Bearer ${await token}` }
}

/**
 * Something of a schema of the contract with every key in it: what is wrong with it is nobody's
 * business who may not ask.
 */
function sampleOf({ type, enum: words, properties, items, description = '', 'x-format': format }: ContractSchema): unknown {
  if (words) return words[0]
  if (format === 'iso8601' || /^When\b|^(?:Earliest|Latest) day/.test(description)) return '2026-11-20 09:00:00 UTC'
  if (type === 'array') return items ? [sampleOf(items)] : []
  if (type === 'object') {
    const given = Object.entries(properties ?? {}).filter(([, { readOnly }]) => !readOnly)
    return Object.fromEntries(given.map(([name, property]) => [name, sampleOf(property)]))
  }
  return type === 'string' || type === undefined ? '1' : type === 'boolean' ? true : 1
}

/**
 * Every scope that opens a field of an operation which the scope of the contract opens, and with it
 * all that is answered.
 */
function openingScopes({
  route,
  operation,
  fields,
}: Pick<(typeof rooted)[number], 'route' | 'operation' | 'fields'>): readonly string[] {
  const answerable = demandsOf(route.run).filter(({ policies, scopes }) => policies === null && !isNullable(operation, scopes))
  return scopesAtRoot({ operation, fields }).filter((scope) => {
    const granted = grantedScopesOf(operation).flatMap((grant) => (grant.holding === scope ? grant.scopes : []))
    const grants = { isAuthenticated: true, scopes: new Set([scope, ...granted]), policies: new Set<string>() }
    return answerable.every((requirement) => isMet(requirement, grants))
  })
}

function scopesAtRoot({ operation, fields }: Pick<(typeof rooted)[number], 'operation' | 'fields'>): readonly string[] {
  const demands = fields.map((field) => FIELD_SCOPES[field])
  return demands.flatMap((scopes) => (Array.isArray(scopes) && scopes.includes(operation.scope) ? scopes : []))
}

/** What may be null in the answer of an operation does not open or close it. */
const isNullable = ({ operationId }: ContractOperation, scopes: AnyOfAll | null): boolean =>
  /Review/.test(operationId) && scopes?.flat().join() === 'read_customers'

const supergraph = parse(builtInSupergraph().supergraphSdl)
const api = readSupergraph(supergraph).api
const authorization = authorizationRules(supergraph)

/** Everything that the parts of a row's document demand. */
function demandsOf(document: DocumentNode): readonly Requirement[] {
  const operation = document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION) as OperationDefinitionNode
  return requirementsIn({ document, operation }, api, authorization)
}

const rooted = storeRoutes.map((route) => {
  const operation = operationOf(route, operations)
  const document = route.run.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION) as OperationDefinitionNode
  const type = document.operation === 'query' ? 'Query' : 'Mutation'
  const fields = document.selectionSet.selections.flatMap((each) =>
    each.kind === Kind.FIELD ? [`${type}.${each.name.value}`] : [],
  )
  return { operationId: operation.operationId, route, operation, fields }
})
/** `atRoot` opens the first field, `opening` all that is answered. */
const rows = rooted.map((row) => ({ ...row, atRoot: scopesAtRoot(row), opening: openingScopes(row) }))

/** A webhook sends what its event is about: whoever makes one must be able to read that. */
const WEBHOOK_OPERATIONS: ReadonlySet<string> = new Set(['createHook', 'updateHook'])
const EVENT_SCOPES = ['read_orders', 'read_products', 'read_customers', 'read_fulfillments']
/** Parameters that an operation cannot do without. */
const QUERIES: Readonly<Record<string, string>> = {
  searchProducts: '?query=x',
  searchCustomers: '?query=x',
  searchOrders: '?query=x',
  getAppInstallStatusByStore: '?store_id=1',
  listProductsLocations: '?location_ids=1&product_ids=1',
}

test.each(rows.filter(({ operation }) => operation.scope !== null))(
  '$operationId is refused to an app with every scope but its own, which is named, and not to one with that alone',
  async ({ operation, atRoot, opening }) => {
    const { method, scope, body } = operation
    const on = `${method} ${pathOf(operation, full)}${QUERIES[operation.operationId] ?? ''}`
    const ask = async (scopes: readonly string[]) =>
      stack.ask(on, {
        as: null,
        headers: await bearer(scopes),
        ...(body && method !== 'DELETE' && { body: sampleOf(body.schema) as object }),
      })
    const refused = await ask(SCOPES.filter((each) => !atRoot.includes(each)))
    expect([refused.status, refused.json.message]).toEqual([403, expect.stringContaining(`"${scope}"`)])
    expect(refused.headers['www-authenticate']).toBe(`Bearer error="insufficient_scope", scope="${scope}"`)
    for (const each of opening) {
      const { status, headers } = await ask(WEBHOOK_OPERATIONS.has(operation.operationId) ? [each, ...EVENT_SCOPES] : [each])
      // That something is another app's is refused with 403 as well, and no scope would help.
      expect([each, status === 401 || status >= 500, headers['www-authenticate']]).toEqual([each, false, undefined])
    }
  },
)

/** The contract names no scope for it; what it lists belongs to orders. */
const NEEDS_ORDERS = 'listDocuments'

test.each(rows.filter(({ operation }) => operation.scope === null && operation.operationId !== NEEDS_ORDERS))(
  '$operationId is open to every app',
  async ({ operation }) => {
    const reply = await stack.ask(`${operation.method} ${pathOf(operation, full)}`, {
      as: null,
      headers: await bearer(['read_apps']),
    })
    expect(reply.status).toBe(200)
  },
)

test('a finer scope opens its own noun only: members of a category are customers', async () => {
  const made = async (on: string, body: object) =>
    Object.values((await stack.ask(on, { as: full.shop, body })).json as object)[0] as { id: number }
  const category = await made('POST /customer_categories.json', { customer_category: { name: 'Finer' } })
  const customer = await made('POST /customers.json', { customer: { email: 'finer@example.org', password: 'correct horse' } })
  const path = `/customer_categories/${category.id}/customers.json`
  const body = { customers: [{ id: customer.id }] }
  const ask = async (...scopes: string[]) =>
    (await stack.ask(`POST ${path}`, { as: null, headers: await bearer(scopes), body })).status
  expect([await ask('write_customer_categories'), await ask('write_customers')]).toEqual([403, 200])
  expect((await stack.ask(`GET ${path}`, { as: null, headers: await bearer(['read_customer_categories']) })).status).toBe(403)
})

test('a script is made and listed with the finer scopes of scripts', async () => {
  const body = { app: { url: 'https://example.com/finer.js', template: 'layout', element: 'head' } }
  const made = await stack.ask('POST /jsapps.json', { as: null, headers: await bearer(['write_jsapps']), body })
  expect([made.status, made.json]).toEqual([expect.any(Number), expect.objectContaining({})])
  expect(made.status).toBeLessThan(300)
})

test('a list of documents is refused without the scope of orders, whose documents they are', async () => {
  const [without, with_] = await Promise.all(
    [SCOPES.filter((scope) => scope !== 'read_orders'), ['read_orders']].map(async (scopes) =>
      stack.ask('GET /documents.json', { as: null, headers: await bearer(scopes) }),
    ),
  )
  expect([without?.status, with_?.status]).toEqual([403, 200])
  expect(without?.headers['www-authenticate']).toBe('Bearer error="insufficient_scope", scope="read_orders"')
})

test('products of a category are refused with read_store only', async () => {
  for (const path of ['/products/category/1.json', '/products/category/1/count.json']) {
    const { status } = await stack.ask(`GET ${path}`, { as: null, headers: await bearer(['read_store']) })
    expect([path, status]).toEqual([path, 403])
  }
})

test('a key that signs webhooks and the address of a reviewer are null for an app that may not read them', async () => {
  const info = await stack.ask('GET /store/info.json', { as: null, headers: await bearer(['read_store']) })
  expect([info.status, info.json.code, info.json.hooks_token]).toEqual([200, full.shop.code, null])
  const own = await stack.ask('GET /store/info.json')
  expect(own.json.hooks_token).toMatch(/^\w{20,}/)
  const reviews = async (scopes: readonly string[]) =>
    (await stack.ask('GET /products/reviews.json', { as: null, headers: await bearer(scopes) })).json
  const emails = (list: readonly { readonly review: { readonly customer_email: unknown } }[]) =>
    list.map(({ review }) => review.customer_email)
  expect(emails(await reviews(['read_products', 'read_customers']))).toContainEqual(expect.stringContaining('@'))
  expect(new Set(emails(await reviews(['read_products'])))).toEqual(new Set([null]))
})

test('operations of the contract are granted the fields that they return beyond their scope, and no others', () => {
  expect(namedOperations.filter((id) => !operations.has(id))).toEqual([])
  for (const { route, operation, operationId } of rooted) {
    const given = grantedScopesOf(operation).flatMap(({ holding, scopes }) => (holding === operation.scope ? scopes : []))
    const demands = demandsOf(route.run)
    const unmet = (scopes: readonly string[]) =>
      demands.filter(
        (requirement) =>
          requirement.policies === null &&
          !isNullable(operation, requirement.scopes) &&
          !isMet(requirement, { isAuthenticated: true, scopes: new Set(scopes), policies: new Set() }),
      )
    const held = operation.scope === null ? [] : [operation.scope]
    if (operationId !== NEEDS_ORDERS) expect([operationId, unmet([...held, ...given])]).toEqual([operationId, []])
    // Whoever writes reads what was written; an operation that answers nothing of it needs no
    // grant, and gains nothing by it.
    const beyond = given.filter((scope) => operation.scope?.replace('write_', 'read_') !== scope)
    for (const scope of beyond) {
      const less = [...held, ...given].filter((each) => each !== scope)
      expect([operationId, scope, unmet(less).length > 0]).toEqual([operationId, scope, true])
    }
  }
})

/** Something of an input type, as literally as documents have it: only what must be there. */
function literal(type: GraphQLInputType): string {
  if (isNonNullType(type)) return literal(type.ofType)
  if (isListType(type)) return `[${literal(type.ofType)}]`
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(isRequiredInputField)
    return `{ ${fields.map((field) => `${field.name}: ${literal(field.type)}`).join(', ')} }`
  }
  if (isEnumType(type)) return type.getValues()[0]?.name ?? ''
  return { Int: '1', Float: '1', Boolean: 'true', DateTime: '"2026-11-20T09:00:00.000Z"' }[type.name] ?? '"1"'
}

function documentOf(place: string): string {
  const [root = '', name = ''] = place.split('.')
  const type = stack.subgraph.schema.getType(root)
  const field = type && 'getFields' in type ? type.getFields()[name] : undefined
  if (!field || !('args' in field)) throw new Error(`Expected the schema to have ${place}.`)
  const given = field.args.filter(isRequiredArgument).map((argument) => `${argument.name}: ${literal(argument.type)}`)
  const selection = isLeafType(getNamedType(field.type)) ? '' : '{ __typename }'
  return `${root.toLowerCase()} { ${name}${given.length > 0 ? `(${given.join(', ')})` : ''} ${selection} }`
}

/**
 * The codes of the errors that an app with these scopes is told, with the scopes that they name.
 */
async function refusals(place: string, scopes: readonly string[]): Promise<(readonly [code: unknown, scopes: unknown])[]> {
  const caller = { ...ANONYMOUS, credentials: await bearer(scopes) }
  if (!place.startsWith('Subscription.')) {
    const { errors = [] } = await stack.graph(caller, documentOf(place))
    return errors.map(({ extensions: { code, scopes: named } }) => [code, named] as const)
  }
  const begun = await subscribe({
    schema: stack.subgraph.schema,
    document: parse(documentOf(place)),
    contextValue: stack.subgraph.context(caller),
  })
  if ('errors' in begun) return (begun.errors ?? []).map(({ extensions: { code, scopes: named } }) => [code, named] as const)
  if ('return' in begun) await begun.return()
  return []
}

/** The one field that somebody has to be signed in for, besides. */
const WANTS_A_USER_TOO = 'Mutation.claimStore'

const roots = Object.entries(FIELD_SCOPES).map(([place, demand]) => ({ place, demand }))

test.each(roots)(
  'the field $place is refused to an app without any of its scopes, and allowed with one of them',
  async ({ place, demand }) => {
    const ownScopes = Array.isArray(demand) ? demand : []
    const isRefused = demand === 'owner' || ownScopes.length > 0
    const without = await refusals(
      place,
      SCOPES.filter((scope) => !ownScopes.includes(scope)),
    )
    const named = demand === 'owner' ? undefined : demand
    if (isRefused) expect(without).toEqual([['FORBIDDEN', named]])
    else expect(without.map(([code]) => code)).not.toContain('FORBIDDEN')
    for (const scope of ownScopes) {
      const found = await refusals(place, /WebhookSubscription$/.test(place) ? [scope, ...EVENT_SCOPES] : [scope])
      // That something is another app's names no scopes.
      expect([scope, found.filter(([code, named]) => code === 'FORBIDDEN' && named !== undefined)]).toEqual([scope, []])
      if (place !== WANTS_A_USER_TOO) expect(found.map(([code]) => code)).not.toContain('UNAUTHENTICATED')
    }
  },
)

test('every root field of the schema has a row of scopes, and every row a field', () => {
  const { schema } = stack.subgraph
  const types = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  const places = types.flatMap((type) => Object.keys(type?.getFields() ?? {}).map((name) => `${type?.name}.${name}`))
  expect(places.filter((place) => !/^Query\._/.test(place)).sort()).toEqual(Object.keys(FIELD_SCOPES).sort())
})

/** What the finer scopes are about, by the names of root fields. */
const FINER: readonly (readonly [field: RegExp, noun: string])[] = [
  [/checkoutCustomField/i, 'checkout_custom_fields'],
  [/(?<!checkout)customField/i, 'custom_fields'],
  [/customer.*category|customerCategories/i, 'customer_categories'],
  [/productCategor/i, 'categories'],
  [/location/i, 'locations'],
  [/scriptTag/i, 'jsapps'],
]

test('no scope opens a field but what the contract demands of its operations, and the finer one of its noun', () => {
  const demanded = (place: string) => rows.flatMap(({ fields, operation }) => (fields.includes(place) ? [operation.scope] : []))
  const others = roots.flatMap(({ place, demand }) => {
    const finer = FINER.flatMap(([field, noun]) => (field.test(place) ? [`read_${noun}`, `write_${noun}`] : []))
    const known = [...demanded(place), ...finer]
    // The contract has no word about fields that none of its operations selects: one scope is
    // theirs.
    const own = demanded(place).some((scope) => scope !== null) || !Array.isArray(demand) ? [] : demand.slice(0, 1)
    return Array.isArray(demand)
      ? demand.filter((scope) => ![...known, ...own].includes(scope)).map((scope) => [place, scope])
      : []
  })
  expect(others).toEqual([])
})
