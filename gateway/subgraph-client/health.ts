import type { SubgraphLocation } from './link-pool.ts'

/**
 * Timeout of one reachability check. Shorter than that of the readiness check as a whole, so that
 * one hanging subgraph does not fail it for all.
 */
const REACHABILITY_TIMEOUT_MS = 1_500

/** Whether the server at this URL is reachable. Rejects, or returns false, when it is not. */
export type IsReachable = (url: string, signal: AbortSignal) => Promise<boolean>

/**
 * Checks all subgraphs at once and returns the names of the unreachable ones as `degraded`. Rejects
 * when none is reachable: with any reachable one, the fields of the others are null with an error.
 */
export async function checkReachability(
  subgraphs: readonly SubgraphLocation[],
  isReachable: IsReachable,
  signal: AbortSignal,
): Promise<{ readonly degraded: readonly string[] }> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(REACHABILITY_TIMEOUT_MS)])
  const results = await Promise.all(
    subgraphs.map(async ({ name, url }) => ({ name, isUp: await isReachable(url, bounded).catch(() => false) })),
  )
  if (!results.some(({ isUp }) => isUp)) throw new Error('Expected a reachable subgraph, got none.')
  return { degraded: results.filter(({ isUp }) => !isUp).map(({ name }) => name) }
}

/** A subgraph of this installation is up when `GET /ready` is 200. */
export const isReady: IsReachable = async (url, signal) => (await statusOf(`${url}/ready`, { signal })) === 200

/**
 * Any other subgraph is up when it responds to `{ __typename }`. A 4xx counts, since the subgraph
 * may require credentials; 404 and 5xx do not, since a proxy may send them in its place.
 */
export const respondsToGraphql: IsReachable = async (url, signal) => {
  const status = await statusOf(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: TYPENAME_QUERY,
    signal,
  })
  return status < 300 || (status >= 400 && status < 500 && status !== 404)
}

const TYPENAME_QUERY = JSON.stringify({ query: '{ __typename }' })

/** The status of a response, whose body is discarded. */
async function statusOf(url: string, init: RequestInit): Promise<number> {
  const { status, body } = await fetch(url, { ...init, redirect: 'manual' })
  await body?.cancel()
  return status
}
