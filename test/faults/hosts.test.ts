import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENOUGH, isLong, noteFault, underLoad, whileLoaded } from './support/fault.ts'
import { hostsMissing, type Machines, startMachines } from './support/hosts/machines.ts'
import type { Heal } from './support/hosts/network.ts'
import { type PostgresHost, SYNCHRONOUS } from './support/hosts/postgres.ts'
import { type Findings, startLoad } from './support/ledger.ts'

if (hostsMissing) console.warn(`Faults of links are not tested: ${hostsMissing}.`)

/** Longer than balancers need to see that a link is cut, and than a fetch may take. */
const FAULT_MS = isLong ? 12_000 : 6_000
/** Of a link that a statement with its result takes a moment to pass. */
const NARROW_KILOBITS_PER_SECOND = 512

/** What happens to a link; resolves when all links are as before. */
type Fault = {
  readonly name: string
  readonly isShort?: true
  readonly happen: (machines: Machines) => Promise<void>
}

const during = (begin: (machines: Machines) => Heal) => async (machines: Machines) => {
  const heal = begin(machines)
  await sleep(FAULT_MS)
  heal()
}

const FAULTS: readonly Fault[] = [
  {
    name: 'a cut link between a gateway and the subgraphs',
    happen: during(({ network }) => network.cut(['gateway-1'], ['inner'])),
  },
  {
    name: 'a cut link between a subgraph and the database',
    happen: during(({ network }) => network.cut(['store-1'], ['data'])),
  },
  {
    name: 'a link between a subgraph and the database on which requests arrive and answers do not',
    isShort: true,
    happen: during(({ network }) => network.drop(['data'], ['store-1'])),
  },
  {
    name: 'a link between a gateway and the subgraphs on which requests arrive and answers do not',
    isShort: true,
    happen: during(({ network }) => network.drop(['inner'], ['gateway-1'])),
  },
  {
    name: 'a cut link between the primary and all that write',
    happen: during(({ network }) => network.cut(['postgres-1'], ['data'])),
  },
  {
    name: '5 % loss on all links of the database and of the subgraphs',
    happen: during(({ network, others }) => {
      const some = ['data', 'inner']
      const heals = [network.drop(some, others(some), 5), network.drop(others(some), some, 5)]
      return () => heals.forEach((heal) => void heal())
    }),
  },
  {
    name: `${NARROW_KILOBITS_PER_SECOND} kbit/s to the database`,
    happen: during(({ network }) => network.slow('data', NARROW_KILOBITS_PER_SECOND)),
  },
  {
    name: 'a replica that is cut off',
    happen: during(({ network, others }) => network.cut(['postgres-2'], others(['postgres-2']))),
  },
  {
    name: 'the master of Redis cut off, until Sentinels have made another one, and back',
    async happen({ network, others, redis }) {
      const before = await redis?.master()
      if (before !== 'redis-1') throw new Error(`Expected redis-1 to be the master, got ${before}.`)
      const heal = network.cut([before], others([before]))
      await expect.poll(() => redis?.master(), { timeout: 60_000 }).toBe('redis-2')
      await sleep(FAULT_MS)
      heal()
    },
  },
  {
    name: 'a zone that is cut off: a gateway, one of each subgraph, a replica, a Redis',
    happen: during(({ network, zone, others }) => network.cut(zone(2), others(zone(2)))),
  },
  {
    name: 'a zone that is gone for good, with the primary in it',
    async happen({ network, zone, others, postgres }) {
      network.cut(zone(1), others(zone(1)))
      await takeOver(postgres.slice(1))
    },
  },
]

/**
 * What docs/reliability.md asks of an operator: of the replicas that are left, the one that has
 * received most is promoted, and the others follow it.
 */
async function takeOver(replicas: readonly PostgresHost[]): Promise<void> {
  const positions = await Promise.all(replicas.map((each) => each.position()))
  const [last] = positions.toSorted((one, other) => Number(other - one))
  const next = replicas.find((_, index) => positions[index] === last)
  if (!next) throw new Error('Expected a replica.')
  await next.promote()
  for (const each of replicas) if (each !== next) await each.follow(next)
}

describe.skipIf(hostsMissing)('on hosts of their own, no acknowledged write is lost or duplicated after', () => {
  let machines: Machines
  beforeAll(async () => {
    machines = await startMachines(
      isLong ? { copies: 2, replicas: 2, hasSentinel: true, databaseSettings: SYNCHRONOUS } : { copies: 1, replicas: 0 },
    )
  }, 900_000)
  afterAll(() => machines?.close(), 60_000)

  for (const { name, happen } of FAULTS.filter(({ isShort }) => isLong || isShort)) {
    test(name, { timeout: 300_000 }, async (context) => {
      await underLoad(context, machines, () => happen(machines))
    })
  }
})

describe.skipIf(hostsMissing || !isLong)('over links with a delay, no acknowledged write is lost or duplicated', () => {
  let machines: Machines
  beforeAll(async () => {
    machines = await startMachines({ copies: 1, replicas: 0, hasRelay: true })
  }, 900_000)
  afterAll(() => machines?.close(), 60_000)

  // A round trip takes twice as long. What a relay does not delay: see relay.ts.
  for (const [milliseconds, jitter] of [
    [25, 10],
    [100, 50],
  ] as const) {
    const name = `round trips of ${milliseconds * 2} ms and up to ${jitter * 2} more to subgraphs and to the database, and back`
    test(name, { timeout: 300_000 }, async (context) => {
      await underLoad(context, machines, async () => {
        machines.delay(milliseconds, jitter)
        await sleep(FAULT_MS)
        machines.delay(0, 0)
      })
    })
  }
})

describe.skipIf(hostsMissing || !isLong)('a primary that its clients reach and its replicas do not', () => {
  let machines: Machines
  const start = async (databaseSettings: Readonly<Record<string, string>>) => {
    machines = await startMachines({ copies: 1, replicas: 2, databaseSettings })
  }

  /**
   * One replica is behind, then the primary loses the other one as well. A replica is promoted
   * while clients still reach the old primary, and that is fenced at last.
   */
  async function splitBrain(): Promise<readonly Findings[]> {
    const { network, others, postgres } = machines
    return whileLoaded(startLoad(await machines.kinds(), 1), async (load) => {
      await load.more(ENOUGH)
      network.cut(['postgres-1'], ['postgres-2'])
      await load.more(ENOUGH)
      network.cut(['postgres-1'], ['postgres-3'])
      await sleep(FAULT_MS)
      await takeOver(postgres.slice(1))
      await sleep(FAULT_MS)
      network.cut(['postgres-1'], others(['postgres-1']))
      await load.more(ENOUGH)
    })
  }

  test('acknowledges no write that the next primary lacks, where commits wait for a replica', {
    timeout: 900_000,
  }, async (context) => {
    await start(SYNCHRONOUS)
    try {
      const findings = await splitBrain()
      noteFault(context, findings)
      for (const { lost, duplicated, wrongs } of findings)
        expect({ lost, duplicated, wrongs }).toEqual({ lost: [], duplicated: [], wrongs: [] })
    } finally {
      await machines.close()
    }
  })

  test('acknowledges writes that the next primary lacks, where commits wait for none, and the ledger reports them', {
    timeout: 900_000,
  }, async () => {
    await start({})
    try {
      for (const { lost } of await splitBrain()) expect(lost.length).toBeGreaterThanOrEqual(ENOUGH)
    } finally {
      await machines.close()
    }
  })
})
