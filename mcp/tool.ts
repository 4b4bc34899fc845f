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

/**
 * What a tool does to the world, in the words of the protocol. Hints for people and agents; nothing
 * is enforced by them.
 */
export type Effect = {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  /** Whether things outside of Atrium are asked or changed. */
  readonly openWorldHint: boolean
}

/** Looks things up in what Atrium has. */
export const READS: Effect = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
/** Adds something each time it is called, and leaves what there was. */
export const ADDS: Effect = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false }
/** Writes over something, or takes it away; the same call again changes nothing more. */
export const REPLACES: Effect = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false }

/**
 * What came of a call. A refusal is for the model that called: it says what is wrong and what to
 * try.
 */
export type ToolResult =
  | { readonly kind: 'answered'; readonly content: Readonly<Record<string, unknown>> }
  /** An answer that is JSON already; `content`: the same, where it is an object. */
  | { readonly kind: 'written'; readonly text: string; readonly content: Readonly<Record<string, unknown>> | null }
  | {
      readonly kind: 'refused'
      readonly message: string
      /** What a caller with other credentials would not be told. */
      readonly needsCredentials?: boolean
      /** What a token with this scope would not be told. */
      readonly needsScope?: string
      /** For the log: why it is no fault of the call. */
      readonly fault?: unknown
    }

/** Who calls, and until when an answer is of use. */
export type Call = { readonly caller: Caller; readonly signal: AbortSignal }

/** A tool that is ready to be called. */
export type Tool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: Effect
  /** Its messages complete the sentence "Expected `argument` to be …". */
  readonly accepts: z.ZodObject
  /** JSON Schema of the arguments as it is listed; absent: that of `accepts`. */
  readonly inputSchema?: JsonSchema
  /**
   * What an answer is; also spells it for the wire. Null where it is no object: then it is told as
   * text only.
   */
  readonly returns: z.ZodType<Readonly<Record<string, unknown>>> | null
  /**
   * Takes what `accepts` made of the arguments. The content of its answer goes through `returns`.
   */
  readonly answer: (input: Readonly<Record<string, unknown>>, call: Call) => Promise<ToolResult>
}

/** What tools are made ready with. */
export type ToolGraph = {
  readonly client: GatewayClient
  /** What clients of the graph see; documents of tools are read by it. */
  readonly schema: GraphQLSchema
  readonly spelling: Spelling
}

/**
 * A row of a server: a tool before it knows the graph. `prepare` throws when the graph cannot
 * answer it.
 */
export type ToolRow = { readonly name: string; readonly prepare: (graph: ToolGraph) => Promise<Tool> }

type OperationRow<Data, Variables> = {
  readonly run: TypedDocumentNode<Data, Variables>
  /** Name of the tool; absent where it is that of the operation in snake case. */
  readonly name?: string
  readonly title: string
  /** For the model: what it does, when to use it, and what the answer means. */
  readonly description: string
  /** By argument: what the schema of the graph does not say, or says for other readers. */
  readonly arguments?: { readonly [Name in keyof NoInfer<Variables>]?: Bound }
  /** Response keys from the root to the object that is the answer. */
  readonly answer: readonly [string, ...string[]]
  /** Makes a long answer shorter, within its schema. */
  readonly compact?: (content: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
  /** Said when that object is null or absent: what to try instead. */
  readonly missing?: string
  /** Needed for mutations; queries read. */
  readonly effect?: Effect
  /**
   * Where arguments or answer are not those of the operation: a form of their own, and the way
   * there.
   */
  readonly form?: Form<NoInfer<Data>, NoInfer<Variables>>
}

/** Arguments and answer of a tool that does more than its operation says. */
export type Form<Data, Variables> = {
  readonly accepts: z.ZodObject
  readonly variables: (input: Readonly<Record<string, unknown>>) => Variables
  readonly returns: z.ZodType<Readonly<Record<string, unknown>>>
  readonly content: (data: Data, input: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
}

/**
 * A tool that is one operation of the graph: arguments are its variables, the answer is a part of
 * its selection.
 */
export function operationTool<Data, Variables extends Record<string, unknown>>(row: OperationRow<Data, Variables>): ToolRow {
  const operation = operationOf(row.run)
  const name = row.name ?? snakeCase(operation.name)
  const { form, compact, missing = 'There is no such object.' } = row
  if (operation.kind !== 'query' && !row.effect)
    throw new Error(`Expected the row of ${name}, which is a ${operation.kind}, to have an effect.`)
  return {
    name,
    async prepare({ client, schema, spelling }) {
      // Preparing reads no variables.
      await client.prepare(row.run as TypedDocumentNode<unknown, never>)
      return {
        name,
        title: row.title,
        description: row.description,
        annotations: row.effect ?? READS,
        accepts: form?.accepts ?? variablesSchema(row.run, schema, spelling, row.arguments ?? {}),
        returns: form?.returns ?? answerSchema(row.run, schema, spelling, row.answer),
        async answer(input, { caller, signal }) {
          // The schema of the arguments was made from the variables.
          const variables = form ? form.variables(input) : (input as Variables)
          const { data, errors } = await client.run(row.run, variables, caller, signal)
          if (data === null || errors.length > 0) {
            const { problem, isInternal } = toProblem(errors, caller.requestId)
            const needsCredentials = problem.status === 401
            return { kind: 'refused', message: problem.message, needsCredentials, ...(isInternal && { fault: errors }) }
          }
          if (form) return { kind: 'answered', content: form.content(data, input) }
          const content = answerAt(data, row.answer)
          if (content !== null) return { kind: 'answered', content: compact?.(content) ?? content }
          return { kind: 'refused', message: expectedFailureIn(data, row.answer) ?? missing }
        },
      }
    },
  }
}

type PlainRow<Accepts extends z.ZodObject> = Omit<Tool, 'accepts' | 'returns' | 'annotations' | 'answer'> & {
  readonly accepts: Accepts
  readonly returns: z.ZodType<Readonly<Record<string, unknown>>>
  readonly annotations?: Effect
  readonly answer: (input: z.output<Accepts>, call: Call) => Promise<ToolResult> | ToolResult
}

/** A tool that is no operation. */
export function plainTool<Accepts extends z.ZodObject>({ annotations = READS, answer, ...row }: PlainRow<Accepts>): ToolRow {
  return {
    name: row.name,
    prepare: async () => ({
      ...row,
      annotations,
      // The interpreter hands over what `accepts` made.
      answer: async (input, call) => answer(input as z.output<Accepts>, call),
    }),
  }
}

/**
 * A schema as JSON Schema, the way clients of every generation read it: those of 2025 know no
 * `$schema` but their own.
 */
export function jsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
): { readonly type: 'object'; readonly [keyword: string]: unknown } {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io })
  if (rest.type !== 'object') throw new Error(`Expected arguments and answers to be objects, got ${JSON.stringify(rest.type)}.`)
  // Checked above; TypeScript does not narrow a rest object.
  return rest as { type: 'object' }
}
