import { type GraphQLInputType, getNullableType, isLeafType, isListType } from 'graphql'
import { camelCase, snakeCaseWords } from '../../../platform/text/case.ts'
import { excerptOf } from '../../http/excerpt.ts'
import { decodeFormComponent, rawParameters } from '../../http/parameters.ts'
import type { ContractParameter, ContractSchema } from '../contract.ts'
import type { RequestFault } from './input.ts'
import { type ScalarReader, scalarReader } from './scalars.ts'

/** A parameter's value by its schema; null where it is absent and has no default. */
export type WireValue = string | number | boolean | readonly (string | number | boolean)[] | null

/** Parsed parameters of a request. */
export type Parameters = {
  readonly path: Readonly<Record<string, WireValue>>
  readonly query: Readonly<Record<string, WireValue>>
}

/** A path parameter is invalid, so the path names nothing; says why. */
export type NoSuchPath = { readonly missing: string }

/** Longest text, and most values of a list, where the contract sets no bound. */
const DEFAULT_MAX = 500
// C0 and DEL: in no name, code or search text.
const CONTROL = /\p{Cc}/u
const DIGITS = /^(?:0|[1-9]\d{0,9})$/
/** Largest Int of GraphQL: 32 bits. */
const MAX_INT = 2_147_483_647

/**
 * Compiles the reading of an operation's parameters by the contract. Unknown names are ignored:
 * clients add tracking parameters.
 */
export function parameterReader(
  parameters: readonly ContractParameter[],
): (path: Readonly<Record<string, string>>, query: string, faults: RequestFault[]) => Parameters | NoSuchPath {
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  const names = new Set(inQuery.map(({ name }) => name))

  return (givenPath, givenQuery, faults) => {
    const path: Record<string, WireValue> = {}
    for (const { name, schema } of inPath) {
      const text = givenPath[name] ?? ''
      const value = read(schema, text)
      if (value === undefined) return { missing: `Expected \`${name}\` to be ${expectationOf(schema)}, got ${excerpt(text)}.` }
      path[name] = value
    }

    const query: Record<string, WireValue> = {}
    const given = rawParameters((name) => names.has(name), givenQuery)
    for (const { name, schema, required } of inQuery) {
      const texts = given.get(name)?.filter((text) => schema.type !== 'array' || text !== '') ?? []
      if (texts.length === 0) {
        if (required) faults.push({ field: name, message: `Expected \`${name}\` to be ${expectationOf(schema)}, got nothing.` })
        // A default of the contract has the type of its schema: a test holds the contract against
        // OpenAPI.
        query[name] = (schema.default as WireValue | undefined) ?? null
        continue
      }
      const value = readAll(schema, texts.map(decodeFormComponent))
      if (value === undefined) {
        const got = excerpt(texts.map((text) => decodeFormComponent(text) ?? text).join(', '))
        faults.push({ field: name, message: `Expected \`${name}\` to be ${expectationOf(schema)}, got ${got}.` })
      } else {
        query[name] = value
      }
    }
    return { path, query }
  }
}

function readAll(schema: ContractSchema, texts: readonly (string | null)[]): WireValue | undefined {
  if (texts.includes(null)) return undefined
  if (schema.type !== 'array') return texts.length === 1 ? read(schema, texts[0] ?? '') : undefined
  const { items = {}, maxItems = DEFAULT_MAX } = schema
  const values = texts
    .flatMap((text) => (text ?? '').split(','))
    .filter((text) => text.trim() !== '')
    .map((text) => read(items, text.trim()))
  return values.length <= maxItems && values.every((value) => value !== undefined) ? values : undefined
}

/**
 * Parses a value by its schema; undefined when it is invalid. More than the maximum is the maximum:
 * clients request "all" that way.
 */
function read(schema: ContractSchema, text: string): string | number | boolean | undefined {
  switch (schema.type) {
    case 'integer': {
      const value = DIGITS.test(text) ? Number(text) : Number.NaN
      const { minimum = 0, maximum = MAX_INT } = schema
      if (Number.isNaN(value) && /^[1-9]\d{10,20}$/.test(text) && schema.maximum !== undefined) return maximum
      if (!(value >= minimum)) return undefined
      return value <= maximum ? value : schema.maximum
    }
    case 'boolean':
      return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : undefined
    default: {
      if (schema.enum) return schema.enum.find((value) => isSameValue(String(value), text))
      if (schema.format === 'date') return isDay(text) ? text : undefined
      return text.length <= (schema.maxLength ?? DEFAULT_MAX) && !CONTROL.test(text) ? text : undefined
    }
  }
}

function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** `Pending Payment` and `pending_payment` are the same value: both are in use. */
const isSameValue = (value: string, text: string): boolean => snakeCaseWords(value) === snakeCaseWords(text)

function expectationOf(schema: ContractSchema): string {
  switch (schema.type) {
    case 'integer':
      return `a whole number from ${schema.minimum ?? 0}`
    case 'boolean':
      return 'true or false'
    case 'array':
      return `at most ${schema.maxItems ?? DEFAULT_MAX} values with commas between them, each ${expectationOf(schema.items ?? {})}`
    default:
      if (schema.format === 'date') return 'a day of the calendar as YYYY-MM-DD'
      return schema.enum ? `one of ${schema.enum.join(', ')}` : `a text of at most ${schema.maxLength ?? DEFAULT_MAX} characters`
  }
}

const excerpt = (text: string): string => JSON.stringify(excerptOf(text))

/** How one variable, or one field of the input, is filled from the parameters. */
export type Binding = {
  readonly variable: string
  /** Undefined leaves the variable unset: the parameter is absent, or a fault was noted. */
  readonly read: (parameters: Parameters, faults: RequestFault[]) => unknown
}

/** Fills a variable of `type` from a parameter. */
export function binding(variable: string, type: GraphQLInputType, { name, in: location, schema }: ContractParameter): Binding {
  const { read: convert, expectation } = conversion(type, schema)
  return {
    variable,
    read(parameters, faults) {
      const value = parameters[location === 'path' ? 'path' : 'query'][name] ?? null
      if (value === null) return undefined
      const converted = convert(value)
      if (converted === undefined) {
        const got = excerpt(Array.isArray(value) ? value.join(',') : String(value))
        faults.push({ field: name, message: `Expected \`${name}\` to be ${expectation}, got ${got}.` })
      }
      return converted
    },
  }
}

/** The requested part of a list: indices, `to` excluded. */
export type Slice = { readonly from: number; readonly to: number }

/**
 * Computes the page of a list that the graph returns whole: where the contract's `limit` has no
 * default, the response without one is the whole list. Null where the graph paginates, or the
 * operation has no pages.
 */
export function slicing(parameters: readonly ContractParameter[]): ((given: Parameters) => Slice) | null {
  const inQuery = (wanted: string) => parameters.find(({ name, in: location }) => name === wanted && location === 'query')
  const limit = inQuery('limit')
  if (!limit || !inQuery('page') || limit.schema.default !== undefined) return null
  return ({ query }) => {
    const size = typeof query.limit === 'number' ? query.limit : MAX_INT
    const from = (Number(query.page) - 1) * size
    return { from, to: from + size }
  }
}

/**
 * Fills `$first` and `$offset` from `limit` and `page`. Throws where the contract does not have
 * these.
 */
export function pageBindings(
  variables: ReadonlyMap<string, unknown>,
  parameters: readonly ContractParameter[],
): readonly Binding[] {
  if (!variables.has('first')) return []
  const isPaged = ['limit', 'page'].every((wanted) => parameters.some(({ name }) => name === wanted))
  if (!isPaged || !variables.has('offset'))
    throw new Error('pages need $first and $offset, and `limit` and `page` in the contract.')
  const limitOf = ({ query }: Parameters): number => Number(query.limit)
  return [
    { variable: 'first', read: limitOf },
    {
      variable: 'offset',
      // Beyond the end of any list, and still an Int.
      read: (given) => Math.min(MAX_INT, (Number(given.query.page) - 1) * limitOf(given)),
    },
  ]
}

/**
 * The variable that a parameter fills by its name: `pageTitle` for `page_title`, `statusFilters`
 * for `status_filters[]`.
 */
export const variableOf = ({ name }: ContractParameter): string => camelCase(name.replace(/\[\]$/, ''))

function conversion(outer: GraphQLInputType, schema: ContractSchema): ScalarReader {
  const type = getNullableType(outer)
  if (isListType(type)) {
    const { read, expectation } = conversion(type.ofType, schema.items ?? schema)
    return {
      expectation: `values with commas between them, each ${expectation}`,
      read(value) {
        const items = (Array.isArray(value) ? value : [value]).map(read)
        return items.includes(undefined) ? undefined : items
      },
    }
  }
  if (!isLeafType(type)) throw new Error('a variable for a parameter must be one that a text can fill.')
  const reader = scalarReader(type, schema)
  if (type.name !== 'String') return reader
  return { ...reader, read: (value) => (Array.isArray(value) ? value.join(',') : String(value)) }
}
