import {
  type GraphQLEnumType,
  type GraphQLLeafType,
  type GraphQLOutputType,
  getNullableType,
  isEnumType,
  isLeafType,
  isListType,
} from 'graphql'
import { type LookupTable, lookupTable } from '../../../platform/collections/lookup-table.ts'
import { type ContractSchema, envelopeOf } from '../contract.ts'
import { wireValuesOf } from './enum-values.ts'
import type { Selected } from './selection.ts'

/** Writes a value of the graph as JSON. */
type Write = (value: unknown) => string

/**
 * Writes a response body. `gaps` are documented keys without a selected field: they are null, or an
 * empty list.
 */
export type BodyWriter = { readonly write: Write; readonly gaps: readonly string[] }

/**
 * Compiles the writing of a selection by the contract's schema: every documented key in its order,
 * with envelopes, enum values and date formats. The text is written straight from the data, without
 * an object in between. Throws for selected fields that are not documented, and for types that do
 * not match.
 */
export function bodyWriter(answer: ContractSchema, part: Selected): BodyWriter {
  const gaps: string[] = []
  return { write: writerOf(answer, part.type, part, '$'), gaps }

  function writerOf(
    schema: ContractSchema,
    outputType: GraphQLOutputType,
    { fields }: Pick<Selected, 'fields'>,
    at: string,
  ): Write {
    const type = getNullableType(outputType)
    if (schema.type === 'array') return listWriter(schema, type, { fields }, at)
    if (isListType(type)) {
      if (schema.type !== 'string') throw new Error(`${at}: the graph has a list, the contract has none.`)
      return joinedWriter(writerOf({ type: 'string' }, type.ofType, { fields }, at))
    }
    if (schema.type === 'object' && schema.properties && !isLeafType(type))
      return objectWriter(schema, outputType, { fields }, at)
    if (isLeafType(type)) return leafWriter(schema, type, at)

    // `values { name }` for a key that the contract has as a string: the only field is the value.
    const [[name, only] = [], ...others] = fields()
    if (name === undefined || only === undefined || others.length > 0)
      throw new Error(`${at}: the contract has one value, so select exactly one field.`)
    const write = writerOf(schema, only.type, only, at)
    return (value) => (isAbsent(value) ? 'null' : write(asObject(value)[name]))
  }

  function listWriter(
    { items = {} }: ContractSchema,
    type: GraphQLOutputType,
    part: Pick<Selected, 'fields'>,
    at: string,
  ): Write {
    if (isListType(type)) {
      const write = writerOf(items, type.ofType, part, `${at}[]`)
      return (value) => {
        if (isAbsent(value)) return '[]'
        let text = '['
        for (const item of asList(value)) text += text.length === 1 ? write(item) : `,${write(item)}`
        return `${text}]`
      }
    }
    const page = part.fields().get('nodes')
    if (page && !Object.hasOwn(items.properties ?? {}, 'nodes')) {
      // A connection inside the response.
      const write = writerOf({ type: 'array', items }, page.type, page, at)
      return (value) => (isAbsent(value) ? '[]' : write(asObject(value).nodes))
    }
    // The contract has some single objects as a list of one.
    const write = writerOf(items, type, part, `${at}[]`)
    return (value) => (isAbsent(value) ? '[]' : `[${write(value)}]`)
  }

  function objectWriter(schema: ContractSchema, type: GraphQLOutputType, part: Pick<Selected, 'fields'>, at: string): Write {
    const { properties = {} } = schema
    const selected = part.fields()
    const envelope = envelopeOf(schema)
    // A review in its envelope has a text field `review` as well.
    const inside = envelope === null ? undefined : selected.get(envelope)
    if (envelope !== null && (!inside || isLeafType(getNullableType(inside.type)))) {
      const write = writerOf(properties[envelope] ?? {}, type, part, `${at}.${envelope}`)
      const before = `{${JSON.stringify(envelope)}:`
      return (value) => (isAbsent(value) ? 'null' : `${before}${write(value)}}`)
    }

    for (const name of selected.keys()) {
      if (name !== '__typename' && !Object.hasOwn(properties, name))
        throw new Error(`${at}: "${name}" is selected and not documented.`)
    }
    /** `before` is the constant text in front of a value. */
    const keys: { readonly before: string; readonly name: string; readonly write: Write }[] = []
    let before = '{'
    for (const [name, property] of Object.entries(properties)) {
      const field = selected.get(name)
      const key = `${JSON.stringify(name)}:`
      if (field) {
        keys.push({ before: `${before}${key}`, name, write: writerOf(property, field.type, field, `${at}.${name}`) })
        before = ','
      } else {
        before += `${key}${constantOf(property, `${at}.${name}`)},`
      }
    }
    const end = before.endsWith(',') ? `${before.slice(0, -1)}}` : `${before}}`
    return (value) => {
      if (isAbsent(value)) return 'null'
      const data = asObject(value)
      let text = ''
      for (const { before: fixed, name, write } of keys) text += fixed + write(data[name])
      return text + end
    }
  }

  /** The value of a key without a selected field: its only enum value, or null. */
  function constantOf(schema: ContractSchema, at: string): string {
    if (schema.enum?.length === 1) return JSON.stringify(schema.enum[0])
    gaps.push(at)
    return schema.type === 'array' ? '[]' : 'null'
  }
}

/** Writes a list as one string with commas; null for an empty one. */
function joinedWriter(write: Write): Write {
  return (value) => {
    if (isAbsent(value) || asList(value).length === 0) return 'null'
    return JSON.stringify(
      asList(value)
        .map((item) => JSON.parse(write(item)))
        .join(','),
    )
  }
}

/** JSON of a body that needs no data, such as `"OK"`; null for all others. */
export function constantBody({ enum: values, properties }: ContractSchema): string | null {
  if (values?.length === 1) return JSON.stringify(values[0])
  if (!properties || Object.values(properties).some((property) => property.enum?.length !== 1)) return null
  return JSON.stringify(Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, property.enum?.[0]])))
}

// The executor completes values by their types, so an object type has an object, a list type a
// list.
const asObject = (value: unknown): Readonly<Record<string, unknown>> => value as Readonly<Record<string, unknown>>
// The schema says that it is a list.
const asList = (value: unknown): readonly unknown[] => value as readonly unknown[]

const isAbsent = (value: unknown): boolean => value === null || value === undefined

function leafWriter(schema: ContractSchema, type: GraphQLLeafType, at: string): Write {
  if (isEnumType(type)) return enumWriter(schema, type, at)
  const write = LEAVES[type.name]?.[schema.type ?? 'object'] ?? (type.name === 'JSON' ? asJson : null)
  if (!write) throw new Error(`${at}: the graph has ${type.name}, the contract has ${schema.type ?? 'anything'}.`)
  return type.name === 'DateTime' && schema['x-format'] === 'iso8601' ? isoTime : write
}

function enumWriter(schema: ContractSchema, type: GraphQLEnumType, at: string): Write {
  const json = new Map([...wireValuesOf(schema, type)].map(([value, wireValue]) => [value, JSON.stringify(wireValue)]))
  const unknown = type.getValues().filter(({ name }) => !json.has(name))
  if (unknown.length > 0) throw new Error(`${at}: the contract has no word for ${unknown.map(({ name }) => name).join(', ')}.`)
  return (value) => json.get(String(value)) ?? 'null'
}

const asJson: Write = (value) => JSON.stringify(value ?? null)
/** A number, or the exact text of a Decimal. */
const unquoted: Write = (value) => (isAbsent(value) ? 'null' : `${String(value)}`)
const quoted: Write = (value) => (isAbsent(value) ? 'null' : `"${String(value)}"`)
/** `2026-11-20T09:30:00.000Z` as `2026-11-20 09:30:00 UTC`. */
const utcTime: Write = (value) =>
  isAbsent(value) ? 'null' : `"${String(value).slice(0, 10)} ${String(value).slice(11, 19)} UTC"`
const isoTime: Write = (value) => (isAbsent(value) ? 'null' : `"${String(value).slice(0, 19)}Z"`)

/** Writers of GraphQL scalars as types of the contract; pairs that are missing do not match. */
const LEAVES: LookupTable<Readonly<Partial<Record<NonNullable<ContractSchema['type']>, Write>>>> = lookupTable({
  Int: { integer: unquoted, number: unquoted, string: quoted },
  Float: { number: unquoted },
  Decimal: { integer: unquoted, number: unquoted, string: quoted },
  Boolean: { boolean: unquoted },
  String: { string: asJson },
  Url: { string: asJson },
  ID: { string: asJson },
  DateTime: { string: utcTime },
})
