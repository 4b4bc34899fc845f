import type { Location } from './link-pool.ts'

/** How long one may take to say that it is there. Less than a readiness check has: one that says nothing must not speak for all others. Milliseconds. */
const REACHED_MILLISECONDS = 1_500

/** Whether whoever is at this address is there. Rejects, or says no, when it is not. */
export type IsReached = (url: string, signal: AbortSignal) => Promise<boolean>

/**
 * Looks for all subgraphs at once, and names those that are not there. Rejects when none is: a gateway is of use as long as it reaches any, for what the others
 * would have said is null, with an error that says why.
 */
export async function someReached(
  subgraphs: readonly Location[],
  isReached: IsReached,
  signal: AbortSignal,
): Promise<{ readonly degraded: readonly string[] }> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(REACHED_MILLISECONDS)])
  const answers = await Promise.all(
    subgraphs.map(async ({ name, url }) => ({ name, isThere: await isReached(url, bounded).catch(() => false) })),
  )
  if (!answers.some(({ isThere }) => isThere)) throw new Error('Expected a subgraph that is there, got none.')
  return { degraded: answers.filter(({ isThere }) => !isThere).map(({ name }) => name) }
}

/** Of a subgraph of ours: that it says to be ready. */
export const isReady: IsReached = async (url, signal) => (await statusOf(`${url}/ready`, { signal })) === 200

/**
 * Of anybody's subgraph: that it answers the shortest question. Whoever refuses that is there too, and may be kinder to those who sign in; 404 and 5xx are what
 * others say in its place.
 */
export const answersGraphql: IsReached = async (url, signal) => {
  const status = await statusOf(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: QUESTION, signal })
  return status < 300 || (status >= 400 && status < 500 && status !== 404)
}

const QUESTION = JSON.stringify({ query: '{ __typename }' })

/** The status alone; whatever else comes is not waited for. */
async function statusOf(url: string, asked: RequestInit): Promise<number> {
  const { status, body } = await fetch(url, { ...asked, redirect: 'manual' })
  await body?.cancel()
  return status
}
