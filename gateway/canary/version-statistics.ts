import type { SupergraphVersion } from '../planning/routed-operation.ts'

/** Operations of one supergraph since the candidate began. */
export type VersionCounts = {
  readonly requests: number
  /** Operations whose result has errors. */
  readonly errors: number
  /** Upper bounds of percentiles of the duration in ms; null without operations. */
  readonly p50Milliseconds: number | null
  readonly p95Milliseconds: number | null
}

/** Operations within the window. */
export type WindowCounts = Pick<VersionCounts, 'requests' | 'errors'>

/** Counts of both supergraphs, in bounded memory. */
export type VersionStatistics = {
  readonly record: (version: SupergraphVersion, isError: boolean, milliseconds: number) => void
  readonly total: (version: SupergraphVersion) => VersionCounts
  readonly inWindow: (version: SupergraphVersion) => WindowCounts
}

/** Steps in which a window moves. */
const STEP_COUNT = 10
/** Bounds of durations in ms: 1, 1.25, … up to the operation timeout of 10 s. */
const BOUNDS_MS = Array.from({ length: 43 }, (_, at) => Math.round(1.25 ** at * 10) / 10)

export function createVersionStatistics(windowMs: number, now: () => number = () => performance.now()): VersionStatistics {
  const versions = { served: countsOf(), candidate: countsOf() }
  const step = () => Math.floor((now() * STEP_COUNT) / windowMs)

  return {
    record(version, isError, milliseconds) {
      const counts = versions[version]
      const current = step()
      let last = counts.window.at(-1)
      if (last?.step !== current) {
        last = { step: current, requests: 0, errors: 0 }
        counts.window.push(last)
        if (counts.window.length > STEP_COUNT) counts.window.shift()
      }
      const bound = BOUNDS_MS.findIndex((each) => milliseconds <= each)
      const at = bound === -1 ? BOUNDS_MS.length - 1 : bound
      counts.durations[at] = (counts.durations[at] ?? 0) + 1
      for (const each of [last, counts]) {
        each.requests++
        if (isError) each.errors++
      }
    },
    total(version) {
      const { requests, errors, durations } = versions[version]
      return {
        requests,
        errors,
        p50Milliseconds: percentile(durations, requests, 0.5),
        p95Milliseconds: percentile(durations, requests, 0.95),
      }
    },
    inWindow(version) {
      const first = step() - STEP_COUNT + 1
      const counts = { requests: 0, errors: 0 }
      for (const each of versions[version].window) {
        if (each.step < first) continue
        counts.requests += each.requests
        counts.errors += each.errors
      }
      return counts
    },
  }
}

type Step = { readonly step: number; requests: number; errors: number }

const countsOf = () => ({
  requests: 0,
  errors: 0,
  durations: BOUNDS_MS.map(() => 0),
  // A literal alone has the type never[].
  window: [] as Step[],
})

function percentile(durations: readonly number[], requests: number, share: number): number | null {
  let seen = 0
  for (const [at, count] of durations.entries()) {
    seen += count
    if (seen > 0 && seen >= requests * share) return BOUNDS_MS[at] ?? null
  }
  return null
}
