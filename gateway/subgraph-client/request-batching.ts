import type { ExecutionResult } from 'graphql'
import { SubgraphError } from './error-masking.ts'
import { graphQLResponseOf } from './http-messages.ts'
import type { RequestContext } from './link.ts'
import type { ParsedResponse } from './subgraph-response.ts'

/** Queries of one operation that wait for the end of the tick. */
type Batch = { readonly entries: Entry[] }
type Entry = {
  readonly body: string
  readonly resolve: (response: ParsedResponse) => void
  readonly reject: (error: unknown) => void
}

/** The results of a batch in the order of its queries. */
export type BatchResults = readonly ExecutionResult[]

/** Sends a query alone, or with the other queries of its operation and tick as one JSON list. */
export type SendBatched = (
  body: string,
  context: RequestContext,
  send: {
    readonly alone: () => Promise<ParsedResponse>
    readonly together: (body: string, parse: (text: string) => BatchResults | null) => Promise<ParsedResponse<BatchResults>>
  },
) => Promise<ParsedResponse>

/**
 * Batches the queries of one client operation, which have the same headers. A list that does not
 * answer each of them fails them all. `owner`: the key of its state in `perLink`.
 */
export function createRequestBatching(owner: object, name: string, maxOperations: number): SendBatched {
  return (body, context, send) =>
    new Promise((resolve, reject) => {
      context.perLink ??= new Map()
      const { perLink } = context
      // Only this function writes under `owner`.
      const waiting = perLink.get(owner) as Batch | undefined
      const entry: Entry = { body, resolve, reject }
      if (waiting && waiting.entries.length < maxOperations) {
        waiting.entries.push(entry)
        return
      }
      const batch: Batch = { entries: [entry] }
      perLink.set(owner, batch)
      // After the microtasks of this tick, in which the other fetches of a parallel node begin.
      setImmediate(() => {
        if (perLink.get(owner) === batch) perLink.delete(owner)
        void flush(batch, send)
      })
    })

  async function flush({ entries }: Batch, { alone, together }: Parameters<SendBatched>[2]): Promise<void> {
    try {
      if (entries.length === 1) return entries[0]?.resolve(await alone())
      const { result, statusCode, headers } = await together(`[${entries.map(({ body }) => body).join(',')}]`, (text) =>
        parseList(text, entries.length),
      )
      result.forEach((each, index) => {
        entries[index]?.resolve({ result: each, text: JSON.stringify(each), statusCode, headers })
      })
    } catch (error) {
      const failure =
        error instanceof SubgraphError
          ? error
          : new SubgraphError('SUBGRAPH_UNAVAILABLE', `The ${name} service did not answer.`, { cause: error })
      for (const { reject } of entries) reject(failure)
    }
  }
}

/** A result per query; one that is no GraphQL response is an error of that query alone. */
function parseList(text: string, length: number): BatchResults | null {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    return null
  }
  if (!Array.isArray(list) || list.length !== length) return null
  return list.map(
    (each) => graphQLResponseOf(each) ?? graphQLResponseOf({ errors: [{ message: 'Expected a GraphQL response.' }] }) ?? {},
  )
}
