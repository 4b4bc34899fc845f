import { z } from 'zod'
import { OperatorError } from '../../platform/process/operator-error.ts'

/** Maximum problems per error, because a wrong file may have thousands. */
const MAX_PROBLEMS = 20

/**
 * Validates options of a program or configuration file. Throws one `OperatorError` with a line per
 * problem: path, expectation and kind of the given value. Never quotes texts, because they may be
 * secrets. `where`: origin of the options, such as a file.
 */
export function validateOptions<Options>(schema: z.ZodType<Options, unknown>, given: unknown, where = ''): Options {
  const result = schema.safeParse(given)
  if (result.success) return result.data
  const lines = result.error.issues.flatMap((issue) => problemsOf(issue, given, where))
  throw new OperatorError(lines.slice(0, MAX_PROBLEMS).join('\n'))
}

function problemsOf(issue: z.core.$ZodIssue, given: unknown, where: string): readonly string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `Unknown option "${pathText([...issue.path, key])}"${where}.`)
  }
  // Only the union's own message, because its alternatives would repeat it.
  const name = issue.path.length === 0 ? 'the options' : `"${pathText(issue.path)}"`
  return [`Expected ${name} to be ${issue.message}, got ${kindOf(valueAt(given, issue.path))}${where}.`]
}

/** Path as text: `subgraphs.products.tls.ca`, `headers.request[0].named`. */
const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key).slice(0, 100)}`))
    .join('')
    .replace(/^\./, '')

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key) ? Reflect.get(inner, key) : undefined,
    value,
  )
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return `a text of ${value.length} characters`
  if (Array.isArray(value)) return `a list of ${value.length}`
  return typeof value === 'function' ? 'a function' : 'an object'
}

/** Schema of an integer. */
export const wholeNumber = (min: number, max: number) => {
  const expectation = `a whole number from ${min} to ${max}`
  return z.number(expectation).int(expectation).min(min, expectation).max(max, expectation)
}

export const flag = () => z.boolean('true or false')

export const text = (expectation = 'a text') => z.string(expectation).min(1, expectation)

/** Schema of a function; `expectation` completes "Expected … to be". */
export const fn = <Fn extends (...args: never[]) => unknown>(expectation = 'a function') =>
  z.custom<Fn>((value) => typeof value === 'function', expectation)

/** Schema of an object without unknown keys. */
export const options = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, { error: ({ code }) => (code === 'invalid_type' ? 'an object' : undefined) })

/**
 * Chooses between two schemas by the value, so that problems are those of the chosen one; zod's
 * union would only report that no alternative matches.
 */
export const chosen = <One extends z.ZodType, Other extends z.ZodType>(
  isOne: (value: unknown) => boolean,
  one: One,
  other: Other,
) =>
  z.unknown().transform((value, context): z.output<One> | z.output<Other> => {
    const result = (isOne(value) ? one : other).safeParse(value)
    // Parsed by one of the two schemas.
    if (result.success) return result.data as z.output<One> | z.output<Other>
    for (const issue of result.error.issues) {
      // Adds an issue of the chosen schema, with its value.
      context.addIssue({ ...issue, input: value } as Parameters<typeof context.addIssue>[0])
    }
    return z.NEVER
    // `z.custom` loses the types of the two schemas.
  }) as unknown as z.ZodType<z.output<One> | z.output<Other>, z.input<One> | z.input<Other>>

export const httpUrl = () =>
  z
    .string('an http or https URL')
    .refine((url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol), 'an http or https URL')
