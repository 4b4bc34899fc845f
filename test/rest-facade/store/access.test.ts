import {
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
import type { Operation, Schema } from '../../../rest-facade/store/contract.ts'
import { operationOf } from '../../../rest-facade/store/door.ts'
import { storeRoutes } from '../../../rest-facade/store/routes.ts'
import { FIELD_SCOPES, SCOPES } from '../../../subgraphs/store/access/scopes.ts'
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

/** Something of a schema of the contract with every key in it: what is wrong with it is nobody's business who may not ask. */
function sampleOf({ type, enum: words, properties, items, description = '', 'x-format': format }: Schema): unknown {
  if (words) return words[0]
  if (format === 'iso8601' || /^When\b|^(?:Earliest|Latest) day/.test(description)) return '2026-11-20 09:00:00 UTC'
  if (type === 'array') return items ? [sampleOf(items)] : []
  if (type === 'object') {
    const given = Object.entries(properties ?? {}).filter(([, { readOnly }]) => !readOnly)
    return Object.fromEntries(given.map(([name, property]) => [name, sampleOf(property)]))
  }
  return type === 'string' || type === undefined ? '1' : type === 'boolean' ? true : 1
}

/** Every scope that opens a field of an operation which the scope of the contract opens. */
function openingScopes(operation: Operation, fields: readonly string[]): readonly string[] {
  const demands = fields.map((field) => FIELD_SCOPES[field])
  return demands.flatMap((scopes) => (Array.isArray(scopes) && scopes.includes(operation.scope) ? scopes : []))
}

const rows = storeRoutes.map((route) => {
  const operation = operationOf(route, operations)
  const document = route.run.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION) as OperationDefinitionNode
  const type = document.operation === 'query' ? 'Query' : 'Mutation'
  const fields = document.selectionSet.selections.flatMap((each) =>
    each.kind === Kind.FIELD ? [`${type}.${each.name.value}`] : [],
  )
  return { operationId: operation.operationId, operation, fields, opening: openingScopes(operation, fields) }
})
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
  async ({ operation, opening }) => {
    const { method, scope, body } = operation
    const on = `${method} ${pathOf(operation, full)}${QUERIES[operation.operationId] ?? ''}`
    const ask = async (scopes: readonly string[]) =>
      stack.ask(on, {
        as: null,
        headers: await bearer(scopes),
        ...(body && method !== 'DELETE' && { body: sampleOf(body.schema) as object }),
      })
    const refused = await ask(SCOPES.filter((each) => !opening.includes(each)))
    expect([refused.status, refused.json.message]).toEqual([403, expect.stringContaining(`"${scope}"`)])
    expect(refused.headers['www-authenticate']).toBe(`Bearer error="insufficient_scope", scope="${scope}"`)
    for (const each of opening) {
      const { status, headers } = await ask([each])
      // That something is another app's is refused with 403 as well, and no scope would help.
      expect([each, status === 401 || status >= 500, headers['www-authenticate']]).toEqual([each, false, undefined])
    }
  },
)

test.each(rows.filter(({ operation }) => operation.scope === null))(
  '$operationId is open to every app',
  async ({ operation }) => {
    const reply = await stack.ask(`${operation.method} ${pathOf(operation, full)}`, {
      as: null,
      headers: await bearer(['read_apps']),
    })
    expect(reply.status).toBe(200)
  },
)

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

/** The codes of the errors that an app with these scopes is told, with the scopes that they name. */
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
  'the field $place is refused to an app without any of its scopes, and to none with one of them',
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
      const found = await refusals(place, [scope])
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
    // The contract has no word about fields that none of its operations selects: one scope is theirs.
    const own = demanded(place).length > 0 || !Array.isArray(demand) ? [] : demand.slice(0, 1)
    return Array.isArray(demand)
      ? demand.filter((scope) => ![...known, ...own].includes(scope)).map((scope) => [place, scope])
      : []
  })
  expect(others).toEqual([])
})
