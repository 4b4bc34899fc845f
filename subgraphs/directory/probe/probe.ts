import type { Logger } from 'pino'
import type { Installation } from '../item/item.ts'
import { remotesOf } from '../registry-entry/registry-entry.ts'
import type { ProbeResult, Prober } from './client.ts'
import type { ProbeCandidate, ProbeRepository, StoredProbe } from './repository.ts'

type Deps = {
  readonly probes: ProbeRepository
  readonly prober: Prober
  readonly now: () => Date
  readonly signal: AbortSignal
}

/** What came of client for one server. */
export type ProbeReport =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'local' }
  | ({ readonly kind: 'probed'; readonly key: string; readonly address: string; readonly result: ProbeResult } & StoredProbe)

/** Servers that are probed in one run, and at once: strangers' servers are slow, and must not notice. */
const MAX_SERVERS = 200
const MAX_AT_ONCE = 4

/** Asks the server with this key what it offers, and stores the answer. */
export async function probeByKey(key: string, deps: Deps): Promise<ProbeReport> {
  const server = await deps.probes.serverByKey(key)
  return server === null ? { kind: 'unknown' } : probeServer(server, deps)
}

/** Asks the servers whose last probe is this long ago; the oldest first, a bounded number. */
export async function probeDue(hours: number, log: Logger, deps: Deps): Promise<{ readonly probed: number }> {
  const now = deps.now()
  const before = new Date(now.getTime() - hours * 3_600_000)
  const due = [...(await deps.probes.dueServers({ before, now, limit: MAX_SERVERS }))]
  const limited: LimitedHosts = new Map()
  let probed = 0
  const worker = async (): Promise<void> => {
    for (let next = due.shift(); next && !deps.signal.aborted; next = due.shift()) {
      const report = await probeServer(next, deps, limited)
      if (report.kind !== 'probed') continue
      probed += 1
      if (report.changes.length > 0)
        log.info({ server: next.key, changes: report.changes.length }, 'a server changed what it offers')
    }
  }
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, worker))
  deps.signal.throwIfAborted()
  return { probed }
}

/** Hosts that want fewer requests, with what they answered: one may have hundreds of servers. */
type LimitedHosts = Map<string, Extract<ProbeResult, { readonly reason: string }>>

async function probeServer(
  server: ProbeCandidate,
  { probes, prober, now, signal }: Deps,
  limited: LimitedHosts = new Map(),
): Promise<ProbeReport> {
  // Imports write this type.
  const [remote] = remotesOf((server.installations ?? []) as readonly Installation[])
  if (!remote) return { kind: 'local' }
  const host = URL.parse(remote.url)?.host ?? remote.url
  const earlier = limited.get(host)
  const result = earlier ? { ...earlier, reason: RATE_LIMITED_HOST } : await prober.probe(remote, signal)
  if (result.status !== 'ANSWERED' && result.isRateLimited) limited.set(host, result)
  const probed = { itemId: server.id, address: remote.url, result }
  const stored = await probes.storeProbe(probed, now())
  return { kind: 'probed', key: server.key, address: remote.url, result, ...stored }
}

/** Stored of a server whose host wanted a pause in answer to another probe of the same run. */
const RATE_LIMITED_HOST = 'No request was sent: its host wants fewer.'
