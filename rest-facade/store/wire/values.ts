import { type GraphQLLeafType, isEnumType } from 'graphql'
import { type LookupTable, lookupTable } from '../../../platform/collections/lookup-table.ts'
import type { Schema } from '../contract.ts'
import { isNumberText } from './json.ts'
import { wordReader, wordsOf } from './words.ts'

/** What a value of the wire must be, as the object of the sentence "Expected `price` to be …", and what the graph is given for it. */
export type Reading = {
  readonly expectation: string
  /** Undefined for what is none. Never called with null. */
  readonly read: (given: unknown) => unknown
}

/** Ids are positive and fit into 32 bits, in the contract as well as in the database. */
const MOST = 2_147_483_647
const DIGITS = /^-?(?:0|[1-9]\d{0,9})$/

/** Before and behind the point, as the graph's Decimal has them. */
const [WHOLE_DIGITS, FRACTION_DIGITS] = [10, 4]
const NUMBER = /^(-?)(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,3}))?$/

const WIRE_TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.\d{1,9})? UTC$/
const DAY = /^\d{4}-\d\d-\d\d$/

/** Reads values of the wire into a leaf type of the graph. */
export function readingOf(type: GraphQLLeafType, schema: Schema): Reading {
  if (isEnumType(type)) {
    const words = [...wordsOf(schema, type).values()]
    return { expectation: `one of ${words.join(', ')}`, read: wordReader(schema, type) }
  }
  return (type.name === 'ID' && schema.minimum === 0 ? PLACE : SCALARS[type.name]) ?? TEXT
}

/** Behind an id a list goes on, and in front of all it begins. */
const PLACE: Reading = {
  expectation: `a whole number from 0 to ${MOST}`,
  read: (given) => (wholeIn(given) === 0 ? '0' : idIn(given)),
}

/** The id that a number or digits spell, as the graph takes it; undefined for all else. */
export function idIn(given: unknown): string | undefined {
  // Where the contract sometimes has ids and sometimes things with an id, both will do.
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
  return Math.abs(number) <= MOST ? number : undefined
}

/** The exact decimal that a number or its text spells, without an exponent and without zeros that say nothing; undefined for all else. */
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

/** PostgreSQL keeps no NUL, and half of a surrogate pair is no character. */
export const isText = (given: unknown): given is string =>
  typeof given === 'string' && !given.includes('\0') && given.isWellFormed()

/** A JSON value with numbers as the graph takes them, if all its texts are texts. */
function jsonIn(given: unknown): unknown {
  if (isNumberText(given)) return Number.isFinite(Number(given.source)) ? Number(given.source) : undefined
  if (typeof given === 'string') return isText(given) ? given : undefined
  if (typeof given !== 'object' || given === null) return given
  const entries = Object.entries(given).map(([name, value]) => [name, jsonIn(value)] as const)
  if (entries.some(([name, value]) => value === undefined || !isText(name))) return undefined
  return Array.isArray(given) ? entries.map(([, value]) => value) : Object.fromEntries(entries)
}

const TEXT: Reading = {
  expectation: 'a text without NUL characters and halves of surrogate pairs',
  read: (given) => (isText(given) ? given : undefined),
}

const SCALARS: LookupTable<Reading> = lookupTable({
  ID: { expectation: `a whole number from 1 to ${MOST}`, read: idIn },
  Int: { expectation: `a whole number from -${MOST} to ${MOST}`, read: wholeIn },
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
  JSON: { expectation: 'JSON without NUL characters and halves of surrogate pairs', read: jsonIn },
})
