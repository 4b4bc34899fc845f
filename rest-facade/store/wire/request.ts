import { getNullableType, isInputObjectType } from 'graphql'
import { keysOf } from '../../../platform/collections/keys-of.ts'
import { type LookupTable, lookupTable } from '../../../platform/collections/lookup-table.ts'
import type { RawRequest } from '../../http/endpoint.ts'
import type { ContractOperation, ContractParameter } from '../contract.ts'
import type { StoreRoute } from '../route.ts'
import { invalidRequest, notFound, type StoreFailure, type WireArgument } from './failure.ts'
import { readIdempotencyKey } from './idempotency.ts'
import { readExpectedVersion } from './if-match.ts'
import { fieldsOf, type InputField, type RequestFault } from './input.ts'
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
import { bodyReader } from './request-body.ts'
import type { ReadDocument } from './selection.ts'

/** Reads requests of one operation. */
export type RequestReader = {
  /** The body is bytes; anything else means there is none. */
  readonly read: (request: RawRequest) => ReadRequest | { readonly failure: StoreFailure }
  /** The request's name for a field that the graph rejects. */
  readonly wireField: (field: string) => string
  /** The request's name for the field `name` next to `field`; null where there is none. */
  readonly wireSibling: (field: string, name: string) => string | null
  readonly wireArgument: WireArgument
  /** Documented parameters and keys of the body that nothing reads. */
  readonly gaps: readonly string[]
}

/** Variables of the document, and the part of its list that is requested. */
export type ReadRequest = {
  readonly variables: Readonly<Record<string, unknown>>
  /** Absent where the whole list is returned. */
  readonly slice?: Slice
}

/** Request headers, by the variable or input field that they fill. */
const HEADERS = {
  idempotencyKey: { header: 'idempotency-key', read: readIdempotencyKey },
  expectedVersion: { header: 'if-match', read: readExpectedVersion },
} as const
/** Parameters whose names differ from those of the arguments they fill. */
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

/**
 * Compiles the reading of path, query, body and headers into variables. Throws for a variable that
 * nothing fills.
 */
export function requestReader(route: StoreRoute, operation: ContractOperation, { variables }: ReadDocument): RequestReader {
  const inputType = variables.get('input')
  const inputObject = inputType && getNullableType(inputType.type)
  const inputFields: ReadonlyMap<string, InputField> = isInputObjectType(inputObject) ? fieldsOf(inputObject) : new Map()
  const parameters = operation.parameters.filter((parameter) => parameter.in !== 'header')
  const bindings = bindingsOf(parameters, variables)
  const inputBindings = inputBindingsOf(parameters, inputFields, route.input)
  const bound = new Set(bindings.map(({ variable }) => variable))

  const unbound = [...variables].filter(([name]) => !bound.has(name) && !isHeaderVariable(name))
  // Parameters of the query may stand in the body instead.
  const inQuery = parameters.filter((parameter) => parameter.in === 'query').map(variableOf)
  const alternative = [...variables].filter(([name]) => bound.has(name) && inQuery.includes(name))
  const optional = alternative.map(([name, field]) => [name, { ...field, isRequired: false }] as const)
  const isGiven = (field: string) => isHeaderVariable(field) || Object.hasOwn(route.input, field)
  const body = operation.body && bodyReader(operation.body, new Map([...unbound, ...optional]), isGiven)
  const unfilled = unbound.filter(([name, { isRequired }]) => isRequired && !(body && (name === 'input' || !inputType)))
  if (unfilled.length > 0 && !route.variables)
    throw new Error(`nothing fills ${unfilled.map(([name]) => `$${name}`).join(', ')}.`)

  const readParameters = parameterReader(parameters)
  const sliceOf = slicing(parameters)
  // Object.keys types its result as strings; the keys are those of the table above.
  const fromHeaders = keysOf(HEADERS).flatMap((name) => {
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
        fromHeaders.map(({ name }) => HEADERS[name].header),
      ),
      ...(body?.gaps ?? []),
    ],
    read(request) {
      const faults: RequestFault[] = []
      const given = readParameters(request.path, request.query, faults)
      if ('missing' in given) return { failure: notFound(given.missing) }
      const values: Record<string, unknown> = body ? { ...body.read(request.body, faults) } : {}
      // The body reader returns an object for `$input`, or nothing.
      const input: Record<string, unknown> = { ...(values.input as object | undefined) }
      for (const { name, isField } of fromHeaders) {
        const value = HEADERS[name].read(request.headers[HEADERS[name].header], faults)
        if (value !== undefined) (isField ? input : values)[name] = value
      }
      fill(values, bindings, given, faults)
      fill(input, inputBindings, given, faults)
      if (faults.length > 0) return { failure: invalidRequest(faults) }
      if (isInputObjectType(inputObject)) values.input = input
      return {
        variables: route.variables ? { ...values, ...route.variables(given) } : values,
        ...(sliceOf && { slice: sliceOf(given) }),
      }
    },
  }
}

type Variables = ReadDocument['variables']

const bindingsOf = (parameters: readonly ContractParameter[], variables: Variables): readonly Binding[] => [
  ...parameters.flatMap((parameter) => {
    const name = variableOf(parameter)
    const variable = variables.get(name)
    return variable ? [binding(name, variable.type, parameter)] : []
  }),
  ...pageBindings(variables, parameters),
]

/** Binds the input fields that a row fills from parameters. */
const inputBindingsOf = (
  parameters: readonly ContractParameter[],
  fields: ReadonlyMap<string, InputField>,
  wanted: StoreRoute['input'],
): readonly Binding[] =>
  Object.entries(wanted).map(([field, name]) => {
    const known = fields.get(field)
    const parameter = parameters.find((each) => each.name === name)
    if (!known || !parameter) throw new Error(`$input has no field "${field}", or there is no parameter "${name}".`)
    return binding(field, known.type, parameter)
  })

/** Parameters that neither a variable nor the row uses. */
function unreadParameters(
  { input, variables }: StoreRoute,
  parameters: readonly ContractParameter[],
  bound: ReadonlySet<string>,
): string[] {
  if (variables) return []
  const isPaged = bound.has('first') || slicing(parameters) !== null
  const read = new Set([...Object.values(input), ...(isPaged ? ['limit', 'page'] : [])])
  return parameters
    .filter((parameter) => !bound.has(variableOf(parameter)) && !read.has(parameter.name))
    .map(({ name }) => `parameter ${name}`)
}

/** Documented headers that nothing reads. */
const unreadHeaders = ({ parameters }: ContractOperation, read: readonly string[]): string[] =>
  parameters
    .filter((parameter) => parameter.in === 'header' && !read.includes(parameter.name.toLowerCase()))
    .map(({ name }) => `header ${name}`)

function fill(
  values: Record<string, unknown>,
  bindings: readonly Binding[],
  parameters: Parameters,
  faults: RequestFault[],
): void {
  for (const { variable, read } of bindings) {
    const value = read(parameters, faults)
    if (value !== undefined) values[variable] = value
  }
}
