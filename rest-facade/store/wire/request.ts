import { getNullableType, isInputObjectType } from 'graphql'
import { type LookupTable, lookupTable } from '../../../platform/collections/lookup-table.ts'
import type { Operation, Parameter } from '../contract.ts'
import type { Route } from '../route.ts'
import { bodyReader } from './body.ts'
import { type Failure, faulty, missing } from './failure.ts'
import { type Fault, fieldsOf, type InputField } from './input.ts'
import {
  type Binding,
  binding,
  type Parameters,
  pageBindings,
  parameterReader,
  type Slice,
  slicing,
  variableOf,
} from './parameters.ts'
import type { ReadDocument } from './selection.ts'

/** What a request says, before anything of it is read. */
export type Given = {
  readonly path: Readonly<Record<string, string>>
  /** The undecoded text behind the question mark. */
  readonly query: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Bytes of the body; anything else is none. */
  readonly body: unknown
}

/** Reads requests of one operation. */
export type RequestReader = {
  /** Variables of the document, and which part of the answer is asked for; or why there are none. */
  readonly read: (given: Given) => Read | { readonly failure: Failure }
  /** How the wire spells a field that the graph complains about. */
  readonly wireField: (field: string) => string
  /** How the wire spells another field beside that one; null where there is none of that name. */
  readonly wireSibling: (field: string, name: string) => string | null
  /** Which parameter, or key of the body, became an argument that the graph refuses; null where none did. */
  readonly wireArgument: (argument: string) => string | null
  /** Parameters and keys of the body that the contract documents and nothing reads. */
  readonly gaps: readonly string[]
}

type Read = {
  readonly variables: Readonly<Record<string, unknown>>
  /** Absent: what the graph gives is answered. */
  readonly slice?: Slice
}

/** Headers that go into the graph, by the variable or field of the input that they fill. */
const HEADERS = { idempotencyKey: 'idempotency-key', expectedVersion: 'if-match' } as const
/** Arguments that are parameters of other names. */
const RENAMED: LookupTable<string> = lookupTable({
  first: 'limit',
  offset: 'page',
  search: 'query',
  afterId: 'id',
  categoryIds: 'categories',
  firstDay: 'initialDate',
  lastDay: 'finalDate',
})
type HeaderVariable = keyof typeof HEADERS
const isHeaderVariable = (name: string): name is HeaderVariable => Object.hasOwn(HEADERS, name)

/** Compiles the reading of path, query, body and headers into variables. Throws for a variable that nothing fills. */
export function requestReader(route: Route, operation: Operation, { variables }: ReadDocument): RequestReader {
  const inputType = variables.get('input')
  const inputObject = inputType && getNullableType(inputType.type)
  const inputFields: ReadonlyMap<string, InputField> = isInputObjectType(inputObject) ? fieldsOf(inputObject) : new Map()
  const parameters = operation.parameters.filter((parameter) => parameter.in !== 'header')
  const bindings = bindingsOf(parameters, variables)
  const inputBindings = inputBindingsOf(parameters, inputFields, route.input)
  const bound = new Set(bindings.map(({ variable }) => variable))

  const left = [...variables].filter(([name]) => !bound.has(name) && !isHeaderVariable(name))
  // What the query may say, the body may say as well.
  const inQuery = parameters.filter((parameter) => parameter.in === 'query').map(variableOf)
  const further = [...variables].filter(([name]) => bound.has(name) && inQuery.includes(name))
  const optional = further.map(([name, field]) => [name, { ...field, isRequired: false }] as const)
  const isGiven = (field: string) => isHeaderVariable(field) || Object.hasOwn(route.input, field)
  const body = operation.body && bodyReader(operation.body, new Map([...left, ...optional]), isGiven)
  const unfilled = left.filter(([name, { isRequired }]) => isRequired && !(body && (name === 'input' || !inputType)))
  if (unfilled.length > 0 && !route.variables)
    throw new Error(`nothing fills ${unfilled.map(([name]) => `$${name}`).join(', ')}.`)

  const readParameters = parameterReader(parameters)
  const sliceOf = slicing(parameters)
  const fromHeaders = (Object.keys(HEADERS) as HeaderVariable[]).flatMap((name) => {
    const isField = inputFields.has(name)
    return isField || variables.has(name) ? [{ name, isField }] : []
  })

  return {
    wireField: (field: string): string => body?.wireField(field) ?? field,
    wireSibling: (field, name) => body?.wireSibling(field, name) ?? null,
    wireArgument(argument) {
      if (argument.startsWith('input.')) return body?.wireField(argument) ?? null
      const name = argument.split('.').at(-1) ?? argument
      const wanted = RENAMED[name] ?? name
      return parameters.find((parameter) => variableOf(parameter) === wanted)?.name ?? null
    },
    gaps: [
      ...unreadParameters(route, parameters, bound),
      ...unreadHeaders(
        operation,
        fromHeaders.map(({ name }) => HEADERS[name]),
      ),
      ...(body?.gaps ?? []),
    ],
    read(given) {
      const faults: Fault[] = []
      const said = readParameters(given.path, given.query, faults)
      if ('missing' in said) return { failure: missing(said.missing) }
      const values: Record<string, unknown> = body ? { ...body.read(given.body, faults) } : {}
      const input: Record<string, unknown> = { ...(values.input as object | undefined) }
      for (const { name, isField } of fromHeaders) {
        const value = headerValue(name, given.headers[HEADERS[name]], faults)
        if (value !== undefined) (isField ? input : values)[name] = value
      }
      fill(values, bindings, said, faults)
      fill(input, inputBindings, said, faults)
      if (faults.length > 0) return { failure: faulty(faults) }
      if (isInputObjectType(inputObject)) values.input = input
      return {
        variables: route.variables ? { ...values, ...route.variables(said) } : values,
        ...(sliceOf && { slice: sliceOf(said) }),
      }
    },
  }
}

type Variables = ReadDocument['variables']

const bindingsOf = (parameters: readonly Parameter[], variables: Variables): readonly Binding[] => [
  ...parameters.flatMap((parameter) => {
    const name = variableOf(parameter)
    const variable = variables.get(name)
    return variable ? [binding(name, variable.type, parameter)] : []
  }),
  ...pageBindings(variables, parameters),
]

/** What a row says of its input: which parameter fills which field. */
const inputBindingsOf = (
  parameters: readonly Parameter[],
  fields: ReadonlyMap<string, InputField>,
  wanted: Route['input'],
): readonly Binding[] =>
  Object.entries(wanted).map(([field, name]) => {
    const known = fields.get(field)
    const parameter = parameters.find((each) => each.name === name)
    if (!known || !parameter) throw new Error(`$input has no field "${field}", or there is no parameter "${name}".`)
    return binding(field, known.type, parameter)
  })

/** Parameters that neither a variable nor the row asks for. */
function unreadParameters({ input, variables }: Route, parameters: readonly Parameter[], bound: ReadonlySet<string>): string[] {
  if (variables) return []
  const isPaged = bound.has('first') || slicing(parameters) !== null
  const read = new Set([...Object.values(input), ...(isPaged ? ['limit', 'page'] : [])])
  return parameters
    .filter((parameter) => !bound.has(variableOf(parameter)) && !read.has(parameter.name))
    .map(({ name }) => `parameter ${name}`)
}

/** Headers that the contract documents and nothing reads. */
const unreadHeaders = ({ parameters }: Operation, read: readonly string[]): string[] =>
  parameters
    .filter((parameter) => parameter.in === 'header' && !read.includes(parameter.name.toLowerCase()))
    .map(({ name }) => `header ${name}`)

function fill(values: Record<string, unknown>, bindings: readonly Binding[], parameters: Parameters, faults: Fault[]): void {
  for (const { variable, read } of bindings) {
    const value = read(parameters, faults)
    if (value !== undefined) values[variable] = value
  }
}

/** A quoted version, weak or strong; `*` asks for no version. */
const TAG = /^(?:W\/)?"?(\d{1,9})"?$/

function headerValue(name: HeaderVariable, given: string | string[] | undefined, faults: Fault[]): string | number | undefined {
  if (typeof given !== 'string') return undefined
  if (name === 'idempotencyKey') {
    if (/^[\x20-\x7e]{1,255}$/.test(given)) return given
    faults.push({ field: 'Idempotency-Key', message: 'Expected `Idempotency-Key` to be 1 to 255 characters of ASCII.' })
    return undefined
  }
  if (given === '*') return undefined
  const version = TAG.exec(given)?.[1]
  if (version !== undefined) return Number(version)
  faults.push({ field: 'If-Match', message: 'Expected `If-Match` to be a version in quotes, such as "3".' })
  return undefined
}
