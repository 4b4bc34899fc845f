import type { Logger } from 'pino'

/**
 * Something that must answer before this process can: rejects when it does not, and may name what
 * it does without for now. `signal` aborts when nobody waits any longer.
 */
export type ReadinessCheck = { readonly name: string; readonly check: (signal: AbortSignal) => Promise<unknown> }

type Readiness = { readonly state: 'ok' | 'degraded' | 'failing'; readonly without: readonly string[] }

/** Time for one readiness check; probes of balancers wait longer. Milliseconds. */
const READINESS_TIMEOUT_MS = 2_000

/** What each check says now, in their order. Never rejects, and takes two seconds at most. */
export const readinessOf = (
  checks: readonly ReadinessCheck[],
  log: Logger,
): Promise<readonly (Readiness & { readonly name: string })[]> =>
  Promise.all(checks.map(async ({ name, check }) => ({ name, ...(await runCheck(check, log)) })))

async function runCheck(check: ReadinessCheck['check'], log: Logger): Promise<Readiness> {
  const signal = AbortSignal.timeout(READINESS_TIMEOUT_MS)
  const late = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
  try {
    const without = withoutOf(await Promise.race([check(signal), late]))
    return { state: without.length > 0 ? 'degraded' : 'ok', without }
  } catch (error) {
    log.warn({ err: error }, 'a readiness check failed')
    return { state: 'failing', without: [] }
  }
}

/** What a check does without, in `degraded` of what it resolves with. */
function withoutOf(answer: unknown): readonly string[] {
  const named: unknown = typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'degraded') : null
  return Array.isArray(named) ? named.filter((each) => typeof each === 'string') : []
}
