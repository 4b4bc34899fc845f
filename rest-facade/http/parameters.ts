/** Syntax and bounds of one query parameter; a row describes its query as a table of these. */
export type Parameter =
  /**
   * Not blank, without control characters, at most `max` characters; with `collapsesSpace` tabs and
   * line breaks are blanks, and several are one.
   */
  | { readonly kind: 'text'; readonly max: number; readonly required?: true; readonly collapsesSpace?: true }
  /** As `text`, given up to `count` times; an empty list where it is absent. */
  | { readonly kind: 'texts'; readonly max: number; readonly count: number }
  /** Plain decimal digits, both ends included. */
  | { readonly kind: 'integer'; readonly min: number; readonly max: number; readonly default: number }
  | { readonly kind: 'boolean' }
  /** RFC 3339 with a time zone: `2026-11-20T09:30:00Z`. */
  | { readonly kind: 'time' }
  | { readonly kind: 'enum'; readonly values: readonly string[]; readonly default?: string }

/** Parameters by name, in the order of documentation, links and entity tags. */
export type ParameterTable = Readonly<Record<string, Parameter>>

type ValueOf<P extends Parameter> = P extends { kind: 'integer' }
  ? number
  : P extends { kind: 'texts' }
    ? readonly string[]
    : P extends { kind: 'boolean' }
      ? boolean
      : P extends { kind: 'enum'; values: readonly (infer ParameterValue)[] }
        ? ParameterValue
        : string

/** Parsed values of a table: null where the parameter is absent and has no default. */
export type ValuesOf<Table extends ParameterTable> = {
  readonly [Name in keyof Table]: Table[Name] extends { required: true } | { default: unknown } | { kind: 'texts' }
    ? ValueOf<Table[Name]>
    : ValueOf<Table[Name]> | null
}

/** A parsed value before its table gives it a type. */
export type ParameterValue = string | number | boolean | null | readonly string[]

/** Why one parameter is invalid. `got` is null when a required parameter is missing. */
export type ParameterRefusal = { readonly parameter: string; readonly expected: string; readonly got: string | null }

/** Both lists are complete: every parameter of the table has a value or a refusal. */
export type ParsedQuery = {
  readonly values: Readonly<Record<string, ParameterValue>>
  readonly refusals: readonly ParameterRefusal[]
}

/** What `parameter` accepts; completes the sentence "Expected `limit` to be …". */
export function expectationOf(parameter: Parameter): string {
  switch (parameter.kind) {
    case 'text':
      return `1 to ${parameter.max} characters of text, not blank and without control characters`
    case 'texts':
      return `at most ${parameter.count} values, each ${expectationOf({ kind: 'text', max: parameter.max })}`
    case 'integer':
      return `a whole number from ${parameter.min} to ${parameter.max} in plain digits`
    case 'boolean':
      return 'true or false'
    case 'time':
      return 'a time in RFC 3339, such as 2026-11-20T09:30:00Z'
    case 'enum':
      return `one of ${parameter.values.join(', ')}`
  }
}

// C0 and DEL: no name, word or category holds one.
const CONTROL = /\p{Cc}/u
// No sign, no exponent, no leading zero: one spelling per number, at most ten digits.
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/
const DIGITS = /^(?:0|[1-9]\d{0,9})$/

/** Parses `text` for `parameter`; undefined when it is invalid. */
export function parseParameter(parameter: Parameter, text: string): ParameterValue | undefined {
  switch (parameter.kind) {
    case 'text': {
      const value = parameter.collapsesSpace ? text.replace(/\s+/g, ' ') : text
      return value.trim() !== '' && isWithin(parameter.max, value) && !CONTROL.test(value) ? value : undefined
    }
    case 'texts':
      return parseParameter({ kind: 'text', max: parameter.max }, text)
    case 'integer': {
      const value = DIGITS.test(text) ? Number(text) : Number.NaN
      return value >= parameter.min && value <= parameter.max ? value : undefined
    }
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined
    case 'time':
      return TIME.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined
    case 'enum':
      return parameter.values.includes(text) ? text : undefined
  }
}

/**
 * Parses the parameters of `table` in `query`, the undecoded text behind the question mark. Unknown
 * names are ignored: clients add tracking parameters and cache busters.
 */
export function parseQuery(table: ParameterTable, query: string): ParsedQuery {
  const given = rawParameters((name) => Object.hasOwn(table, name), query)
  const values: Record<string, ParameterValue> = {}
  const refusals: ParameterRefusal[] = []
  for (const [parameter, rule] of Object.entries(table)) {
    const texts = given.get(parameter)
    if (texts === undefined) {
      if ('required' in rule) refusals.push({ parameter, expected: expectationOf(rule), got: null })
      values[parameter] = rule.kind === 'texts' ? [] : 'default' in rule ? (rule.default ?? null) : null
    } else if (rule.kind === 'texts') {
      const parsed = texts.map((raw) => parsedText(rule, raw))
      const wrong = parsed.indexOf(undefined)
      if (texts.length > rule.count) refusals.push({ parameter, expected: expectationOf(rule), got: `${texts.length} values` })
      else if (wrong !== -1) refusals.push({ parameter, expected: expectationOf(rule), got: excerptOf(texts[wrong] ?? '') })
      // No value is undefined, and those of this kind are texts.
      else values[parameter] = parsed as readonly string[]
    } else if (texts.length > 1) {
      refusals.push({ parameter, expected: `${expectationOf(rule)}, given once`, got: `${texts.length} values` })
    } else {
      const value = parsedText(rule, texts[0] ?? '')
      if (value === undefined) refusals.push({ parameter, expected: expectationOf(rule), got: excerptOf(texts[0] ?? '') })
      else values[parameter] = value
    }
  }
  return { values, refusals }
}

/** The value of an undecoded text; undefined when it is invalid. */
function parsedText(rule: Parameter, raw: string): ParameterValue | undefined {
  const text = decodeFormComponent(raw)
  return text === null ? undefined : parseParameter(rule, text)
}

const excerptOf = (raw: string): string => excerpt(decodeFormComponent(raw) ?? raw)

/** The undecoded values of known parameters, by decoded name. */
export function rawParameters(isKnown: (name: string) => boolean, query: string): Map<string, string[]> {
  const given = new Map<string, string[]>()
  if (query === '') return given
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=')
    const name = decodeFormComponent(equals === -1 ? pair : pair.slice(0, equals))
    if (name === null || !isKnown(name)) continue
    const value = equals === -1 ? '' : pair.slice(equals + 1)
    const before = given.get(name)
    if (before) before.push(value)
    else given.set(name, [value])
  }
  return given
}

/**
 * Decodes application/x-www-form-urlencoded; null when the percent-encoding is invalid or not
 * UTF-8.
 */
export function decodeFormComponent(word: string): string | null {
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

/** A short form of a value for messages. */
function excerpt(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 60).toWellFormed()}… (${text.length} characters)`
}
