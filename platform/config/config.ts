import { z } from 'zod'
import { OperatorError } from '../process/operator-error.ts'

/** One environment variable: how to parse it, and its documentation. */
export type Variable<Value = unknown> = {
  /** Parses the text. Its message completes "Expected NAME to be …". */
  readonly read: z.ZodType<Value, string>
  /** Default text for an unset or empty variable; null: the value is then undefined. */
  readonly default: string | null
  /** "seconds", "bytes"; null when the value has none. */
  readonly unit: string | null
  /** One sentence; without a default it says what unset means. */
  readonly meaning: string
  /** Whether the value must never be printed. */
  readonly secret?: boolean
}

/** The variables of one program, by name. */
export type Variables = Readonly<Record<string, Variable>>

/** The result of `readConfig`. */
export type Config<Shape extends Variables> = {
  readonly [Name in keyof Shape]: Shape[Name] extends Variable<infer Value>
    ? Shape[Name]['default'] extends null
      ? Value | undefined
      : Value
    : never
}

/**
 * Parses every variable of `shape` from `env`. Throws one `OperatorError` with a line per invalid
 * variable.
 */
export function readConfig<const Shape extends Variables>(
  shape: Shape,
  env: Readonly<Record<string, string | undefined>>,
): Config<Shape> {
  const problems: string[] = []
  const values = Object.entries(shape).map(([name, { read, default: fallback, secret }]) => {
    // Many tools cannot unset a variable and leave it empty.
    const text = env[name] || fallback
    if (text === null || text === undefined) return [name, undefined]
    const result = read.safeParse(text)
    if (result.success) return [name, result.data]
    const expectation = result.error.issues.map(({ message }) => message).join(' and ')
    problems.push(`Expected ${name} to be ${expectation}${secret ? '' : `, got ${JSON.stringify(withoutCredentials(text))}`}.`)
    return [name, undefined]
  })
  if (problems.length > 0) throw new OperatorError(problems.join('\n'))
  return Object.fromEntries(values)
}

/** A table of the variables for `--help`. */
export function describeConfig(shape: Variables): string {
  const rows = Object.entries(shape).map(([name, { default: fallback, unit, meaning }]) => ({
    name,
    value: fallback === null ? '(unset)' : unit === null ? fallback : `${fallback} ${unit}`,
    meaning,
  }))
  const nameWidth = Math.max(...rows.map(({ name }) => name.length))
  const valueWidth = Math.max(...rows.map(({ value }) => value.length))
  return rows.map(({ name, value, meaning }) => `  ${name.padEnd(nameWidth)}  ${value.padEnd(valueWidth)}  ${meaning}`).join('\n')
}

const WHOLE = /^(0|[1-9]\d{0,8})$/

/** A whole number in plain digits: `1e3`, `0x10` and ` 7` are usually typing mistakes. */
export const wholeNumber = (min: number, max: number) => {
  const expectation = `a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(WHOLE, { error: expectation, abort: true })
    .transform(Number)
    .refine((value) => value >= min && value <= max, expectation)
}

/** A switch: 1 or 0. */
export const flag = z.enum(['0', '1'], '0 or 1').transform((text) => text === '1')

/** A URL with one of these protocols, such as `https:`. */
export const urlWithProtocol = (protocols: readonly string[], expectation: string) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), expectation)

/** Removes user and password from a URL: this text may be logged. */
const withoutCredentials = (text: string): string => text.replace(/(?<=:\/\/)[^/]*@/, '…@')
