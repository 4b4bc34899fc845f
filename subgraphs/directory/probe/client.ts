import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { ownValue } from '../../../platform/collections/lookup-table.ts'
import { dnsClient } from '../../../platform/outbound/dns-client.ts'
import { systemServers } from '../../../platform/outbound/dns-servers.ts'
import { Fault, type FaultReason } from '../../../platform/outbound/fault.ts'
import { httpClient } from '../../../platform/outbound/http-client.ts'
import { type NetworkOptions, safeNetwork } from '../../../platform/outbound/safe-connect.ts'
import { featuresIn, MAX_PROMPTS, MAX_RESOURCES, MAX_TOOLS, type OfferedFeatures } from '../import/features.ts'
import { type GuardedFetch, guardedFetch } from './guarded-fetch.ts'

/** Address of a remote server, and the transport that it speaks there. */
export type Remote = { readonly url: string; readonly type: string }

/** What came of a probe. */
export type ProbeResult =
  | {
      readonly status: 'ANSWERED'
      readonly features: OfferedFeatures
      readonly serverVersion: string | null
      readonly protocolVersion: string | null
    }
  | {
      readonly status: Failure
      readonly reason: string
      /** Wait that the server asks for, at most a day; absent: it does not. */
      readonly retryAfterSeconds?: number
      /** Whether it wants fewer requests, so that its other servers are left alone as well. */
      readonly isRateLimited?: true
    }

type Failure = 'UNAUTHORIZED' | 'UNREACHABLE' | 'BLOCKED' | 'TIMEOUT' | 'TOO_LARGE' | 'INVALID'

/** Asks remote servers what they offer. */
export type Prober = {
  /** Never calls a tool, reads a resource or gets a prompt. Rejects only when `signal` aborts. */
  readonly probe: (remote: Remote, signal: AbortSignal) => Promise<ProbeResult>
  readonly close: () => Promise<void>
}

/** Bounds of one probe. */
export type ProbeBounds = { readonly timeoutMs: number; readonly maxBytes: number }

/** Lists of known servers take seconds and some 100 kB. */
const BOUNDS: ProbeBounds = { timeoutMs: 20_000, maxBytes: 4_000_000 }
/** Pages of one list: the entries that are kept fit into fewer. */
const MAX_PAGES = 20
/** Longest version or reason that is kept, in UTF-16 units. */
const MAX_TEXT_LENGTH = 200

/** Opens no connection before the first probe. */
export function prober(options: Partial<NetworkOptions> = {}, bounds: ProbeBounds = BOUNDS): Prober {
  const network = safeNetwork({ resolvers: systemServers(), ...options })
  const http = httpClient(network, dnsClient(network), { userAgent: 'atrium-directory', maxRedirects: 0 })
  return {
    async probe(remote, ended) {
      const time = AbortSignal.timeout(bounds.timeoutMs)
      const signal = AbortSignal.any([ended, time])
      const guard = guardedFetch(http, { signal, maxBytes: bounds.maxBytes, isStream: remote.type === 'sse' })
      try {
        return await ask(remote, guard, signal, bounds)
      } catch (error) {
        ended.throwIfAborted()
        if (time.aborted) return { status: 'TIMEOUT', reason: `It did not end within ${bounds.timeoutMs / 1_000} seconds.` }
        return failureOf(error, guard)
      }
    },
    close: http.close,
  }
}

async function ask(
  { url, type }: Remote,
  { fetch, fault }: GuardedFetch,
  signal: AbortSignal,
  { timeoutMs }: ProbeBounds,
): Promise<ProbeResult> {
  const client = new Client(
    { name: 'atrium-directory', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' }, capabilities: {} },
  )
  const transport =
    type === 'sse'
      ? new SSEClientTransport(new URL(url), { fetch })
      : new StreamableHTTPClientTransport(new URL(url), {
          fetch,
          reconnectionOptions: {
            maxRetries: 0,
            initialReconnectionDelay: 1,
            maxReconnectionDelay: 1,
            reconnectionDelayGrowFactor: 1,
          },
        })
  const request = { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs }
  // The transport tells of a broken body here alone; the request would wait for an answer.
  const { promise: broken, reject } = Promise.withResolvers<never>()
  broken.catch(() => {})
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  client.onerror = (error) => reject(error)
  try {
    return await Promise.race([read(), broken])
  } finally {
    client.onerror = () => {}
    await client.close().catch(() => {})
  }

  async function read(): Promise<ProbeResult> {
    await client.connect(transport, request)
    const can = client.getServerCapabilities() ?? {}
    const list = async (method: string, key: string, max: number): Promise<readonly unknown[]> =>
      listAll((cursor) => client.request({ method, params: cursor === null ? {} : { cursor } }, PAGE, request), key, max)
    const tools = can.tools ? await list('tools/list', 'tools', MAX_TOOLS) : []
    const prompts = can.prompts ? await list('prompts/list', 'prompts', MAX_PROMPTS) : []
    const resources = can.resources ? await list('resources/list', 'resources', MAX_RESOURCES) : []
    const templates = can.resources
      ? await list('resources/templates/list', 'resourceTemplates', MAX_RESOURCES).catch(withoutTemplates)
      : []
    return {
      status: 'ANSWERED',
      features: featuresIn({ tools, prompts, resources: [...resources, ...templates] }),
      serverVersion: textIn(client.getServerVersion()?.version),
      protocolVersion: textIn(client.getNegotiatedProtocolVersion()),
    }
  }

  /** Servers without templates answer that they do not know the method. */
  function withoutTemplates(error: unknown): readonly unknown[] {
    if (signal.aborted || error instanceof Fault || fault() !== null) throw error
    return []
  }
}

/** Entries are read one by one afterwards: a single bad one must not hide the others. */
const PAGE = z.looseObject({ nextCursor: z.string().max(10_000).nullish() })

/** All pages up to one entry more than `max`: then the list is known to be cut. */
async function listAll(
  page: (cursor: string | null) => Promise<z.infer<typeof PAGE>>,
  key: string,
  max: number,
): Promise<readonly unknown[]> {
  const entries: unknown[] = []
  const seen = new Set<string>()
  let cursor: string | null = null
  for (let pages = 0; pages < MAX_PAGES && entries.length <= max; pages += 1) {
    const answer: z.infer<typeof PAGE> = await page(cursor)
    const list = ownValue(answer, key)
    if (!Array.isArray(list)) throw new Fault('malformed', `a page without a list of ${key}`)
    entries.push(...list.slice(0, max + 1))
    cursor = answer.nextCursor ?? null
    if (cursor === null || cursor === '') return entries
    if (seen.has(cursor)) throw new Fault('malformed', `pages of ${key} that lead back to an earlier one`)
    seen.add(cursor)
  }
  return entries.length > max ? entries : [...entries, ...CUT]
}

/** Entries without a name, which are counted and not kept: the list went on. */
const CUT: readonly unknown[] = Array.from({ length: MAX_TOOLS + 1 }, () => null)

const FAILURES: Readonly<Record<FaultReason, Failure>> = {
  rate_limited: 'UNREACHABLE',
  unavailable: 'UNREACHABLE',
  malformed: 'INVALID',
  too_large: 'TOO_LARGE',
  blocked: 'BLOCKED',
  timeout: 'TIMEOUT',
  refused: 'UNREACHABLE',
  no_tls: 'UNREACHABLE',
  no_capacity: 'UNREACHABLE',
}

function failureOf(error: unknown, guard: GuardedFetch): ProbeResult {
  const fault = error instanceof Fault ? error : guard.fault()
  if (fault) {
    return {
      status: FAILURES[fault.reason],
      reason: sentence(fault.message),
      ...(fault.retryAfter !== null && { retryAfterSeconds: fault.retryAfter }),
      ...((fault.reason === 'rate_limited' || fault.retryAfter !== null) && { isRateLimited: true as const }),
    }
  }
  if (guard.isUnauthorized()) return { status: 'UNAUTHORIZED', reason: 'The server wants a sign-in or a key.' }
  return {
    status: guard.hasFailed() ? 'UNREACHABLE' : 'INVALID',
    reason: sentence(error instanceof Error ? error.message : String(error)),
  }
}

/** Words of a stranger are quoted, on one line. */
const sentence = (text: string): string =>
  text
    .slice(0, MAX_TEXT_LENGTH)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim() || 'no reason'

const textIn = (text: string | undefined): string | null => (text === undefined || text === '' ? null : sentence(text))
