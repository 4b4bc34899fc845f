import type { z } from 'zod'
import type { GatewayClient } from '../../gateway/client.ts'
import { type CompiledRoute, compileRoute } from '../../rest-facade/store/compiled-route.ts'
import {
  type ContractOperation,
  type ContractParameter,
  type ContractSchema,
  envelopeOf,
} from '../../rest-facade/store/contract.ts'
import { callerWithGrants, withoutNulls } from '../../rest-facade/store/granted-scopes.ts'
import type { StoreRoute } from '../../rest-facade/store/route.ts'
import { requiredScope, toFailure } from '../../rest-facade/store/wire/failure.ts'
import { argumentsOf } from '../arguments.ts'
import { conciseSchema, type JsonSchema } from '../concise-schema.ts'
import { type Call, type Effect, jsonSchema, READS, type ToolResult, type ToolRow } from '../tool.ts'
import { fitAnswer, type Summary } from './fit-answer.ts'
import { argumentSchema } from './wire-schema.ts'

/** What a row says of an argument. */
type Argument = {
  /** In place of what the contract says. */
  readonly description?: string
  /** In place of the contract's, or for an argument that the contract does not have. */
  readonly schema?: ContractSchema
  readonly isRequired?: true
}

export type ContractRow = {
  readonly name: string
  /** The operation of the REST contract whose body it takes and whose answer it gives. */
  readonly operation: ContractOperation
  /** REST's row of that operation, or one of the tool's own where it asks for more. */
  readonly run: StoreRoute
  readonly title: string
  /** For the model: what it does, when to use it, and what the answer means. */
  readonly description: string
  /**
   * Arguments by name: parameters of the query that the tool has, and keys of the body of which
   * there is more to say. Those of the path it has anyway.
   */
  readonly arguments?: Readonly<Record<string, Argument>>
  /** Needed for what writes; the rest reads. */
  readonly effect?: Effect
  /**
   * Keys of the body that are listed, and what is said of them in place of their schema; absent:
   * all of them. Others are read as well.
   */
  readonly listed?: Readonly<Record<string, JsonSchema | true>>
  /** Of a list: the keys of its entries, from the most to the fewest. */
  readonly summaries?: readonly Summary[]
}

/**
 * A tool that is an operation of the store's REST API: the same names, words and rules, and the
 * same answer without what is empty, in a few kB. Arguments are parameters, and keys of the body
 * without the envelope around them.
 */
export function contractTool({ name, title, description, run, listed, summaries, ...row }: ContractRow): ToolRow {
  if (row.operation.method !== 'GET' && !row.effect)
    throw new Error(`Expected the row of ${name}, which writes, to have an effect.`)
  const { operation, offered } = withArguments(row.operation, row.arguments ?? {})
  const { body } = operation
  const [inPath, inQuery] = (['path', 'query'] as const).map((place) => offered.filter((each) => each.in === place))
  const isParameter = (key: string): boolean => offered.some((parameter) => parameter.name === key)
  const keys = Object.entries(body?.schema.properties ?? {}).filter(([key]) => !isParameter(key))
  const { required = [] } = body?.schema ?? {}

  return {
    name,
    async prepare({ client, schema }) {
      await client.prepare(run.run)
      const { read, write, wireArgument } = compileRoute(run, operation, schema)
      const accepts = argumentsOf(
        Object.fromEntries([
          ...offered.map((parameter) => [parameter.name, parameterSchema(parameter)]),
          ...keys.map(([key, each]) => [key, optional(each, required.includes(key))]),
        ]),
      )
      const inputSchema = conciseSchema(jsonSchema(accepts, 'input'))
      return {
        name,
        title,
        description,
        annotations: row.effect ?? READS,
        accepts,
        inputSchema: listed ? withListed(inputSchema, new Set(keys.map(([key]) => key)), listed) : inputSchema,
        // Schemas of answers would take ten times the bytes of all the rest.
        returns: null,
        async answer(input, call) {
          const request = read({
            path: Object.fromEntries((inPath ?? []).map((parameter) => [parameter.name, String(input[parameter.name])])),
            query: new URLSearchParams((inQuery ?? []).flatMap((parameter) => textsOf(parameter.name, input))).toString(),
            headers: {},
            body: Buffer.from(JSON.stringify(Object.fromEntries(keys.map(([key]) => [key, input[key]])))),
          })
          if ('failure' in request) return { kind: 'refused', message: request.failure.message }
          const result = await runContract({ client, run, wireArgument, operation: row.operation }, request.variables, call)
          if ('kind' in result) return result
          const response = write(result.data, request.slice)
          if ('failure' in response) return { kind: 'refused', message: response.failure.message }
          const fitted = fitAnswer(JSON.parse(response.text ?? 'null'), summaries)
          return { kind: 'written', text: JSON.stringify(fitted), content: isContent(fitted) ? fitted : null }
        },
      }
    },
  }
}

type Data = Readonly<Record<string, unknown>>

const isContent = (value: unknown): value is Data => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The schema of arguments with only those keys of the body that a row lists. */
function withListed(schema: JsonSchema, keys: ReadonlySet<string>, listed: NonNullable<ContractRow['listed']>): JsonSchema {
  const { properties, ...rest } = schema
  // JSON Schema: `properties` is an object of schemas.
  const entries = Object.entries(properties as Readonly<Record<string, JsonSchema>>).flatMap(([name, each]) => {
    const own = Object.hasOwn(listed, name) ? listed[name] : undefined
    if (keys.has(name) && own === undefined) return []
    return [[name, own === undefined || own === true ? each : own] as const]
  })
  return { ...rest, properties: Object.fromEntries(entries) }
}

type ContractCall = { readonly client: GatewayClient; readonly run: StoreRoute } & Pick<
  CompiledRoute,
  'wireArgument' | 'operation'
>

async function runContract(
  { client, run: { run }, wireArgument, operation }: ContractCall,
  variables: Data,
  { caller, signal }: Call,
): Promise<ToolResult | { readonly data: Data }> {
  type Run = typeof client.run<Data, Record<string, unknown>>
  const graphCaller = callerWithGrants(caller, operation)
  // The row ties the document to `Data`; a table of rows forgets it.
  const result = await client.run<Data, Record<string, unknown>>(run as Parameters<Run>[0], variables, graphCaller, signal)
  const { data } = result
  const errors = withoutNulls(result.errors, operation)
  if (data !== null && errors.length === 0) return { data }
  const { failure, isInternal } = toFailure(errors, caller.requestId, null, wireArgument)
  const [needsCredentials, needsScope] = [failure.status === 401, requiredScope(errors)]
  const refused = { kind: 'refused', message: failure.message, needsCredentials } as const
  return { ...refused, ...(needsScope !== undefined && { needsScope }), ...(isInternal && { fault: errors }) }
}

/**
 * The operation as the tool speaks of it: with its words about arguments, and a body that has no
 * envelope. `offered` are the parameters that the tool has.
 */
function withArguments(operation: ContractOperation, rowArguments: Readonly<Record<string, Argument>>) {
  const body = operation.body && withoutEnvelope(operation.body.schema)
  const { properties = {}, required = [] } = body ?? {}
  const contractParameters = operation.parameters.map((parameter) => ({
    ...parameter,
    ...wordsOn(parameter, rowArguments[parameter.name]),
  }))
  const isInContract = (name: string): boolean =>
    Object.hasOwn(properties, name) || contractParameters.some((parameter) => parameter.name === name)
  const own = Object.entries(rowArguments).flatMap(([name, argument]): ContractParameter[] =>
    isInContract(name) ? [] : [{ name, in: 'query', ...wordsOn({ schema: {} }, argument) }],
  )
  const parameters = [...contractParameters, ...own]
  const schema: ContractSchema | null = body && {
    ...body,
    properties: Object.fromEntries(
      Object.entries(properties).map(([key, property]) => {
        const { description, schema } = rowArguments[key] ?? {}
        return [key, { ...property, ...schema, ...(description !== undefined && { description }) }]
      }),
    ),
    required: [...required, ...Object.keys(properties).filter((key) => rowArguments[key]?.isRequired)],
  }
  return {
    operation: { ...operation, parameters, body: schema && { schema, isRequired: true } } satisfies ContractOperation,
    offered: parameters.filter((each) => each.in === 'path' || (each.in === 'query' && Object.hasOwn(rowArguments, each.name))),
  }
}

const wordsOn = ({ schema, description, required }: Omit<ContractParameter, 'name' | 'in'>, argument: Argument = {}) => ({
  required: argument.isRequired ?? required ?? false,
  schema: { ...schema, ...argument.schema, description: argument.description ?? description ?? '' },
})

function withoutEnvelope(schema: ContractSchema): ContractSchema {
  const envelope = envelopeOf(schema)
  return (envelope === null ? undefined : schema.properties?.[envelope]) ?? schema
}

function parameterSchema({ schema, required = false }: ContractParameter): z.ZodType {
  return schema.default === undefined ? optional(schema, required) : argumentSchema(schema).default(schema.default)
}

/** Keys of a body have no defaults here: what is absent stays as it is. */
const optional = (schema: ContractSchema, isRequired: boolean): z.ZodType => {
  const value = argumentSchema(schema)
  return isRequired ? value : value.optional()
}

/**
 * An argument as texts of a query: a list is its name again and again; what is absent is not there.
 */
const textsOf = (name: string, input: Data): [string, string][] =>
  input[name] === undefined ? [] : [input[name]].flat().map((each) => [name, String(each)])
