import type { ExecutionResult } from 'graphql'
import { SubgraphError } from './error-masking.ts'
import { graphQLResponseOf } from './http-messages.ts'
import type { RequestContext } from './link.ts'
import type { ParsedResponse } from './subgraph-response.ts'

/** Queries of one operation, collected until the end of the tick. */
type Batch = { readonly entries: Entry[] }
type Entry = {
  readonly body: string
  readonly resolve: (response: ParsedResponse) => void
  readonly reject: (error: unknown) => void
}

/** The results of a batch in the order of its queries. */
export type BatchResults = readonly ExecutionResult[]

/** Sends a query alone, or as a JSON array with other queries of the same operation and tick. */
export type SendBatched = (
  body: string,
  context: RequestContext,
  send: {
    readonly alone: () => Promise<ParsedResponse>
    readonly together: (body: string, parse: (text: string) => BatchResults | null) => Promise<ParsedResponse<BatchResults>>
  },
) => Promise<ParsedResponse>

/**
 * Batches the queries of one client operation, whose headers are equal. Without a result for each
 * query the whole batch fails. `owner`: key of its state in `perLink`.
 */
export function createRequestBatching(owner: object, name: string, maxOperations: number): SendBatched {
  return (body, context, send) =>
    new Promise((resolve, reject) => {
      context.perLink ??= new Map()
      const { perLink } = context
      // Only this function sets the key `owner`.
      const waiting = perLink.get(owner) as Batch | undefined
      const entry: Entry = { body, resolve, reject }
      if (waiting && waiting.entries.length < maxOperations) {
        waiting.entries.push(entry)
        return
      }
      const batch: Batch = { entries: [entry] }
      perLink.set(owner, batch)
      // `setImmediate` runs after the microtasks that start the other fetches of a Parallel node.
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

/** Parses a list of responses. An item that is not a GraphQL response fails its query only. */
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
