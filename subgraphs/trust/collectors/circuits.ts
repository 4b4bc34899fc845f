import type { Logger } from 'pino'
import { type CircuitBreaker, type CircuitSettings, circuitBreaker } from '../../../platform/outbound/circuit-breaker.ts'
import { Fault, type FaultReason, faultOf } from '../../../platform/outbound/fault.ts'

/** Circuit breakers of external services: decisions do not wait for a failing one. */
export type Circuits = {
  /** Calls `upstream`, or throws a `Fault` at once while its circuit is open. */
  readonly run: <Result>(upstream: string, work: () => Promise<Result>) => Promise<Result>
}

/**
 * Registries are queried rarely, answer slowly and fail for minutes: a longer window than for our
 * own services, and a longer open state. A minute at most: when our own network failed, all of them
 * are open.
 */
const SOURCE_PACE: CircuitSettings = { windowSeconds: 60, minAttempts: 5, initialCoolingMs: 5_000, maxCoolingMs: 60_000 }

/** Failures of the service itself; others concern one answer, or us. */
const FAILURES: ReadonlySet<FaultReason> = new Set(['timeout', 'unavailable', 'rate_limited', 'refused', 'no_tls'])

/**
 * One circuit per upstream, in this process. `now`: milliseconds of a clock that does not go
 * backwards.
 */
export function createCircuits(log: Logger, now: () => number = () => performance.now()): Circuits {
  // Upstreams are the operator's and those of IANA's list: some hundred.
  const circuits = new Map<string, CircuitBreaker>()

  function circuitOf(upstream: string): CircuitBreaker {
    const existing = circuits.get(upstream)
    if (existing) return existing
    const circuit = circuitBreaker({
      now,
      pace: SOURCE_PACE,
      onChange: (state) => log[state === 'open' ? 'warn' : 'info']({ upstream, circuit: state }, 'a circuit of a source changed'),
    })
    circuits.set(upstream, circuit)
    return circuit
  }

  return {
    async run(upstream, work) {
      const leave = circuitOf(upstream).enter()
      if (!leave) throw new Fault('unavailable', `${upstream} keeps failing and is left alone for a while`)
      try {
        const result = await work()
        leave('answered')
        return result
      } catch (error) {
        const { reason } = faultOf(error)
        leave(reason === 'no_capacity' ? 'abandoned' : FAILURES.has(reason) ? 'failed' : 'answered')
        throw error
      }
    },
  }
}
