import { ConnectionPool } from '../../platform/outbound/undici.ts'
import { postRequest } from '../subgraph-client/http-exchange.ts'
import { responseText } from '../subgraph-client/http-messages.ts'
import { type CoprocessorStages, createCoprocessorMessages } from './coprocessor-messages.ts'
import { HOOK_TIMEOUT_MS, type HookSet, STAGES } from './hook-stages.ts'
import type { CallOf, HookStage, Hooks } from './hooks.ts'

/** Upper bound of a message to a coprocessor, and of its response. */
const MAX_COPROCESSOR_BYTES = 10_000_000
/** Connections to a coprocessor. */
const MAX_CONNECTIONS = 64

export type CoprocessorOptions = {
  readonly url: string
  readonly subgraphs?: readonly string[] | undefined
  readonly timeoutMilliseconds?: number | undefined
  readonly onFailure?: 'refuse' | 'continue' | undefined
  readonly stages: CoprocessorStages
}

/** Hooks that call an HTTP server at stages of an operation (coprocessor). */
export function createCoprocessor({ url, subgraphs, timeoutMilliseconds, onFailure, stages }: CoprocessorOptions): {
  readonly set: HookSet
  readonly close: () => Promise<void>
} {
  const { origin, pathname, search } = new URL(url)
  const timeoutMs = timeoutMilliseconds ?? HOOK_TIMEOUT_MS
  const pool = new ConnectionPool(origin, {
    connections: MAX_CONNECTIONS,
    connectTimeout: timeoutMs,
    maxResponseSize: MAX_COPROCESSOR_BYTES,
  })
  const messages = createCoprocessorMessages(stages)
  const stageNames = STAGES.filter((stage) => stages[stage] !== undefined)
  const hooks = Object.fromEntries(stageNames.map((stage) => [stage, (call: CallOf<typeof stage>) => ask(stage, call)]))

  return {
    set: {
      name: 'coprocessor',
      // Each stage has its own function type.
      hooks: hooks as Hooks,
      subgraphs: subgraphs ? new Set(subgraphs) : null,
      timeoutMs,
      isOptional: onFailure === 'continue',
    },
    close: () => pool.destroy(),
  }

  async function ask<Stage extends HookStage>(stage: Stage, call: CallOf<Stage>) {
    const { body, resultOf } = messages.write(stage, call)
    const bytes = Buffer.byteLength(body)
    if (bytes > MAX_COPROCESSOR_BYTES) {
      throw new Error(`Expected a message of at most ${MAX_COPROCESSOR_BYTES} bytes to the coprocessor, got ${bytes}.`)
    }
    const headers = { 'content-type': 'application/json', accept: 'application/json', 'x-request-id': call.requestId }
    const received = await postRequest(pool, { path: `${pathname}${search}`, headers, body, signal: call.signal })
    if ('cause' in received) throw new Error('The coprocessor cannot be reached.', { cause: received.cause })
    if (received.statusCode !== 200) throw new Error(`Expected status 200 from the coprocessor, got ${received.statusCode}.`)
    return resultOf(parsed(await responseText(received)))
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`Expected JSON from the coprocessor, got ${text.length} characters of something else.`)
  }
}
