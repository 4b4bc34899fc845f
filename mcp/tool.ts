import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { GraphQLSchema } from 'graphql'
import { z } from 'zod'
import type { GatewayClient } from '../gateway/client.ts'
import type { Caller } from '../platform/http/caller.ts'
import { snakeCase } from '../platform/text/case.ts'
import { toProblem } from '../rest-facade/http/error-masking.ts'
import { answerAt, answerSchema, expectedFailureIn } from './answer.ts'
import { type Spelling, variablesSchema } from './arguments.ts'
import type { JsonSchema } from './concise-schema.ts'
import { operationOf } from './names.ts'
import type { Bound } from './scalars.ts'

/** Side effects of a tool: MCP tool annotations. Hints for agents and users; not enforced. */
export type Effect = {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  /** Whether the tool contacts systems outside Atrium. */
  readonly openWorldHint: boolean
}

/** Reads data of Atrium. */
export const READS: Effect = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
/** Adds data on each call; never changes existing data. */
export const ADDS: Effect = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false }
/** Overwrites or deletes data; repeating the call has no further effect. */
export const REPLACES: Effect = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false }

/** Result of a call. A refusal's message is for the model: what was wrong, and what to try. */
export type ToolResult =
  | { readonly kind: 'answered'; readonly content: Readonly<Record<string, unknown>> }
  /** A result serialized already; `content`: the same value when it is an object. */
  | { readonly kind: 'written'; readonly text: string; readonly content: Readonly<Record<string, unknown>> | null }
  | {
      readonly kind: 'refused'
      readonly message: string
      /** The call may succeed with other credentials. */
      readonly needsCredentials?: boolean
      /** The call may succeed with a token that has this scope. */
      readonly needsScope?: string
      /** Cause of an internal failure, for the log. */
      readonly fault?: unknown
    }

/** Context of a call: the caller, and a signal aborted when the client disconnects. */
export type Call = { readonly caller: Caller; readonly signal: AbortSignal }

/** A prepared tool. */
export type Tool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: Effect
  /** Argument schema. Its messages complete "Expected `argument` to be …". */
  readonly accepts: z.ZodObject
  /** Listed JSON Schema of the arguments; absent: derived from `accepts`. */
  readonly inputSchema?: JsonSchema
  /** Result schema, which also converts to wire names. Null: the result is text only. */
  readonly returns: z.ZodType<Readonly<Record<string, unknown>>> | null
  /**
   * Executes a call with arguments parsed by `accepts`. Content of the result is parsed by
   * `returns`.
   */
  readonly answer: (input: Readonly<Record<string, unknown>>, call: Call) => Promise<ToolResult>
}

/** Dependencies for preparing tools. */
export type ToolGraph = {
  readonly client: GatewayClient
  /** API schema, against which documents of tools are validated. */
  readonly schema: GraphQLSchema
  readonly spelling: Spelling
}

/** Definition of a tool. `prepare` throws when its operation is invalid for the schema. */
export type ToolRow = { readonly name: string; readonly prepare: (graph: ToolGraph) => Promise<Tool> }

type OperationRow<Data, Variables> = {
  readonly run: TypedDocumentNode<Data, Variables>
  /** Tool name; default: the operation name in snake case. */
  readonly name?: string
  readonly title: string
  /** Description for the model: what it does, when to use it, and what the result means. */
  readonly description: string
  /** Constraints and descriptions by argument, where the schema has none or other readers. */
  readonly arguments?: { readonly [Name in keyof NoInfer<Variables>]?: Bound }
  /** Response keys from the root to the returned object. */
  readonly answer: readonly [string, ...string[]]
  /** Makes a long answer shorter, within its schema and `adds`; `input` as `accepts` made it. */
  readonly compact?: (
    content: Readonly<Record<string, unknown>>,
    input: Readonly<Record<string, unknown>>,
  ) => Readonly<Record<string, unknown>>
  /** Fields that `compact` adds to the answer. */
  readonly adds?: z.core.$ZodLooseShape
  /** Message when the object is null or absent: what to try instead. */
  readonly missing?: string
  /** Annotations; required for mutations. Default: read-only. */
  readonly effect?: Effect
  /** Custom arguments and result, with the conversion from and to those of the operation. */
  readonly form?: Form<NoInfer<Data>, NoInfer<Variables>>
}

/** Arguments and result that differ from those of the operation. */
export type Form<Data, Variables> = {
  readonly accepts: z.ZodObject
  readonly variables: (input: Readonly<Record<string, unknown>>) => Variables
  readonly returns: z.ZodType<Readonly<Record<string, unknown>>>
  readonly content: (data: Data, input: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
}

/**
 * A tool that runs one GraphQL operation: variables are its arguments, part of the selection is its
 * result.
 */
export function operationTool<Data, Variables extends Record<string, unknown>>(row: OperationRow<Data, Variables>): ToolRow {
  const operation = operationOf(row.run)
  const name = row.name ?? snakeCase(operation.name)
  const { form, compact, adds, missing = 'There is no such object.' } = row
  if (operation.kind !== 'query' && !row.effect)
    throw new Error(`Expected the row of ${name}, which is a ${operation.kind}, to have an effect.`)
  return {
    name,
    async prepare({ client, schema, spelling }) {
      // `prepare` reads no variables, so their type does not matter.
      await client.prepare(row.run as TypedDocumentNode<unknown, never>)
      return {
        name,
        title: row.title,
        description: row.description,
        annotations: row.effect ?? READS,
        accepts: form?.accepts ?? variablesSchema(row.run, schema, spelling, row.arguments ?? {}),
        returns: form?.returns ?? withFields(answerSchema(row.run, schema, spelling, row.answer), adds),
        async answer(input, { caller, signal }) {
          // The argument schema was derived from the variables, so the types agree.
          const variables = form ? form.variables(input) : (input as Variables)
          const { data, errors } = await client.run(row.run, variables, caller, signal)
          if (data === null || errors.length > 0) {
            const { problem, isInternal } = toProblem(errors, caller.requestId)
            const needsCredentials = problem.status === 401
            return { kind: 'refused', message: problem.message, needsCredentials, ...(isInternal && { fault: errors }) }
          }
          if (form) return { kind: 'answered', content: form.content(data, input) }
          const content = answerAt(data, row.answer)
          if (content !== null) return { kind: 'answered', content: compact?.(content, input) ?? content }
          return { kind: 'refused', message: expectedFailureIn(data, row.answer) ?? missing }
        },
      }
    },
  }
}

function withFields(
  answer: z.ZodType<Readonly<Record<string, unknown>>>,
  adds: z.core.$ZodLooseShape | undefined,
): z.ZodType<Readonly<Record<string, unknown>>> {
  if (!adds) return answer
  if (!(answer instanceof z.ZodObject)) throw new Error('Expected an answer with added fields to be of one type.')
  return answer.extend(adds)
}

type PlainRow<Accepts extends z.ZodObject> = Omit<Tool, 'accepts' | 'returns' | 'annotations' | 'answer'> & {
  readonly accepts: Accepts
  readonly returns: z.ZodType<Readonly<Record<string, unknown>>>
  readonly annotations?: Effect
  readonly answer: (input: z.output<Accepts>, call: Call) => Promise<ToolResult> | ToolResult
}

/** A tool that is not a GraphQL operation. */
export function plainTool<Accepts extends z.ZodObject>({ annotations = READS, answer, ...row }: PlainRow<Accepts>): ToolRow {
  return {
    name: row.name,
    prepare: async () => ({
      ...row,
      annotations,
      // `input` is the output of `accepts`.
      answer: async (input, call) => answer(input as z.output<Accepts>, call),
    }),
  }
}

/** Converts to JSON Schema without `$schema`: 2025 clients accept only their own dialect. */
export function jsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
): { readonly type: 'object'; readonly [keyword: string]: unknown } {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io })
  if (rest.type !== 'object') throw new Error(`Expected arguments and answers to be objects, got ${JSON.stringify(rest.type)}.`)
  // `type` was checked above; TypeScript does not narrow a rest object.
  return rest as { type: 'object' }
}
