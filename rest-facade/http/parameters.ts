/** How one query parameter is spelled and bounded; a table of these is all that a row says about its query. */
export type Parameter =
  /** Not blank, without control characters, at most `max` characters. */
  | { readonly kind: 'text'; readonly max: number; readonly required?: true }
  /** Plain decimal digits, both ends included. */
  | { readonly kind: 'integer'; readonly min: number; readonly max: number; readonly default: number }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'enum'; readonly values: readonly string[]; readonly default?: string }

/** Parameters by name, in the order of documentation, links and cache keys. */
export type ParameterTable = Readonly<Record<string, Parameter>>

type ValueOf<P extends Parameter> = P extends { kind: 'integer' }
  ? number
  : P extends { kind: 'boolean' }
    ? boolean
    : P extends { kind: 'enum'; values: readonly (infer Value)[] }
      ? Value
      : string

/** The parsed values of a table: null where the client gave none and there is no default. */
export type ValuesOf<Table extends ParameterTable> = {
  readonly [Name in keyof Table]: Table[Name] extends { required: true } | { default: unknown }
    ? ValueOf<Table[Name]>
    : ValueOf<Table[Name]> | null
}

/** A parsed value before its table gives it a type. */
export type Value = string | number | boolean | null

/** Why one parameter was refused. `got` is null when a required parameter is missing. */
export type Refusal = { readonly parameter: string; readonly expected: string; readonly got: string | null }

/** Both lists are complete: every parameter of the table has a value or a refusal. */
export type ParsedQuery = { readonly values: Readonly<Record<string, Value>>; readonly refusals: readonly Refusal[] }

/** What `parameter` accepts, as the object of the sentence "Expected limit to be …". */
export function expectationOf(parameter: Parameter): string {
  switch (parameter.kind) {
    case 'text':
      return `1 to ${parameter.max} characters of text, not blank and without control characters`
    case 'integer':
      return `a whole number from ${parameter.min} to ${parameter.max} in plain digits`
    case 'boolean':
      return 'true or false'
    case 'enum':
      return `one of ${parameter.values.join(', ')}`
  }
}

// C0 and DEL: no name, word or category holds one.
const CONTROL = /\p{Cc}/u
// No sign, no exponent, no leading zero: one spelling per number, at most ten digits.
const DIGITS = /^(?:0|[1-9]\d{0,9})$/

/** The value that `text` spells for `parameter`; undefined when it does not accept it. */
export function read(parameter: Parameter, text: string): Value | undefined {
  switch (parameter.kind) {
    case 'text':
      return text.trim() !== '' && isWithin(parameter.max, text) && !CONTROL.test(text) ? text : undefined
    case 'integer': {
      const value = DIGITS.test(text) ? Number(text) : Number.NaN
      return value >= parameter.min && value <= parameter.max ? value : undefined
    }
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined
    case 'enum':
      return parameter.values.includes(text) ? text : undefined
  }
}

/**
 * Reads the parameters of `table` out of `query`, the undecoded text behind the question mark.
 * Names outside the table are ignored whatever they hold: clients add tracking words and cache busters of their own.
 */
export function parseQuery(table: ParameterTable, query: string): ParsedQuery {
  const given = givenIn((name) => Object.hasOwn(table, name), query)
  const values: Record<string, Value> = {}
  const refusals: Refusal[] = []
  for (const parameter in table) {
    const rule = table[parameter] as Parameter
    const texts = given.get(parameter)
    if (texts === undefined) {
      if ('required' in rule) refusals.push({ parameter, expected: expectationOf(rule), got: null })
      values[parameter] = 'default' in rule ? (rule.default ?? null) : null
    } else if (texts.length > 1) {
      refusals.push({ parameter, expected: `${expectationOf(rule)}, given once`, got: `${texts.length} values` })
    } else {
      const text = decoded(texts[0] ?? '')
      const value = text === null ? undefined : read(rule, text)
      if (value === undefined) refusals.push({ parameter, expected: expectationOf(rule), got: excerpt(text ?? texts[0] ?? '') })
      else values[parameter] = value
    }
  }
  return { values, refusals }
}

/** The undecoded values of the parameters that are known, by name. */
export function givenIn(isKnown: (name: string) => boolean, query: string): Map<string, string[]> {
  const given = new Map<string, string[]>()
  if (query === '') return given
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=')
    const name = decoded(equals === -1 ? pair : pair.slice(0, equals))
    if (name === null || !isKnown(name)) continue
    const value = equals === -1 ? '' : pair.slice(equals + 1)
    const before = given.get(name)
    if (before) before.push(value)
    else given.set(name, [value])
  }
  return given
}

/** A form-encoded word as text; null when its percent-encoding is broken or is not UTF-8. */
export function decoded(word: string): string | null {
  try {
    return decodeURIComponent(word.replaceAll('+', ' '))
  } catch {
    return null
  }
}

/** True when `text` has at most `max` characters, a pair of surrogates being one. */
function isWithin(max: number, text: string): boolean {
  return text.length <= max || (text.length <= 2 * max && [...text].length <= max)
}

/** Enough of what a client sent to recognise it in a message. */
function excerpt(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 60).toWellFormed()}… (${text.length} characters)`
}
