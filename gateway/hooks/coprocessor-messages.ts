import { isDeepStrictEqual } from 'node:util'
import type { CallOf, HookOperation, HookResult, HookStage, OperationRefusal, ResultOf } from './hooks.ts'

/** Upper bound of an operation's context as JSON. */
const MAX_CONTEXT_CHARACTERS = 100_000

/** Parts of a message, selected by options. */
export type CoprocessorParts = {
  readonly headers?: boolean | undefined
  readonly body?: boolean | undefined
  readonly context?: boolean | undefined
}
export type CoprocessorStages = { readonly [Stage in HookStage]?: CoprocessorParts | undefined }

type Json = Readonly<Record<string, unknown>>
/** Changed headers by lower-case name; null removes one. */
type HeaderDifferences = Readonly<Record<string, string | null>>

/**
 * Message format of a stage in Apollo Router's coprocessor protocol, and the parts it may change.
 */
type StageProtocol<Stage extends HookStage> = {
  readonly name: string
  readonly bodyOf: (call: CallOf<Stage>) => unknown
  /** Additional properties of the message. */
  readonly othersOf?: (call: CallOf<Stage>) => Json
  /** Absent: the part is read-only and must come back unchanged. */
  readonly applyHeaders?: (changes: HeaderDifferences) => ResultOf<Stage>
  readonly applyBody?: (body: Json, call: CallOf<Stage>) => ResultOf<Stage>
}

const PROTOCOL: { readonly [Stage in HookStage]: StageProtocol<Stage> } = {
  request: {
    name: 'RouterRequest',
    // JSON text, because RouterRequest has the raw HTTP body.
    bodyOf: (call) => JSON.stringify(operationIn(call)),
    othersOf: ({ method }) => ({ method: method ?? 'POST' }),
    applyHeaders: (headers) => ({ headers }),
  },
  operation: { name: 'SupergraphRequest', bodyOf: operationIn, applyBody: changedVariables },
  plan: {
    name: 'ExecutionRequest',
    bodyOf: operationIn,
    othersOf: ({ fetches, cost }) => ({ queryPlan: { fetches }, cost }),
  },
  subgraphRequest: {
    name: 'SubgraphRequest',
    bodyOf: operationIn,
    othersOf: ({ subgraph }) => ({ serviceName: subgraph }),
    applyHeaders: (headers) => ({ headers }),
  },
  subgraphResponse: {
    name: 'SubgraphResponse',
    bodyOf: resultIn,
    othersOf: ({ subgraph }) => ({ serviceName: subgraph }),
    applyBody: (result) => ({ result }),
  },
  subscriptionEvent: {
    name: 'SupergraphResponse',
    bodyOf: resultIn,
    othersOf: () => ({ hasNext: true }),
    applyBody: (result) => ({ result }),
  },
}

/** A message, and the parser of its response. */
type WrittenMessage<Stage extends HookStage> = {
  /** The message as JSON. */
  readonly body: string
  /**
   * Result of the stage; also sets context values. Throws for a response that violates the
   * protocol.
   */
  readonly resultOf: (reply: unknown) => ResultOf<Stage> | null
}

/** Creates messages with the parts selected in `stages`. */
export function createCoprocessorMessages(stages: CoprocessorStages): {
  readonly write: <Stage extends HookStage>(stage: Stage, call: CallOf<Stage>) => WrittenMessage<Stage>
} {
  return {
    write(stage, call) {
      const protocol: StageProtocol<typeof stage> = PROTOCOL[stage]
      const wanted: CoprocessorParts = stages[stage] ?? {}
      const headers = 'headers' in call ? call.headers : {}
      const message = {
        version: 1,
        stage: protocol.name,
        control: 'continue',
        id: call.requestId,
        ...protocol.othersOf?.(call),
        ...(wanted.headers && { headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])) }),
        ...(wanted.body && { body: protocol.bodyOf(call) }),
        ...(wanted.context && { context: { entries: call.context } }),
      }
      const body = JSON.stringify(message)
      return { body, resultOf: (reply) => readReply(protocol, call, body, reply) }
    },
  }
}

function readReply<Stage extends HookStage>(
  protocol: StageProtocol<Stage>,
  call: CallOf<Stage>,
  written: string,
  given: unknown,
): ResultOf<Stage> | null {
  const reply = objectOf(given, 'The answer')
  const sent: Json = JSON.parse(written)
  if (reply.version !== undefined && reply.version !== 1) throw new Error('Expected "version" 1 from the coprocessor.')
  if (reply.stage !== undefined && reply.stage !== sent.stage)
    throw new Error(`Expected "stage" ${sent.stage} from the coprocessor.`)
  // The result type of every stage includes a refusal.
  if (reply.control !== 'continue') return refusalOf(reply) as ResultOf<Stage>
  if (reply.context !== undefined) replaceContext(call.context, partOf(sent, 'context'), reply.context)
  const changesHeaders = reply.headers !== undefined && !isDeepStrictEqual(reply.headers, partOf(sent, 'headers'))
  const changesBody = reply.body !== undefined && !isDeepStrictEqual(reply.body, partOf(sent, 'body'))
  if ((changesHeaders && !protocol.applyHeaders) || (changesBody && !protocol.applyBody)) {
    throw new Error(
      `Expected ${changesHeaders ? '"headers"' : '"body"'} as they were sent: ${protocol.name} does not change them.`,
    )
  }
  if (changesHeaders) return protocol.applyHeaders?.(differences(objectOf(sent.headers, 'headers'), reply.headers)) ?? null
  return changesBody ? (protocol.applyBody?.(objectOf(reply.body, 'body'), call) ?? null) : null
}

/** A part can be changed only when it was sent, because the response replaces it as a whole. */
function partOf(sent: Json, part: 'headers' | 'body' | 'context'): unknown {
  if (!Object.hasOwn(sent, part)) throw new Error(`Expected no "${part}" from the coprocessor: it is not sent at this stage.`)
  return { headers: sent.headers, body: sent.body, context: sent.context }[part]
}

/**
 * Parses a refusal: `control: { "break": 403 }`, with `errors` in the body (JSON text at
 * RouterRequest).
 */
function refusalOf({ control, body }: Json): OperationRefusal {
  const status = objectOf(control, 'control').break
  if (typeof status !== 'number') throw new Error('Expected "control" to be "continue" or { "break": a status }.')
  const content: unknown = typeof body === 'string' ? JSON.parse(body) : body
  const { errors } = objectOf(content ?? {}, 'body')
  if (errors !== undefined && !(Array.isArray(errors) && errors.length > 0)) {
    throw new Error('Expected "errors" of the coprocessor to be a list with at least one error.')
  }
  // The errors are validated later, like those of other hooks.
  const refuse = (errors ?? [{ message: 'The request was refused.', extensions: { code: codeOf(status) } }]) as NonNullable<
    OperationRefusal['refuse']
  >
  return { refuse, status }
}

const codeOf = (status: number): string => (status === 401 ? 'UNAUTHENTICATED' : status === 429 ? 'RATE_LIMITED' : 'FORBIDDEN')

/** Applies context changes; keeps values that other hooks set meanwhile. */
function replaceContext(context: Record<string, unknown>, sent: unknown, given: unknown): void {
  const entries = objectOf(objectOf(given, 'context').entries, 'context.entries')
  if (JSON.stringify(entries).length > MAX_CONTEXT_CHARACTERS) {
    throw new Error(`Expected a context of at most ${MAX_CONTEXT_CHARACTERS} characters.`)
  }
  for (const name of Object.keys(objectOf(objectOf(sent, 'context').entries, 'context.entries'))) {
    if (!Object.hasOwn(entries, name)) Reflect.deleteProperty(context, name)
  }
  Object.assign(context, entries)
}

/** Changes between sent and received headers; missing ones are removed. */
function differences(sent: Json, given: unknown): HeaderDifferences {
  const received = new Map(Object.entries(objectOf(given, 'headers')).map(([name, value]) => [name.toLowerCase(), textOf(value)]))
  const before = new Map(Object.entries(sent).map(([name, value]) => [name, textOf(value)]))
  const removed = [...before.keys()].filter((name) => !received.has(name)).map((name) => [name, null] as const)
  const changed = [...received].filter(([name, value]) => before.get(name) !== value)
  return Object.fromEntries([...removed, ...changed])
}

function textOf(value: unknown): string {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (values.length === 0 || !values.every((each) => typeof each === 'string')) {
    throw new Error('Expected each of "headers" to be a list of texts.')
  }
  return values.join(', ')
}

function operationIn({ query, operationName, variables }: Omit<HookOperation, 'operationType'>): Json {
  return { query, ...(operationName !== undefined && { operationName }), variables }
}

function resultIn({ data, errors, extensions }: HookResult): Json {
  return { ...(data !== undefined && { data }), ...(errors && { errors }), ...(extensions && { extensions }) }
}

function changedVariables({ variables, ...others }: Json, call: HookOperation): ResultOf<'operation'> {
  const { variables: _, ...same } = operationIn(call)
  if (!isDeepStrictEqual(others, same)) throw new Error('Expected "body" to change "variables" alone.')
  return { variables: objectOf(variables ?? {}, 'body.variables') }
}

function objectOf(value: unknown, name: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`Expected ${name} of the coprocessor to be an object.`)
  // Checked by the lines above.
  return value as Json
}
