import { GraphQLError } from 'graphql'
import type { Logger } from 'pino'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { refusal } from '../operations/errors.ts'
import type { CallOf, HookStage, Hooks, ResultOf } from './hooks.ts'

/** Default timeout of a hook. */
export const HOOK_TIMEOUT_MS = 1_000
/** Upper bounds of a refusal's errors, and of a message. */
const MAX_ERRORS = 10
const MAX_MESSAGE_CHARACTERS = 500

export type HookSetName = 'function' | 'coprocessor'
/**
 * Result of a call. `refused`: by the hook. `error`: an exception, or an invalid result. `stopped`:
 * the client has disconnected, or the operation has timed out.
 */
export type HookCallStatus = 'ok' | 'refused' | 'error' | 'timeout' | 'stopped'
/** Measures one call; the returned function is called with its result. */
export type MeasureHookCall = (name: HookSetName, stage: HookStage) => (status: HookCallStatus) => void

/** A set of hooks with its options: functions of a program, or a coprocessor. */
export type HookSet = {
  /** Name in metrics. */
  readonly name: HookSetName
  readonly hooks: Hooks
  /** Subgraphs whose requests and responses reach these hooks; null: all. */
  readonly subgraphs: ReadonlySet<string> | null
  /** Timeout of each call. */
  readonly timeoutMs: number
  /** Whether failures are logged and ignored; false: they refuse the operation. */
  readonly isOptional: boolean
}

/** Result of a stage. */
export type StageResult<Result> =
  | { readonly kind: 'continue'; readonly result: Result | null }
  | { readonly kind: 'refused'; readonly errors: readonly GraphQLError[]; readonly status: number | null }

/** Arguments of a hook, except `signal`, which each call gets separately. */
export type StageCall<Stage extends HookStage> = Omit<CallOf<Stage>, 'signal'>

/** All hooks of a gateway, by stage. */
export type HookStages = {
  readonly has: (stage: HookStage) => boolean
  /** Whether hooks can change requests or responses of any subgraph. */
  readonly changesFetches: boolean
  /** Whether hooks can change requests or responses of this subgraph. */
  readonly changesFetchesOf: (subgraph: string) => boolean
  /** Throws an `OperatorError` for a subgraph in the options that the supergraph lacks. */
  readonly checkSubgraphs: (names: readonly string[]) => void
  /**
   * Calls the hooks of a stage in order. `use` validates and applies a hook's result, and returns
   * the arguments of the next; an exception of `use` is a failure of the hook. Rejects with the
   * reason of `signal` only.
   */
  readonly run: <Stage extends HookStage>(
    stage: Stage,
    call: StageCall<Stage>,
    signal: AbortSignal,
    use?: (call: StageCall<Stage>, result: ResultOf<Stage>) => StageCall<Stage>,
  ) => Promise<StageResult<StageCall<Stage>>>
  readonly close: () => Promise<void>
}

/** Creates the stages; null without hooks, so that they cost nothing. */
export function createHookStages(
  sets: readonly HookSet[],
  log: Logger,
  {
    close = async () => {},
    measure = null,
  }: { readonly close?: () => Promise<void>; readonly measure?: MeasureHookCall | null } = {},
): HookStages | null {
  const has = (stage: HookStage): boolean => sets.some(({ hooks }) => hooks[stage] !== undefined)
  const present = STAGES.filter(has)
  if (present.length === 0) return null
  const ofFetches = sets.filter(({ hooks }) => hooks.subgraphRequest ?? hooks.subgraphResponse)

  return {
    has,
    changesFetches: ofFetches.length > 0,
    changesFetchesOf: (subgraph) => ofFetches.some(({ subgraphs }) => subgraphs?.has(subgraph) ?? true),
    checkSubgraphs(names) {
      for (const { name, subgraphs } of sets) {
        const unknown = [...(subgraphs ?? [])].find((each) => !names.includes(each))
        if (unknown === undefined) continue
        const option = name === 'coprocessor' ? '"coprocessor.subgraphs"' : '"hooks.subgraphs"'
        throw new OperatorError(`Expected ${option} to have names of the supergraph (${names.join(', ')}), got "${unknown}".`)
      }
    },
    close,
    async run(stage, given, signal, use = (call) => call) {
      let call = given
      for (const { name, hooks, subgraphs, timeoutMs, isOptional } of sets) {
        // By its key the hook takes the arguments of this stage.
        const hook = hooks[stage] as ((call: object) => unknown) | undefined
        if (!hook || isOtherSubgraph(call, subgraphs)) continue
        let status: HookCallStatus = 'ok'
        const measured = measure?.(name, stage)
        try {
          const result = await bounded(hook, call, timeoutMs, signal)
          if (result === undefined || result === null) continue
          if (typeof result !== 'object') throw new Error(`Expected nothing or an object, got a ${typeof result}.`)
          const refused = refusalIn(result)
          if (refused) {
            status = 'refused'
            return refused
          }
          // `use` validates the result.
          call = use(call, result as ResultOf<typeof stage>)
        } catch (error) {
          status = 'stopped'
          if (signal.aborted && error === signal.reason) throw error
          const refused = thrownRefusal(error)
          status = refused ? 'refused' : error instanceof HookTimeout ? 'timeout' : 'error'
          if (refused) return refused
          log.error({ err: error, stage, requestId: call.requestId, isIgnored: isOptional }, 'a hook failed')
          if (!isOptional) return { kind: 'refused', errors: [failed(stage)], status: FAILURE_STATUS_CODE }
        } finally {
          measured?.(status)
        }
      }
      return { kind: 'continue', result: call }
    },
  }
}

function isOtherSubgraph(call: object, subgraphs: ReadonlySet<string> | null): boolean {
  return subgraphs !== null && 'subgraph' in call && typeof call.subgraph === 'string' && !subgraphs.has(call.subgraph)
}

/** Stages in execution order. */
export const STAGES = [
  'request',
  'operation',
  'plan',
  'subgraphRequest',
  'subgraphResponse',
  'subscriptionEvent',
] as const satisfies readonly HookStage[]

/** HTTP status after a failed hook: 503, because a retry may succeed. */
const FAILURE_STATUS_CODE = 503

class HookTimeout extends Error {}

/** Calls a hook with a timeout, and until `outer` is aborted. Synchronous hooks need no timer. */
async function bounded(hook: (call: object) => unknown, call: object, timeoutMs: number, outer: AbortSignal): Promise<unknown> {
  outer.throwIfAborted()
  const controller = new AbortController()
  const returned = hook({ ...call, signal: controller.signal })
  if (!isThenable(returned)) return returned
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const end = (reason: unknown) => {
    // Rejects before aborting, because the hook may settle in its abort listener.
    reject(reason)
    controller.abort(reason)
  }
  const abort = () => end(outer.reason)
  const timer = setTimeout(() => end(new HookTimeout(`Expected the hook to end within ${timeoutMs} ms.`)), timeoutMs)
  outer.addEventListener('abort', abort, { once: true })
  try {
    // The race also handles a later rejection of the hook.
    return await Promise.race([returned, ended])
  } finally {
    clearTimeout(timer)
    outer.removeEventListener('abort', abort)
  }
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

/** Refusal in a hook's result; null when the operation continues. */
function refusalIn(result: object): Extract<StageResult<never>, { readonly kind: 'refused' }> | null {
  const { refuse, status = null }: { readonly refuse?: unknown; readonly status?: unknown } = result
  if (refuse === undefined || refuse === null) return null
  const given: readonly unknown[] = Array.isArray(refuse) ? refuse : [refuse]
  if (given.length === 0) throw new Error('Expected at least one error to refuse with.')
  if (status !== null && !isRefusalStatus(status)) throw new Error('Expected a status from 400 to 599.')
  return { kind: 'refused', errors: given.slice(0, MAX_ERRORS).map(visible), status }
}

export const isRefusalStatus = (status: unknown): status is number =>
  typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599

/** Error of a hook in the form for clients. */
function visible(error: unknown): GraphQLError {
  const given = typeof error === 'object' && error !== null ? error : {}
  const message = 'message' in given ? given.message : undefined
  if (typeof message !== 'string') throw new Error('Expected an error with a message.')
  const extensions: unknown = 'extensions' in given ? given.extensions : undefined
  const { code, ...others } = copyOf(extensions)
  const ownCode = typeof code === 'string' ? code : 'FORBIDDEN'
  return new GraphQLError(message.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed(), { extensions: { code: ownCode, ...others } })
}

/** Copies extensions as JSON, because they become part of a response. */
function copyOf(extensions: unknown): Record<string, unknown> {
  if (typeof extensions !== 'object' || extensions === null) return {}
  // JSON of an object is an object.
  const { stacktrace: _, exception: __, ...copy } = JSON.parse(JSON.stringify(extensions)) as Record<string, unknown>
  return copy
}

/**
 * A thrown `GraphQLError` with a code is for the client. Tested by name, because it may come from
 * another copy of graphql.
 */
function thrownRefusal(error: unknown): ReturnType<typeof refusalIn> {
  if (!(error instanceof Error) || error.name !== 'GraphQLError' || !('extensions' in error)) return null
  const { extensions } = error
  if (typeof extensions !== 'object' || extensions === null || !('code' in extensions)) return null
  try {
    return { kind: 'refused', errors: [visible(error)], status: null }
  } catch {
    // The extensions cannot be serialized as JSON.
    return null
  }
}

function failed(stage: HookStage): GraphQLError {
  const { message, extensions } = refusal('HOOK_FAILED', `A hook of this gateway failed at the stage "${stage}".`, { stage })
  return new GraphQLError(message, { extensions: extensions ?? {} })
}
