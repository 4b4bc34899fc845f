import type { SubgraphLocation } from './link-pool.ts'

/**
 * Timeout of one reachability check. Shorter than that of the readiness check as a whole, so that
 * one hanging subgraph does not fail it for all.
 */
const REACHABILITY_TIMEOUT_MS = 1_500

/** Checks a server at this URL. Rejects or returns false when it is not reachable. */
export type IsReachable = (url: string, signal: AbortSignal) => Promise<boolean>

/**
 * Checks all subgraphs concurrently; returns the names of unreachable ones as `degraded`. Rejects
 * when all are unreachable; otherwise their fields are null with an error.
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

/** Check for a subgraph of this installation: `GET /ready` returns 200. */
export const isReady: IsReachable = async (url, signal) => (await statusOf(`${url}/ready`, { signal })) === 200

/**
 * Check for other subgraphs: they respond to `{ __typename }`. 4xx counts as reachable, because
 * credentials may be required; 404 and 5xx do not, because they may come from a proxy.
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
