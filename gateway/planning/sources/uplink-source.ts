import { boundedRequest } from './bounded-request.ts'
import { type FetchedSupergraph, SourceError, type SupergraphSource } from './source.ts'

/** Options of an Uplink source. */
export type UplinkSourceParts = {
  readonly graphRef: string
  readonly apiKey: string
  /** Uplink servers; after a failure the next one is used. */
  readonly urls: readonly string[]
  readonly pollSeconds: number
  readonly timeoutMs: number
}

/** Apollo's servers, in two clouds. */
export const DEFAULT_UPLINK_URLS: readonly string[] = [
  'https://uplink.api.apollographql.com/',
  'https://aws.uplink.api.apollographql.com/',
]

const QUERY = `query SupergraphSdl($ref: String!, $apiKey: String!, $ifAfterId: ID) {
  routerConfig(ref: $ref, apiKey: $apiKey, ifAfterId: $ifAfterId) {
    __typename
    ... on RouterConfigResult { id supergraphSdl: supergraphSDL minDelaySeconds }
    ... on Unchanged { id minDelaySeconds }
    ... on FetchError { code message }
  }
}`

/** Upper bound of `minDelaySeconds`, so that a response cannot stop polling. Seconds. */
const MAX_MIN_DELAY = 3_600

/** Supergraph source with the Uplink protocol, of Apollo GraphOS or another server. */
export function uplinkSource({ graphRef, apiKey, urls, pollSeconds, timeoutMs }: UplinkSourceParts): SupergraphSource {
  let lastId: string | null = null
  /** Index of the server that responded last. */
  let current = 0
  return {
    description: `Uplink for ${graphRef}`,
    pollSeconds,
    async fetch(signal) {
      let failure: unknown
      for (let attempt = 0; attempt < urls.length; attempt++) {
        const at = (current + attempt) % urls.length
        try {
          const fetched = await ask(urls[at] ?? '', signal)
          current = at
          return fetched
        } catch (error) {
          signal.throwIfAborted()
          failure = error
        }
      }
      throw failure
    },
    forget() {
      lastId = null
    },
  }

  async function ask(url: string, signal: AbortSignal): Promise<FetchedSupergraph> {
    const description = `Uplink at ${new URL(url).host}`
    const body = JSON.stringify({ query: QUERY, variables: { ref: graphRef, apiKey, ifAfterId: lastId } })
    const headers = { 'content-type': 'application/json', 'apollographql-client-name': 'atrium-gateway' }
    const { text } = await boundedRequest({ description, url, method: 'POST', headers, body, timeoutMs, signal })
    const config = routerConfigIn(text)
    switch (config?.__typename) {
      case 'Unchanged':
        return { sdl: null, ...minDelayOf(config) }
      case 'RouterConfigResult': {
        if (typeof config.id !== 'string' || typeof config.supergraphSdl !== 'string') break
        lastId = config.id
        return { sdl: config.supergraphSdl, ...minDelayOf(config) }
      }
      case 'FetchError':
        throw new SourceError(`${description}: ${spoken(config.code)}: ${spoken(config.message)}.`)
    }
    throw new SourceError(`${description}: expected RouterConfigResult, Unchanged or FetchError.`)
  }

  /** A server's message in one line without the API key, which it may repeat. */
  function spoken(value: unknown): string {
    return String(value ?? '')
      .replaceAll(apiKey, '***')
      .replace(/\s+/g, ' ')
      .replace(/\.$/, '')
      .slice(0, 300)
  }
}

type RouterConfig = Readonly<Record<'__typename' | 'id' | 'supergraphSdl' | 'minDelaySeconds' | 'code' | 'message', unknown>>

function routerConfigIn(text: string): RouterConfig | null {
  try {
    return JSON.parse(text)?.data?.routerConfig ?? null
  } catch {
    return null
  }
}

function minDelayOf({ minDelaySeconds }: RouterConfig): { readonly minDelaySeconds?: number } {
  const isUsable = typeof minDelaySeconds === 'number' && minDelaySeconds > 0
  return isUsable ? { minDelaySeconds: Math.min(minDelaySeconds, MAX_MIN_DELAY) } : {}
}
