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

/** Changes to an argument of the contract. */
type Argument = {
  /** Replaces the description of the contract. */
  readonly description?: string
  /** Replaces the schema of the contract, or defines an additional argument. */
  readonly schema?: ContractSchema
  readonly isRequired?: true
}

export type ContractRow = {
  readonly name: string
  /** Operation of the REST contract, with its request body and response. */
  readonly operation: ContractOperation
  /** REST route of that operation, or a separate one with a larger selection. */
  readonly run: StoreRoute
  readonly title: string
  /** Description for the model: what it does, when to use it, and what the result means. */
  readonly description: string
  /**
   * Query parameters to offer, and changes to keys of the body, by name. Path parameters are always
   * offered.
   */
  readonly arguments?: Readonly<Record<string, Argument>>
  /** Annotations; required unless the operation is a GET. */
  readonly effect?: Effect
  /**
   * Keys of the body in the listed schema, with a replacement of their schema or `true`; absent:
   * all keys. Unlisted keys are accepted too.
   */
  readonly listed?: Readonly<Record<string, JsonSchema | true>>
  /** For a list: keys of its entries in each shorter form, longest form first. */
  readonly summaries?: readonly Summary[]
}

/**
 * A tool that runs an operation of the store's REST API with the same names and rules. Arguments
 * are its parameters and the keys of its body without the envelope. The result is the response,
 * shortened to MAX_ANSWER_BYTES.
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
        // Text only: result schemas would need ten times the bytes of the whole list of tools.
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

/** The listed JSON Schema, with only those keys of the body that a row lists. */
function withListed(schema: JsonSchema, keys: ReadonlySet<string>, listed: NonNullable<ContractRow['listed']>): JsonSchema {
  const { properties, ...rest } = schema
  // By JSON Schema `properties` maps names to schemas.
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
  // The row connects the document with `Data`; in a table of rows the type is lost.
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
 * The operation with the tool's arguments and a body without envelope. `offered`: the parameters
 * that the tool has.
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

/** No defaults for keys of a body: absent ones must stay unchanged. */
const optional = (schema: ContractSchema, isRequired: boolean): z.ZodType => {
  const value = argumentSchema(schema)
  return isRequired ? value : value.optional()
}

/** An argument as query parameters: a list repeats the name; absent arguments are left out. */
const textsOf = (name: string, input: Data): [string, string][] =>
  input[name] === undefined ? [] : [input[name]].flat().map((each) => [name, String(each)])
