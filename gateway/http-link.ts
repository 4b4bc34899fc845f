import { Agent, request as send } from 'undici'
import { answerIn, headersFor } from './http-messages.ts'
import { upstreams } from './http-upstreams.ts'
import type { Link } from './link.ts'
import { LinkError } from './masked-link.ts'

/** Wall time of one fetch. Half of what an operation has, so that a plan of two fetches can say which one was slow. */
const FETCH_MILLISECONDS = 5_000
/** The largest answer of one fetch. A page of 1,000 items with every field is about 2 MB. */
const ANSWER_BYTES = 10_000_000

/** A link that keeps connections open until it is closed. */
export type HttpLink = Link & { readonly close: () => Promise<void> }

/**
 * The way to a subgraph that speaks GraphQL over HTTP. Of the client it passes on the request id, the address and the credentials by allow-list.
 * Rejects with LinkError when the subgraph does not answer in time, or with something else than GraphQL; neither its address nor its answer is said.
 */
export function httpLink({ name, url }: { readonly name: string; readonly url: string }): HttpLink {
  const agent = new Agent({
    connections: 64,
    connectTimeout: FETCH_MILLISECONDS,
    headersTimeout: FETCH_MILLISECONDS,
    bodyTimeout: FETCH_MILLISECONDS,
    keepAliveTimeout: 10_000,
    maxResponseSize: ANSWER_BYTES,
  })

  const streams = upstreams({ name, url })

  return {
    name,
    close: async () => {
      await Promise.all([agent.destroy(), streams.close()])
    },
    subscribe: streams.subscribe,
    async execute({ query, variables, operationName }, passage) {
      passage.signal.throwIfAborted()
      const controller = new AbortController()
      const abort = () => controller.abort(passage.signal.reason)
      passage.signal.addEventListener('abort', abort, { once: true })
      const late = new LinkError('TIMEOUT', `The ${name} service did not answer within ${FETCH_MILLISECONDS / 1000} seconds.`)
      const timer = setTimeout(() => controller.abort(late), FETCH_MILLISECONDS)
      try {
        const { statusCode, body } = await send(url, {
          method: 'POST',
          dispatcher: agent,
          signal: controller.signal,
          headers: headersFor(passage),
          body: JSON.stringify({ query, variables, operationName }),
        })
        const text = await body.text()
        const answer = answerIn(text)
        if (!answer) throw new Error(`Expected a GraphQL answer, got ${text.length} characters with status ${statusCode}.`)
        return answer
      } catch (error) {
        if (passage.signal.aborted) throw passage.signal.reason
        if (error === late) throw late
        throw new LinkError('SUBGRAPH_UNAVAILABLE', `The ${name} service did not answer this part of the operation.`, {
          cause: error,
        })
      } finally {
        clearTimeout(timer)
        passage.signal.removeEventListener('abort', abort)
      }
    },
  }
}
