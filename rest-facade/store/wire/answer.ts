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
import { envelopeOf, type Schema } from '../contract.ts'
import type { Selected } from './selection.ts'
import { wordsOf } from './words.ts'

/** Writes a value of the graph as JSON of the wire. */
type Write = (value: unknown) => string

/** How an answer is written, and the documented keys that no field was selected for: they are null, or an empty list. */
export type AnswerWriter = { readonly write: Write; readonly gaps: readonly string[] }

/**
 * Compiles the writing of what a document selects, as the contract wants it: every documented key in its order, with envelopes, words of enums and forms of
 * dates. The text is written straight from the data. Throws for what is selected and not documented, and for types that do not fit.
 */
export function answerWriter(answer: Schema, part: Selected): AnswerWriter {
  const gaps: string[] = []
  return { write: writerOf(answer, part.type, part, '$'), gaps }

  function writerOf(schema: Schema, outputType: GraphQLOutputType, { fields }: Pick<Selected, 'fields'>, at: string): Write {
    const type = getNullableType(outputType)
    if (schema.type === 'array') return listWriter(schema, type, { fields }, at)
    if (isListType(type)) {
      if (schema.type !== 'string') throw new Error(`${at}: the graph has a list, the contract has none.`)
      return joined(type.ofType, { fields }, at)
    }
    if (schema.type === 'object' && schema.properties && !isLeafType(type))
      return objectWriter(schema, outputType, { fields }, at)
    if (isLeafType(type)) return leafWriter(schema, type, at)

    // `values { name }` for a key that the contract has as a text: the one field is meant.
    const [[name, only] = [], ...others] = fields()
    if (name === undefined || only === undefined || others.length > 0)
      throw new Error(`${at}: the contract has one value, so select exactly one field.`)
    const write = writerOf(schema, only.type, only, at)
    return (value) => (isAbsent(value) ? 'null' : write((value as Record<string, unknown>)[name]))
  }

  function listWriter({ items = {} }: Schema, type: GraphQLOutputType, part: Pick<Selected, 'fields'>, at: string): Write {
    if (isListType(type)) {
      const write = writerOf(items, type.ofType, part, `${at}[]`)
      return (value) => {
        if (isAbsent(value)) return '[]'
        let text = '['
        for (const item of value as readonly unknown[]) text += text.length === 1 ? write(item) : `,${write(item)}`
        return `${text}]`
      }
    }
    const page = part.fields().get('nodes')
    if (page && !Object.hasOwn(items.properties ?? {}, 'nodes')) {
      // A page of a connection within an answer.
      const write = writerOf({ type: 'array', items }, page.type, page, at)
      return (value) => (isAbsent(value) ? '[]' : write((value as Record<string, unknown>).nodes))
    }
    // The contract answers some single things as a list of one.
    const write = writerOf(items, type, part, `${at}[]`)
    return (value) => (isAbsent(value) ? '[]' : `[${write(value)}]`)
  }

  function joined(itemType: GraphQLOutputType, part: Pick<Selected, 'fields'>, at: string): Write {
    const write = writerOf({ type: 'string' }, itemType, part, at)
    return (value) => {
      if (isAbsent(value) || (value as readonly unknown[]).length === 0) return 'null'
      return JSON.stringify((value as readonly unknown[]).map((item) => JSON.parse(write(item))).join(','))
    }
  }

  function objectWriter(schema: Schema, type: GraphQLOutputType, part: Pick<Selected, 'fields'>, at: string): Write {
    const { properties = {} } = schema
    const selected = part.fields()
    const envelope = envelopeOf(schema)
    // A review in its envelope has words that are called review as well.
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
    /** Texts that are always the same stand in front of the next key. */
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
      const data = value as Readonly<Record<string, unknown>>
      let text = ''
      for (const { before: fixed, name, write } of keys) text += fixed + write(data[name])
      return text + end
    }
  }

  /** What stands where nothing is selected: a word that the contract leaves no choice of, or nothing. */
  function constantOf(schema: Schema, at: string): string {
    if (schema.enum?.length === 1) return JSON.stringify(schema.enum[0])
    gaps.push(at)
    return schema.type === 'array' ? '[]' : 'null'
  }
}

/** The text of an answer that no data is needed for, such as `"OK"`; null for all others. */
export function constantAnswer({ enum: words, properties }: Schema): string | null {
  if (words?.length === 1) return JSON.stringify(words[0])
  if (!properties || Object.values(properties).some((property) => property.enum?.length !== 1)) return null
  return JSON.stringify(Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, property.enum?.[0]])))
}

const isAbsent = (value: unknown): boolean => value === null || value === undefined

function leafWriter(schema: Schema, type: GraphQLLeafType, at: string): Write {
  if (isEnumType(type)) return enumWriter(schema, type, at)
  const write = LEAVES[type.name]?.[schema.type ?? 'object'] ?? (type.name === 'JSON' ? asJson : null)
  if (!write) throw new Error(`${at}: the graph has ${type.name}, the contract has ${schema.type ?? 'anything'}.`)
  return type.name === 'DateTime' && schema['x-format'] === 'iso8601' ? isoTime : write
}

function enumWriter(schema: Schema, type: GraphQLEnumType, at: string): Write {
  const words = new Map([...wordsOf(schema, type)].map(([value, word]) => [value, JSON.stringify(word)]))
  const unknown = type.getValues().filter(({ name }) => !words.has(name))
  if (unknown.length > 0) throw new Error(`${at}: the contract has no word for ${unknown.map(({ name }) => name).join(', ')}.`)
  return (value) => words.get(value as string) ?? 'null'
}

const asJson: Write = (value) => JSON.stringify(value ?? null)
/** A number, also one that comes as the exact text of a decimal. */
const plain: Write = (value) => (isAbsent(value) ? 'null' : `${value as number | string}`)
const quoted: Write = (value) => (isAbsent(value) ? 'null' : `"${value as number | string}"`)
/** `2026-11-20T09:30:00.000Z` as `2026-11-20 09:30:00 UTC`. */
const utcTime: Write = (value) =>
  isAbsent(value) ? 'null' : `"${(value as string).slice(0, 10)} ${(value as string).slice(11, 19)} UTC"`
const isoTime: Write = (value) => (isAbsent(value) ? 'null' : `"${(value as string).slice(0, 19)}Z"`)

/** How scalars of the graph are written as types of the contract; what is missing does not fit. */
const LEAVES: LookupTable<Readonly<Partial<Record<NonNullable<Schema['type']>, Write>>>> = lookupTable({
  Int: { integer: plain, number: plain, string: quoted },
  Float: { number: plain },
  Decimal: { integer: plain, number: plain, string: quoted },
  Boolean: { boolean: plain },
  String: { string: asJson },
  Url: { string: asJson },
  ID: { string: asJson },
  DateTime: { string: utcTime },
})
