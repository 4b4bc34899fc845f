import { z } from 'zod'
import { excerpt } from '../../../platform/graphql/errors.ts'
import { isText } from '../../toolkit/validation.ts'
import type { RowError } from './record.ts'

/** Parts of the schemas of lines of JSON: each says what it expects. */

/** Text of at most `max` characters, not only white space. */
export const text = (max: number) => {
  const error = `1 to ${max} characters, not only white space`
  return z
    .string({ error })
    .max(max, { error })
    .refine((value) => value.trim() !== '', { error })
    .refine(isText, { error: 'text without NUL characters and unpaired surrogates' })
}

/** A decimal number as text, of at most 10 digits before and 4 after the point. */
export const decimal = () => {
  const error = 'a decimal number of 0 or more as text, of at most 10 digits before and 4 after the point'
  return z.string({ error }).regex(/^\d{1,10}(\.\d{1,4})?$/, { error })
}

/** Degrees as decimal text, `max` north or east of 0 and south or west of it. */
export const degrees = (max: 90 | 180) => {
  const error = `a decimal number of -${max} to ${max} as text, of at most 4 digits after the point`
  return z
    .string({ error })
    .regex(/^-?\d{1,3}(\.\d{1,4})?$/, { error })
    .refine((value) => Math.abs(Number(value)) <= max, { error })
}

/** A whole number of 31 bits. */
export const whole = () => {
  const error = 'a whole number of 0 to 2147483647'
  return z.int({ error }).min(0, { error }).max(2_147_483_647, { error })
}

export const flag = () => z.boolean({ error: 'true or false' })

export const word = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, { error: `one of ${words.join(', ')}` })

/** A time in UTC, with milliseconds. */
export const instant = () => {
  const error = 'a time such as 2026-11-20T09:00:00.000Z'
  return (
    z
      .string({ error })
      .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, { error })
      // Days that do not exist, such as February 30, would be moved.
      .refine((value) => !Number.isNaN(Date.parse(value)) && new Date(value).toISOString() === value, { error })
  )
}

export const list = <Item extends z.ZodType>(item: Item, max: number) => {
  const error = `a list of at most ${max}`
  return z.array(item, { error }).max(max, { error })
}

export const strictObject = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `an object without ${issue.keys
            .map((key) => JSON.stringify(key.slice(0, 100)))
            .join(', ')
            .slice(0, 300)}`
        : 'an object',
  })

/** Errors that are named of one object: nobody reads more. */
const MAX_ERRORS = 10

/** A line of JSON by a schema, or its errors. */
export function parseRecord<Value>(
  schema: z.ZodType<Value>,
  value: unknown,
  row: number,
): { readonly value: Value } | { readonly errors: readonly RowError[] } {
  const parsed = schema.safeParse(value, { reportInput: true })
  if (parsed.success) return { value: parsed.data }
  return {
    errors: parsed.error.issues.slice(0, MAX_ERRORS).map(({ path, message, input }) => {
      const column = path.map(String).join('.')
      const subject = column === '' ? 'the line' : `"${column}"`
      const got = typeof input === 'object' && input !== null ? '' : `, got ${input === undefined ? 'nothing' : excerpt(input)}`
      return { row, column, message: `Expected ${subject} to be ${message}${got}.` }
    }),
  }
}
