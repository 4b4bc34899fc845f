import type { Logger } from 'pino'

/**
 * A dependency of this process: rejects when it is unavailable, and may name degraded parts.
 * `signal` aborts when the result is not needed any more.
 */
export type ReadinessCheck = { readonly name: string; readonly check: (signal: AbortSignal) => Promise<unknown> }

type Readiness = { readonly state: 'ok' | 'degraded' | 'failing'; readonly without: readonly string[] }

/** Time for one readiness check; probes of balancers wait longer. Milliseconds. */
const READINESS_TIMEOUT_MS = 2_000

/** Current result of each check, in their order. Never rejects, and takes two seconds at most. */
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

/** Degraded parts, in `degraded` of a check's result. */
function withoutOf(answer: unknown): readonly string[] {
  const named: unknown = typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'degraded') : null
  return Array.isArray(named) ? named.filter((each) => typeof each === 'string') : []
}
