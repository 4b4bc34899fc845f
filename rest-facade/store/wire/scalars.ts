import { type GraphQLLeafType, isEnumType } from 'graphql'
import { type LookupTable, lookupTable } from '../../../platform/collections/lookup-table.ts'
import type { ContractSchema } from '../contract.ts'
import { enumReader, wireValuesOf } from './enum-values.ts'
import { isNumberText, isObject } from './exact-json.ts'

/**
 * Converts request values to one scalar or enum of the graph. `expectation` completes the sentence
 * "Expected `price` to be …".
 */
export type ScalarReader = {
  readonly expectation: string
  /** Undefined for invalid values. Never called with null. */
  readonly read: (given: unknown) => unknown
}

/** Ids are positive and fit into 32 bits, in the contract as well as in the database. */
const MAX_INT = 2_147_483_647
const DIGITS = /^-?(?:0|[1-9]\d{0,9})$/

/** Digits before and behind the point, as in the scalar Decimal of the schema. */
const [WHOLE_DIGITS, FRACTION_DIGITS] = [10, 4]
const NUMBER = /^(-?)(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,3}))?$/

const WIRE_TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.\d{1,9})? UTC$/
const DAY = /^\d{4}-\d\d-\d\d$/

export function scalarReader(type: GraphQLLeafType, schema: ContractSchema): ScalarReader {
  if (isEnumType(type)) {
    const values = [...wireValuesOf(schema, type).values()]
    return { expectation: `one of ${values.join(', ')}`, read: enumReader(schema, type) }
  }
  const reader = (type.name === 'ID' && schema.minimum === 0 ? CURSOR_ID : SCALARS[type.name]) ?? TEXT
  const part = schema['x-part']
  if (part !== undefined) return { ...reader, read: (given) => reader.read(partOf(given, part)) }
  return schema['x-entries'] ? { ...reader, read: (given) => reader.read(objectOfEntries(given)) } : reader
}

/** The value of a key where an object stands for it, as in answers; other values as they are. */
const partOf = (given: unknown, key: string): unknown => (isObject(given) && Object.hasOwn(given, key) ? given[key] : given)

/**
 * An object of a list of `{ key, value }`, as answers have it; other values as they are. The last
 * entry of a key counts.
 */
function objectOfEntries(given: unknown): unknown {
  if (!Array.isArray(given)) return given
  const isEntry = (entry: unknown) => isObject(entry) && typeof entry.key === 'string' && Object.hasOwn(entry, 'value')
  return given.every(isEntry) ? Object.fromEntries(given.map(({ key, value }) => [key, value])) : given
}

/** An id to continue behind; 0 is the beginning of the list. */
const CURSOR_ID: ScalarReader = {
  expectation: `a whole number from 0 to ${MAX_INT}`,
  read: (given) => (wholeIn(given) === 0 ? '0' : idIn(given)),
}

/** The id in a number or digits; undefined for other values. */
export function idIn(given: unknown): string | undefined {
  // The contract has ids in some places and objects with an id in others; both are accepted
  // everywhere.
  const id = typeof given === 'object' && given !== null && Object.hasOwn(given, 'id') ? Reflect.get(given, 'id') : given
  const number = wholeIn(id)
  return number !== undefined && number > 0 ? String(number) : undefined
}

function wholeIn(given: unknown): number | undefined {
  const text = isNumberText(given)
    ? decimalIn(given)
    : typeof given === 'number' || typeof given === 'string'
      ? String(given)
      : ''
  const number = text !== undefined && DIGITS.test(text) ? Number(text) : Number.NaN
  return Math.abs(number) <= MAX_INT ? number : undefined
}

/**
 * The exact decimal of a number or its text, without exponent, leading and trailing zeros;
 * undefined for other values.
 */
function decimalIn(given: unknown): string | undefined {
  const text = isNumberText(given) ? given.source : typeof given === 'number' || typeof given === 'string' ? String(given) : ''
  const match = NUMBER.exec(text)
  if (!match) return undefined
  const [, sign = '', before = '', behind = '', exponent = '0'] = match
  const point = before.length + Number(exponent)
  const digits = `${'0'.repeat(Math.max(0, -point))}${before}${behind}`.padEnd(point, '0')
  const whole = digits.slice(0, Math.max(0, point)).replace(/^0+(?=.)/, '') || '0'
  const fraction = digits.slice(Math.max(0, point)).replace(/0+$/, '')
  if (whole.length > WHOLE_DIGITS || fraction.length > FRACTION_DIGITS) return undefined
  const size = fraction === '' ? whole : `${whole}.${fraction}`
  return size === '0' ? size : `${sign}${size}`
}

function timeIn(given: unknown): string | undefined {
  if (typeof given !== 'string' || given.length > 64) return undefined
  const text = DAY.test(given) ? `${given}T00:00:00Z` : given.replace(WIRE_TIME, '$1T$2Z')
  const time = /^\d{4}-\d\d-\d\dT/i.test(text) && /(?:Z|[+-]\d\d:\d\d)$/i.test(text) ? new Date(text) : null
  return time && !Number.isNaN(time.getTime()) ? time.toISOString() : undefined
}

/** PostgreSQL rejects NUL, and a lone surrogate is not a character. */
export const isText = (given: unknown): given is string =>
  typeof given === 'string' && !given.includes('\0') && given.isWellFormed()

/** A JSON value with its numbers as doubles; undefined when one of its strings is no valid text. */
function jsonIn(given: unknown): unknown {
  if (isNumberText(given)) return Number.isFinite(Number(given.source)) ? Number(given.source) : undefined
  if (typeof given === 'string') return isText(given) ? given : undefined
  if (typeof given !== 'object' || given === null) return given
  const entries = Object.entries(given).map(([name, value]) => [name, jsonIn(value)] as const)
  if (entries.some(([name, value]) => value === undefined || !isText(name))) return undefined
  return Array.isArray(given) ? entries.map(([, value]) => value) : Object.fromEntries(entries)
}

const TEXT: ScalarReader = {
  expectation: 'a text without NUL characters and unpaired surrogates',
  read: (given) => (isText(given) ? given : undefined),
}

const SCALARS: LookupTable<ScalarReader> = lookupTable({
  ID: { expectation: `a whole number from 1 to ${MAX_INT}`, read: idIn },
  Int: { expectation: `a whole number from -${MAX_INT} to ${MAX_INT}`, read: wholeIn },
  Decimal: {
    expectation: `a number with at most ${WHOLE_DIGITS} digits before and ${FRACTION_DIGITS} behind the point`,
    read: decimalIn,
  },
  Float: {
    expectation: 'a number',
    read: (given) => {
      const number = isNumberText(given) ? Number(given.source) : given
      return typeof number === 'number' && Number.isFinite(number) ? number : undefined
    },
  },
  Boolean: { expectation: 'true or false', read: (given) => (typeof given === 'boolean' ? given : undefined) },
  DateTime: { expectation: 'a time such as "2026-11-20 09:30:00 UTC" or "2026-11-20T09:30:00Z"', read: timeIn },
  JSON: { expectation: 'JSON without NUL characters and unpaired surrogates', read: jsonIn },
})
