import { decide, decisionText } from '../../subgraphs/trust/pipeline/decide.ts'
import { normalise, type Target } from '../../subgraphs/trust/pipeline/normalise.ts'
import { CURRENT_POLICY } from '../../subgraphs/trust/pipeline/policy.ts'
import { DEFAULT_INTERACTION } from '../../subgraphs/trust/pipeline/request.ts'
import { knownBank, nothingKnown, youngLookalike } from '../../test/subgraphs/trust/pipeline/support/samples.ts'
import type { Figure } from './figure.ts'

/** Microseconds per decision, set by the requirement of 0.3 ms. */
const BAR = 300
const BATCHES = 200
const PER_BATCH = 300

const HOSTS = [
  'dbs.com.sg',
  'paypa1-secure-login.com',
  'xn--80ak6aa92e.com',
  'docs-team.github.io',
  'a.b.c.hendersonplumbing.co.uk',
  'marias-garden-notes.com',
]

/**
 * Reads names and decides about them from a fixed mix of evidence (a known bank, a young
 * look-alike, nothing at all), one after the other. By the clock: median of batches; of the
 * processor: mean, with the garbage collector's threads. Only the latter has a bar, because it is
 * the same on a busy machine.
 */
export function engineFigures(): Figure[] {
  const work = HOSTS.map(target).flatMap((one) =>
    [knownBank(one.host), youngLookalike(one.host), nothingKnown(one.host)].map((snapshot) => ({ one, snapshot })),
  )
  const begun = performance.now()
  decide(nothingKnown('dbs.com.sg'), request(target('dbs.com.sg')), CURRENT_POLICY, null)
  const first = performance.now() - begun
  const decided = (index: number) => {
    const { one, snapshot } = work[index % work.length] ?? fail()
    return decide(snapshot, request(one), CURRENT_POLICY, null)
  }
  const perDecision = measure(decided)
  const perText = measure((index) => decisionText(decided(index)))
  const perName = measure((index) => target(HOSTS[index % HOSTS.length] ?? fail()))
  return [
    { what: 'engine: a decision, of the processor', value: perDecision.cpu, unit: 'µs', bar: BAR },
    { what: 'engine: a decision, by the clock', value: perDecision.clock, unit: 'µs', bar: null },
    { what: 'engine: a decision and its bytes, of the processor', value: perText.cpu, unit: 'µs', bar: null },
    { what: 'engine: reading a name, of the processor', value: perName.cpu, unit: 'µs', bar: null },
    { what: 'engine: the first decision, which prepares the tables', value: first, unit: 'ms', bar: null },
  ]
}

function target(host: string): Target {
  const normalised = normalise('domain', host)
  if (normalised.kind === 'invalid') throw new Error(normalised.message)
  return normalised.target
}

const request = (one: Target) => ({ target: one, interaction: DEFAULT_INTERACTION, profile: 'balanced' as const })

type Measured = { readonly clock: number; readonly cpu: number }
function measure(run: (index: number) => unknown): Measured {
  for (let index = 0; index < 3 * PER_BATCH; index++) run(index)
  const batches: number[] = []
  const before = process.cpuUsage()
  for (let batch = 0; batch < BATCHES; batch++) {
    const begin = performance.now()
    for (let index = 0; index < PER_BATCH; index++) run(index)
    batches.push(((performance.now() - begin) * 1000) / PER_BATCH)
  }
  const { user, system } = process.cpuUsage(before)
  batches.sort((a, b) => a - b)
  return { clock: batches[BATCHES >> 1] ?? 0, cpu: (user + system) / (BATCHES * PER_BATCH) }
}

function fail(): never {
  throw new Error('Expected work.')
}
