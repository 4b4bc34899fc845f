import { type GraphQLInputType, getNullableType, isInputObjectType, isListType, isNonNullType } from 'graphql'
import { camelCase, snakeCase } from '../../../platform/text/case.ts'
import { excerptOf } from '../../http/excerpt.ts'
import { type ContractSchema, envelopeOf } from '../contract.ts'
import { isNumberText, isObject } from './exact-json.ts'
import { scalarReader } from './scalars.ts'

/**
 * A fault in a request: `field` is the path of the key or parameter, empty for the body as a whole.
 */
export type RequestFault = { readonly field: string; readonly message: string }

/** Converts request values to one input type of the graph. */
export type Input = {
  /** Notes every fault; the result is valid only if there are none. */
  readonly read: (given: unknown, at: string, faults: RequestFault[]) => unknown
  /**
   * The request's key for each field of an input object, with its reader; empty for other types.
   */
  readonly fields: ReadonlyMap<string, { readonly wire: string; readonly input: Input }>
}

/** A field of an input object, or a variable that is filled like one. */
export type InputField = { readonly type: GraphQLInputType; readonly isRequired: boolean }

/**
 * Converts JSON objects to input objects: unknown keys are ignored, null stays null, absent keys
 * stay absent.
 */
export function objectInput(fields: ReadonlyMap<string, InputField>, schema: ContractSchema): Input {
  const entries = [...fields].map(([name, { type, isRequired }]) => {
    const { wire, property } = wireOf(name, schema)
    const own = snakeCase(name)
    // Unless the contract has another key of that name.
    const other = Object.hasOwn(schema.properties ?? {}, own) ? wire : own
    return { name, wire, other, isRequired, input: inputOf(type, property) }
  })
  return {
    fields: new Map(entries.map(({ name, wire, input }) => [name, { wire, input }])),
    read(given, at, faults) {
      if (!isObject(given)) return noteFault(faults, at, 'an object', given)
      const value: Record<string, unknown> = {}
      for (const { name, wire, other, isRequired, input } of entries) {
        const key = Object.hasOwn(given, wire) ? wire : other
        const field = at === '' ? wire : `${at}.${wire}`
        if (Object.hasOwn(given, key)) value[name] = input.read(given[key], field, faults)
        else if (isRequired) faults.push({ field, message: `Expected \`${field}\`, got nothing.` })
      }
      return value
    },
  }
}

/** Documented keys that no input field reads. */
export function unreadKeys(fields: ReadonlyMap<string, InputField>, schema: ContractSchema, at: string): string[] {
  const read = new Map([...fields].map(([name, field]) => [wireOf(name, schema).wire, field]))
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const field = read.get(key)
    if (property.readOnly) return []
    if (!field) return [`${at}.${key}`]
    let [type, below] = [getNullableType(field.type), property]
    while (isListType(type)) [type, below] = [getNullableType(type.ofType), below.items ?? {}]
    return isInputObjectType(type) ? unreadKeys(fieldsOf(type), withoutEnvelope(below), `${at}.${key}`) : []
  })
}

/** The fields of an input object as they are read. */
export const fieldsOf = (type: {
  getFields(): Record<string, { type: GraphQLInputType; defaultValue?: unknown }>
}): ReadonlyMap<string, InputField> =>
  new Map(
    Object.entries(type.getFields()).map(([name, { type: own, defaultValue }]) => [
      name,
      { type: own, isRequired: isNonNullType(own) && defaultValue === undefined },
    ]),
  )

/** The key that an input field is read from, and its schema in the contract. */
function wireOf(name: string, { properties = {} }: ContractSchema): { readonly wire: string; readonly property: ContractSchema } {
  const known = Object.entries(properties).find(([key, property]) => (property['x-input'] ?? camelCase(key)) === name)
  return known ? { wire: known[0], property: known[1] } : { wire: snakeCase(name), property: {} }
}

/** The schema inside an envelope in the middle of a body; the schema itself where there is none. */
function withoutEnvelope(schema: ContractSchema): ContractSchema {
  const envelope = envelopeOf(schema)
  return (envelope === null ? undefined : schema.properties?.[envelope]) ?? schema
}

function inputOf(outer: GraphQLInputType, schema: ContractSchema): Input {
  const type = getNullableType(outer)
  const inner = isListType(type) ? listInput(type.ofType, schema.items ?? {}) : isInputObjectType(type) ? nested() : leaf()
  const isNullable = !isNonNullType(outer)
  return {
    fields: inner.fields,
    read: (given, at, faults) => (given === null && isNullable ? null : inner.read(given, at, faults)),
  }

  function nested(): Input {
    let made: Input | null = null
    // Input types may contain themselves.
    const input = () => {
      if (!isInputObjectType(type)) throw new Error('Expected an input object.')
      made ??= objectInput(fieldsOf(type), withoutEnvelope(schema))
      return made
    }
    const envelope = envelopeOf(schema) ?? schema['x-envelope'] ?? null
    return {
      get fields() {
        return input().fields
      },
      read(given, at, faults) {
        const isWrapped = envelope !== null && isObject(given) && isObject(given[envelope])
        return isWrapped ? input().read(given[envelope], `${at}.${envelope}`, faults) : input().read(given, at, faults)
      },
    }
  }

  function leaf(): Input {
    if (isListType(type) || isInputObjectType(type)) throw new Error('Expected a leaf.')
    const { expectation, read } = scalarReader(type, schema)
    return {
      fields: NONE,
      read(given, at, faults) {
        const value = given === null ? undefined : read(given)
        return value === undefined ? noteFault(faults, at, expectation, given) : value
      },
    }
  }
}

function listInput(type: GraphQLInputType, schema: ContractSchema): Input {
  const item = inputOf(type, schema)
  const hasEnvelope = typeof (envelopeOf(schema) ?? schema['x-envelope']) === 'string'
  return {
    fields: item.fields,
    read(given, at, faults) {
      if (!Array.isArray(given)) return noteFault(faults, at, 'a list', given)
      return given.map((each, index) => {
        const faultsBefore = faults.length
        const entry = item.read(each, `${at}.${index}`, faults)
        // Unknown keys are ignored, but a misplaced envelope would create an object of defaults.
        const isEmpty = hasEnvelope && faults.length === faultsBefore && isObject(entry) && Object.keys(entry).length === 0
        return isEmpty ? noteFault(faults, `${at}.${index}`, `an object with ${knownKeys(item)}`, each) : entry
      })
    },
  }
}

/** Keys of an entry, for an error message: at most five. */
const knownKeys = ({ fields }: Input): string => {
  const keys = [...fields.values()].map(({ wire }) => `\`${wire}\``)
  return `at least one of its fields: ${keys.slice(0, 5).join(', ')}${keys.length > 5 ? ', …' : ''}`
}

const NONE: Input['fields'] = new Map()

/** Notes what was expected at a path. */
export function noteFault(faults: RequestFault[], at: string, expectation: string, given: unknown): undefined {
  faults.push({
    field: at,
    message: `Expected ${at === '' ? 'the body' : `\`${at}\``} to be ${expectation}, got ${excerpt(given)}.`,
  })
}

/** The path of an input field in the request's keys. */
export function wirePath(input: Input, field: string): string {
  let at: Input | undefined = input
  return field
    .split('.')
    .map((step) => {
      if (/^\d+$/.test(step)) return step
      const found: { readonly wire: string; readonly input: Input } | undefined = at?.fields.get(step)
      at = found?.input
      return found?.wire ?? snakeCase(step)
    })
    .join('.')
}

/** The request's key for the field `name` next to `field`; null where there is none. */
export function wireSibling(input: Input, field: string, name: string): string | null {
  let at: Input | undefined = input
  for (const step of field.split('.').slice(0, -1)) {
    if (!/^\d+$/.test(step)) at = at?.fields.get(step)?.input
  }
  return at?.fields.get(name)?.wire ?? null
}

/** A short form of a value for messages. */
function excerpt(given: unknown): string {
  if (given === undefined) return 'nothing'
  if (isNumberText(given)) return excerptOf(given.source)
  if (Array.isArray(given)) return 'a list'
  if (typeof given === 'object' && given !== null) return 'an object'
  return typeof given === 'string' ? JSON.stringify(excerptOf(given)) : String(given)
}
