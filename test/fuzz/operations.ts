import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  Kind,
  parse,
  print,
  TypeInfo,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { readSupergraph } from '../../gateway/planning/supergraph.ts'
import { encodeId } from '../../subgraphs/toolkit/ids.ts'
import { operationOf } from '../gateway/differential/generator.ts'
import { type Random, randomOf } from '../gateway/differential/random.ts'
import { HOSTILE, hostileValue, wordFor } from './hostile.ts'

/** What is sent to the graph; `as` says whose credentials. */
export type FuzzedOperation = {
  readonly as: 'nobody' | 'store' | 'other store' | 'user' | 'key' | 'all'
  readonly query: unknown
  readonly variables?: unknown
  readonly operationName?: unknown
  readonly extensions?: unknown
}

/** Mostly who may do everything, so that few operations end before they begin. */
const ASKERS: readonly FuzzedOperation['as'][] = [
  'nobody',
  'store',
  'other store',
  'user',
  'key',
  'all',
  'all',
  'all',
  'all',
  'all',
]

/** These end the accounts that everything else is asked with. */
const LEFT_OUT: readonly string[] = ['resetAuthtoken', 'deleteUser', 'changePassword']
/** Rows of serial ids that may be there, and as many of them as nothing deletes. */
const [ROWS, STABLE_ROWS] = [40, 8]

export const api: GraphQLSchema = readSupergraph(
  parse(readFileSync(join(import.meta.dirname, '../../schema/supergraph.graphql'), 'utf8')),
).api

const entities = Object.values(api.getTypeMap())
  .filter((type) => isObjectType(type) && type.getFields().id)
  .map(({ name }) => name)

/**
 * A random operation of a seed: valid at first, then with values that fit by their names, or
 * hostile ones; one in ten is broken as a whole.
 */
export function fuzzedOperationOf(seed: number | string): FuzzedOperation {
  const random = randomOf(`fuzz ${seed}`)
  const valid = operationOf(seed, {
    api,
    isLeftOut: (type, field) => type === 'Mutation' && LEFT_OUT.includes(field),
    isShared: () => false,
    hasRequirements: true,
    needed: new Set(),
    mutations: 0.5,
  })
  const typeInfo = new TypeInfo(api)
  // What the values of variables stand for, by the first place at which they are used.
  const places = new Map<string, { readonly type: GraphQLInputType; readonly name: string; readonly field: string }>()
  const hostility = random.pick([0, 0.05, 0.05, 0.3])
  const document = visit(
    parse(valid.query, { noLocation: true }),
    visitWithTypeInfo(typeInfo, {
      Argument: placed,
      ObjectField: placed,
    }),
  )
  const given = Object.fromEntries(
    Object.entries(valid.variables ?? {}).map(([name, value]) => {
      const place = places.get(name)
      return [name, place ? changed(value, place.type, place.name, place.field) : value]
    }),
  )
  return broken({ as: random.pick(ASKERS), query: print(document), variables: given }, random)

  function placed<Node extends { readonly name: { readonly value: string }; readonly value: ValueNode }>(node: Node) {
    const type = typeInfo.getInputType()
    if (!type) return undefined
    const field = typeInfo.getFieldDef()?.name ?? ''
    const { value } = node
    if (value.kind === Kind.VARIABLE) {
      if (!places.has(value.name.value)) places.set(value.name.value, { type, name: node.name.value, field })
      return undefined
    }
    if (value.kind === Kind.OBJECT || value.kind === Kind.LIST || isInputObjectType(getNamedType(type))) return undefined
    const replaced = literalOf(leaf(type, node.name.value, field), isEnumType(getNamedType(type)))
    return replaced ? { ...node, value: replaced } : undefined
  }

  /** The value of a variable with other values inside. */
  function changed(value: unknown, type: GraphQLInputType, name: string, field: string): unknown {
    if (random.chance(hostility / 2)) return hostileValue(random)
    const nullable = getNullableType(type)
    if (isListType(nullable))
      return Array.isArray(value) ? value.map((each) => changed(each, nullable.ofType, name, field)) : value
    if (isInputObjectType(nullable)) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
      const entries = Object.entries(nullable.getFields()).flatMap(([key, { type: inner }]): [string, unknown][] =>
        Object.hasOwn(value, key) ? [[key, changed(Reflect.get(value, key), inner, key, field)]] : [],
      )
      if (random.chance(hostility / 4)) entries.push([random.pick(['__proto__', 'id', 'storeId', 'role']), hostileValue(random)])
      // Not by assignment: `__proto__` is to be a key like any other.
      return Object.fromEntries(entries)
    }
    return value === null ? null : leaf(type, name, field)
  }

  function leaf(type: GraphQLInputType, name: string, field: string): unknown {
    if (random.chance(hostility)) return hostileValue(random)
    const nullable = getNullableType(type)
    if (isListType(nullable)) return leaf(nullable.ofType, name, field)
    if (isEnumType(nullable)) return random.pick(nullable.getValues()).name
    switch (getNamedType(type).name) {
      case 'Int':
        return /^(first|limit)$/.test(name) ? random.pick([0, 1, 2, 20, 50]) : random.pick([0, 1, 2, 3, 10, 1000, -1])
      case 'Float':
        return random.pick([0, 0.5, 12.25])
      case 'Boolean':
        return random.chance(0.5)
      case 'ID':
        return idFor(random, name, field)
      case 'Decimal':
        return random.pick(['0', '1', '12.50', '3.3333', '9999999999.9999', '-5', '100'])
      case 'DateTime':
        return random.pick(['2026-01-01T00:00:00Z', '2030-06-01T12:00:00+02:00', '1970-01-01T00:00:00Z', '9999-12-31T23:59:59Z'])
      case 'Url':
        return random.pick(['https://example.com/', 'http://127.0.0.1/', 'https://example.com/a?b=c'])
      default:
        return wordFor(random, name)
    }
  }
}

/** An id of the type that the name of an argument or of its field speaks of, most of the time. */
function idFor(random: Random, name: string, field: string): string {
  // The first rows stay: there must be something to ask for.
  const row = String(
    /^(delete|revoke|remove)/i.test(field)
      ? STABLE_ROWS + 1 + random.whole(ROWS)
      : 1 + random.whole(random.pick([STABLE_ROWS, ROWS])),
  )
  if (random.chance(0.1))
    return random.pick(['0', '-1', '1', 'x', `${row}0000000000`, encodeId('Product', '-1'), encodeId('User', '1:1')])
  if (random.chance(0.1)) return encodeId(random.pick(entities), row)
  const wanted = `${name.replace(/Ids?$/, '')} ${name === 'id' || name === 'ids' ? field : ''}`.toLowerCase()
  const fitting = entities.filter((type) => wanted.includes(type.toLowerCase()))
  const match = fitting.sort((one, other) => other.length - one.length)[0]
  return encodeId(match ?? random.pick(entities), row)
}

function literalOf(value: unknown, isEnum: boolean): ValueNode | null {
  if (value === null) return { kind: Kind.NULL }
  if (typeof value === 'boolean') return { kind: Kind.BOOLEAN, value }
  if (typeof value === 'number' && Number.isFinite(value))
    return { kind: /^-?\d+$/.test(String(value)) ? Kind.INT : Kind.FLOAT, value: String(value) }
  if (typeof value === 'string') {
    if (isEnum && /^[A-Z_]+$/.test(value)) return { kind: Kind.ENUM, value }
    const number = /^@raw:(.*)@$/.exec(value)?.[1]
    return number ? { kind: Kind.FLOAT, value: number } : { kind: Kind.STRING, value }
  }
  return null
}

/** One in ten: something about the whole request that is wrong. */
function broken(operation: FuzzedOperation, random: Random): FuzzedOperation {
  if (!random.chance(0.1)) return operation
  const text = String(operation.query)
  const at = random.whole(text.length)
  switch (random.whole(8)) {
    case 0:
      return { ...operation, query: text.slice(0, at) + text.slice(at + 1 + random.whole(5)) }
    case 1:
      return {
        ...operation,
        query: text.slice(0, at) + random.pick(HOSTILE.filter((each) => typeof each === 'string')) + text.slice(at),
      }
    case 2:
      return { ...operation, variables: hostileValue(random) }
    case 3:
      return { ...operation, operationName: hostileValue(random) }
    case 4:
      return { ...operation, extensions: hostileValue(random) }
    case 5:
      return { ...operation, query: hostileValue(random) }
    case 6:
      return {
        ...operation,
        extensions: { persistedQuery: random.pick([{ version: 1, sha256Hash: 'x' }, hostileValue(random)]) },
      }
    default: {
      const other = text.replace(/\$v(\d+)/, random.pick(['$v99', '$__proto__', '']))
      return { ...operation, query: other }
    }
  }
}
