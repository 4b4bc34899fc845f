import { describe, expect, test } from 'vitest'
import { type AttemptResult, type CircuitState, circuitBreaker } from '../../../platform/outbound/circuit-breaker.ts'

/** A circuit whose clock stands still until it is told. */
function aCircuit() {
  let time = 0
  const changes: CircuitState[] = []
  const breaker = circuitBreaker({ now: () => time, onChange: (state) => changes.push(state) })
  const attempt = (result: AttemptResult, times = 1) => {
    for (let count = 0; count < times; count++) breaker.enter()?.(result)
  }
  return {
    ...breaker,
    changes,
    attempt,
    pass: (milliseconds: number) => {
      time += milliseconds
    },
    /**
     * How long it stays open from now on: to the millisecond in which it first lets somebody in.
     */
    cooling: () => {
      const begun = time
      for (let end = breaker.enter(); ; end = breaker.enter()) {
        if (end) {
          end('abandoned')
          return time - begun
        }
        time++
      }
    },
  }
}

describe('a closed circuit', () => {
  test.each<{ why: string; answered: number; failed: number; becomes: CircuitState }>([
    { why: 'four failures are too few to judge', answered: 0, failed: 4, becomes: 'closed' },
    { why: 'five failures and nothing else', answered: 0, failed: 5, becomes: 'open' },
    { why: 'half', answered: 5, failed: 5, becomes: 'open' },
    { why: 'less than half', answered: 100, failed: 99, becomes: 'closed' },
  ])('$why: $answered answered, $failed failed, it is $becomes', ({ answered, failed, becomes }) => {
    const circuit = aCircuit()
    circuit.attempt('answered', answered)
    circuit.attempt('failed', failed)
    expect(circuit.state()).toBe(becomes)
  })

  test('forgets what is ten seconds old', () => {
    const circuit = aCircuit()
    circuit.attempt('failed', 4)
    circuit.pass(10_000)
    circuit.attempt('failed', 4)
    expect(circuit.state()).toBe('closed')
    circuit.pass(9_999)
    circuit.attempt('failed')
    expect(circuit.state()).toBe('open')
  })

  test('does not count requests of disconnected clients', () => {
    const circuit = aCircuit()
    circuit.attempt('abandoned', 100)
    expect(circuit.state()).toBe('closed')
  })
})

describe('an open circuit', () => {
  test('rejects all requests until the cool-down, then allows one at a time', () => {
    const circuit = aCircuit()
    circuit.attempt('failed', 5)
    circuit.pass(999)
    expect(circuit.enter()).toBeNull()
    circuit.pass(1)
    const probe = circuit.enter()
    expect([probe === null, circuit.enter(), circuit.state()]).toEqual([false, null, 'half-open'])
    probe?.('answered')
    expect(circuit.changes).toEqual(['open', 'half-open', 'closed'])
    expect(circuit.enter()).not.toBeNull()
  })

  test('a probe whose client disconnected makes room for the next', () => {
    const circuit = aCircuit()
    circuit.attempt('failed', 5)
    circuit.pass(1_000)
    circuit.attempt('abandoned')
    expect([circuit.state(), circuit.enter() === null]).toEqual(['half-open', false])
  })

  test('cools twice as long after each probe that fails, thirty seconds at most', () => {
    const circuit = aCircuit()
    circuit.attempt('failed', 5)
    const times = [1, 2, 3, 4, 5, 6, 7].map(() => {
      const time = circuit.cooling()
      circuit.attempt('failed')
      return time
    })
    expect(times).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  })

  test.each([
    { why: 'a relapse soon after cools longer', healthy: 9_999, cools: 2_000 },
    { why: 'a failure long after is the first of its kind', healthy: 10_000, cools: 1_000 },
  ])('$why', ({ healthy, cools }) => {
    const circuit = aCircuit()
    circuit.attempt('failed', 5)
    circuit.pass(1_000)
    circuit.attempt('answered')
    circuit.pass(healthy)
    circuit.attempt('failed', 5)
    expect(circuit.cooling()).toBe(cools)
  })

  test('what was begun before it opened neither closes nor reopens it', () => {
    const circuit = aCircuit()
    const [early, another] = [circuit.enter(), circuit.enter()]
    circuit.attempt('failed', 5)
    early?.('answered')
    expect(circuit.state()).toBe('open')
    circuit.pass(1_000)
    const probe = circuit.enter()
    another?.('failed')
    expect(circuit.state()).toBe('half-open')
    probe?.('answered')
    expect(circuit.state()).toBe('closed')
  })
})
