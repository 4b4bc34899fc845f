import type { Logger } from 'pino'
import type { Metrics } from '../observability/metrics.ts'
import type { HotSwappableGateway } from '../planning/hot-swap.ts'
import type { SupergraphVersion } from '../planning/routed-operation.ts'
import type { ShadowReport } from '../shadow/shadow-traffic.ts'
import { createVersionRoute, type RouteRules, versionMetrics } from './version-route.ts'
import { createVersionStatistics, type VersionCounts } from './version-statistics.ts'

export type CanaryRules = RouteRules & {
  /** Percentage of callers, at the start of each candidate. */
  readonly percent: number
}

/** How a candidate ended. */
export type CanaryEnd = {
  readonly candidate: string
  readonly kind: 'promoted' | 'rolled-back' | 'replaced'
  readonly reason: string
  readonly at: string
}

export type CanaryStatus = {
  /** The running candidate; null without one. Its id is the SHA-256 of its SDL, first 12 digits. */
  readonly candidate: { readonly id: string; readonly percent: number; readonly startedAt: string } | null
  /** Counts of the running candidate, or of the last one. */
  readonly versions: Readonly<Record<SupergraphVersion, VersionCounts>> | null
  /** Answers of the candidate beside those of the served supergraph; null when not compared. */
  readonly comparison: ShadowReport | null
  /** How the last candidate ended; null before. */
  readonly ended: CanaryEnd | null
}

/** Runs a share of the operations on a candidate supergraph. */
export type Canary = {
  readonly status: () => CanaryStatus
  /** Starts a candidate, in place of a running one. `promoted`: called when it is swapped in. */
  readonly start: (candidate: CandidateGraph) => void
  /** False without a candidate, or when another one than `id` is running. */
  readonly setPercent: (percent: number, id?: string) => boolean
  readonly promote: (id?: string) => boolean
  readonly rollBack: (reason: string, id?: string) => boolean
}

/** A candidate that can be started. */
export type CandidateGraph = {
  readonly id: string
  readonly graph: Parameters<HotSwappableGateway['swap']>[0]
  readonly promoted: () => void
}

export function createCanary(
  gateway: Pick<HotSwappableGateway, 'routeToCandidate' | 'promoteCandidate'>,
  rules: CanaryRules,
  {
    log,
    metrics,
    comparison,
    now = () => new Date(),
  }: {
    readonly log: Logger
    readonly metrics: Metrics | null
    readonly comparison: (() => ShadowReport) | null
    readonly now?: () => Date
  },
): Canary {
  type Running = CandidateGraph & { readonly startedAt: string; percent: number }
  const observed = metrics && versionMetrics(metrics)
  let running: Running | null = null
  let statistics: ReturnType<typeof createVersionStatistics> | null = null
  let ended: CanaryEnd | null = null

  return {
    status: () => ({
      candidate: running && { id: running.id, percent: running.percent, startedAt: running.startedAt },
      versions: statistics && { served: statistics.total('served'), candidate: statistics.total('candidate') },
      comparison: comparison?.() ?? null,
      ended,
    }),
    start(candidate) {
      if (running) end('replaced', 'another candidate began')
      const started: Running = { ...candidate, startedAt: now().toISOString(), percent: rules.percent }
      running = started
      const counts = createVersionStatistics(rules.rollback.windowMs)
      statistics = counts
      const route = createVersionRoute(rules, {
        id: candidate.id,
        percent: () => (running === started ? started.percent : null),
        counts,
        observed,
        onTooManyErrors: (reason) => rollBack(reason),
      })
      gateway.routeToCandidate({ graph: candidate.graph, route })
      log.info({ candidate: candidate.id, percent: rules.percent }, 'a candidate supergraph runs a share of the operations')
    },
    setPercent(percent, id) {
      const candidate = runningWith(id)
      if (!candidate) return false
      candidate.percent = percent
      log.info({ candidate: candidate.id, percent }, 'the share of the candidate supergraph was changed')
      return true
    },
    promote(id) {
      const candidate = runningWith(id)
      if (!candidate) return false
      gateway.promoteCandidate()
      candidate.promoted()
      end('promoted', 'by an operator')
      return true
    },
    rollBack,
  }

  function rollBack(reason: string, id?: string): boolean {
    if (!runningWith(id)) return false
    gateway.routeToCandidate(null)
    end('rolled-back', reason)
    return true
  }

  function runningWith(id: string | undefined): Running | null {
    return id === undefined || running?.id === id ? running : null
  }

  function end(kind: CanaryEnd['kind'], reason: string): void {
    if (!running) return
    ended = { candidate: running.id, kind, reason, at: now().toISOString() }
    running = null
    const details = { ...ended, ...(statistics && { counts: statistics.total('candidate') }) }
    if (kind === 'rolled-back') log.warn(details, 'the candidate supergraph was rolled back')
    else log.info(details, 'the candidate supergraph ended')
  }
}
