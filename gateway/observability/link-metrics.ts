import type { Link } from '../subgraph-client/link.ts'
import { secondsSince } from './elapsed.ts'
import type { MetricTable } from './metric-table.ts'

/** `errors`: a response with errors. `failed`: no response. `stopped`: aborted. */
type FetchStatus = 'ok' | 'errors' | 'failed' | 'stopped'

/** Wraps a link with metrics of its fetches. */
export function measureLink(link: Link, { fetches, fetchDurations }: MetricTable): Link {
  const duration = fetchDurations.labels(link.name)
  const count = {
    ok: fetches.labels(link.name, 'ok'),
    errors: fetches.labels(link.name, 'errors'),
    failed: fetches.labels(link.name, 'failed'),
    stopped: fetches.labels(link.name, 'stopped'),
  }
  const record = (status: FetchStatus, began: number) => {
    count[status].inc()
    duration.observe(secondsSince(began))
  }
  return {
    ...link,
    async execute(request, context) {
      const began = performance.now()
      try {
        const result = await link.execute(request, context)
        record(result.errors && result.errors.length > 0 ? 'errors' : 'ok', began)
        return result
      } catch (error) {
        record(context.signal.aborted ? 'stopped' : 'failed', began)
        throw error
      }
    },
  }
}
