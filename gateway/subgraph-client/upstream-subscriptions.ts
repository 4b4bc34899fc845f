import { type ExecutionResult, GraphQLError } from 'graphql'
import { Agent, request as send } from 'undici'
import { type BoundedQueue, boundedQueue } from '../../platform/collections/bounded-queue.ts'
import type { Sign } from '../signed-link/signature.ts'
import { EVENT_BYTES, eventsIn } from '../transports/server-sent-events.ts'
import { LinkError } from './error-masking.ts'
import { answerIn, headersFor } from './http-messages.ts'
import type { LinkRequest, Opened, Passage, Source } from './link.ts'

/** One stream of events from a subgraph, and everybody here who asked for the same. */
type Upstream = {
  readonly queues: Set<BoundedQueue<ExecutionResult>>
  /** Why it is not open, or null once it is. */
  readonly opened: Promise<readonly GraphQLError[] | null>
  readonly abort: AbortController
}

/**
 * Subscriptions of a subgraph that sends server-sent events as graphql-sse's protocol says for distinct connections. Equal requests of callers with the same
 * credentials share one stream, which ends with the last of them.
 */
export function upstreams({
  name,
  url,
  sign,
  ...timeouts
}: {
  readonly name: string
  readonly url: string
  readonly sign?: Sign
  /** Milliseconds. */
  readonly connectTimeout: number
  readonly headersTimeout: number
}): {
  readonly subscribe: (request: LinkRequest, passage: Passage) => Promise<Opened<Source, GraphQLError>>
  readonly close: () => Promise<void>
} {
  // Nothing may come for hours; whether the other side still lives is for TCP to find out.
  const agent = new Agent({ ...timeouts, bodyTimeout: 0 })
  const running = new Map<string, Upstream>()

  return { subscribe, close: () => agent.destroy() }

  async function subscribe(
    { query, variables, operationName }: LinkRequest,
    passage: Passage,
  ): Promise<Opened<Source, GraphQLError>> {
    passage.signal.throwIfAborted()
    const body = JSON.stringify({ query, variables, operationName })
    const { credentials, connectedAt } = passage.caller
    // Since when somebody is connected matters for credentials only.
    const key = JSON.stringify([body, credentials, Object.keys(credentials).length > 0 && sign ? connectedAt : null])
    const upstream = running.get(key) ?? open(key, body, passage)
    const queue = boundedQueue<ExecutionResult>({
      onDone() {},
      onReleased() {
        upstream.queues.delete(queue)
        if (upstream.queues.size > 0) return
        if (running.get(key) === upstream) running.delete(key)
        upstream.abort.abort()
      },
    })
    upstream.queues.add(queue)
    const release = () => void queue.iterator.return?.()
    passage.signal.addEventListener('abort', release, { once: true })
    try {
      const errors = await upstream.opened
      passage.signal.throwIfAborted()
      if (errors) {
        release()
        return { kind: 'refused', errors }
      }
    } catch (error) {
      release()
      throw passage.signal.aborted ? passage.signal.reason : error
    } finally {
      passage.signal.removeEventListener('abort', release)
    }
    const { iterator } = queue
    return {
      kind: 'open',
      source: {
        next: () => iterator.next(),
        return: release,
        isPersonal: true,
        answer: async (event) => ownCopy(event as ExecutionResult),
      },
    }
  }

  function open(key: string, body: string, passage: Passage): Upstream {
    const abort = new AbortController()
    const queues = new Set<BoundedQueue<ExecutionResult>>()
    const headers = { ...headersFor(passage), accept: 'text/event-stream', 'accept-encoding': 'identity' }
    const signed = sign && { ...headers, ...sign({ method: 'POST', path: pathOf(url), headers }, body) }
    const responding = send(url, {
      method: 'POST',
      dispatcher: agent,
      signal: abort.signal,
      headers: signed ?? headers,
      body,
    })
    const opened = responding
      .then(async ({ statusCode, headers, body: answer }) => {
        if (statusCode === 200 && String(headers['content-type']).startsWith('text/event-stream')) {
          void follow(answer)
          return null
        }
        const errors = answerIn(await shortText(answer))?.errors
        if (errors) return errors
        throw new Error(`Expected an event stream, got status ${statusCode}.`)
      })
      .catch((error: unknown) => {
        throw unavailable(error)
      })
    const upstream = { queues, opened, abort }
    running.set(key, upstream)
    opened.then(
      (errors) => errors && forget(),
      () => forget(),
    )
    return upstream

    function forget(): void {
      if (running.get(key) === upstream) running.delete(key)
    }

    async function follow(chunks: AsyncIterable<Buffer>): Promise<void> {
      let end: Error | undefined = unavailable(new Error('The event stream ended without "complete".'))
      try {
        for await (const { event, data } of eventsIn(chunks)) {
          if (event === 'complete') {
            end = undefined
            break
          }
          const answer = event === 'next' || event === 'error' ? answerIn(data) : null
          // Ours says so what ends a subscription, where the protocol has no word for it.
          if (event === 'error' && answer?.errors?.[0]) throw answer.errors[0]
          if (!answer) throw new Error(`Expected an event with a GraphQL answer, got "${event}" with ${data.length} characters.`)
          const shared = Object.freeze(answer)
          for (const queue of [...queues]) queue.push(shared)
        }
      } catch (error) {
        end = error instanceof GraphQLError ? error : unavailable(error)
      }
      forget()
      for (const queue of [...queues]) queue.end(end)
    }
  }

  function unavailable(cause: unknown): LinkError {
    return new LinkError('SUBGRAPH_UNAVAILABLE', `The ${name} service does not send the events of this subscription.`, { cause })
  }
}

/** For one of those who are told: what other subgraphs say about it is merged into it. */
const ownCopy = ({ data, ...answer }: ExecutionResult): ExecutionResult => ({ ...answer, data: structuredClone(data ?? null) })

/** A body that is not followed as a stream. */
async function shortText(chunks: AsyncIterable<Buffer>): Promise<string> {
  const read: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > EVENT_BYTES) throw new Error(`Expected an answer of at most ${EVENT_BYTES} bytes.`)
    read.push(chunk)
  }
  return Buffer.concat(read).toString()
}

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}
