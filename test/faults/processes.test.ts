import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasCluster } from '../cluster/support.ts'
import { isLong, underLoad } from './support/fault.ts'
import { type Installation, startInstallation } from './support/installation.ts'

/** What happens to an installation; resolves when everything runs again. */
type Fault = { readonly name: string; readonly isShort?: true; readonly happen: (installation: Installation) => Promise<void> }

/** As a machine does that loses a process, and starts it again at once. */
const kill = (name: string) => async (installation: Installation) => {
  const { programs, balancer, redis } = installation.cluster
  const program = [...programs, balancer, redis].find((each) => each.name === name)
  if (!program) throw new Error(`Expected a program with the name ${name}.`)
  process.kill(program.pid(), 'SIGKILL')
  await program.stop()
  await program.start()
}

/** SIGINT and SIGQUIT are what `pg_ctl restart` sends, with `-m fast` and `-m immediate`. */
const restart =
  (which: 'primary' | 'replica', signal: 'SIGINT' | 'SIGKILL' | 'SIGQUIT') =>
  async ({ cluster }: Installation) => {
    const server = cluster.databases[which]
    process.kill(server.pid(), signal)
    await server.gone()
    await server.start()
  }

/** Long enough for every kind of write to need Redis more than once. */
const AWAY_MILLISECONDS = 5_000

const FAULTS: readonly Fault[] = [
  { name: 'kill -9 of the balancer', happen: kill('haproxy') },
  { name: 'kill -9 of a gateway', happen: kill('gateway-1'), isShort: true },
  { name: 'kill -9 of a directory', happen: kill('directory-1') },
  { name: 'kill -9 of a social', happen: kill('social-1') },
  { name: 'kill -9 of a store', happen: kill('store-1'), isShort: true },
  { name: 'kill -9 of a trust', happen: kill('trust-1') },
  { name: 'kill -9 of Redis', happen: kill('redis') },
  {
    name: 'Redis gone, and back',
    async happen({ cluster: { redis } }) {
      await redis.stop()
      await sleep(AWAY_MILLISECONDS)
      await redis.start()
    },
  },
  { name: 'kill -9 of PostgreSQL', happen: restart('primary', 'SIGKILL') },
  { name: 'restart of PostgreSQL, fast', happen: restart('primary', 'SIGINT'), isShort: true },
  { name: 'restart of PostgreSQL, immediate', happen: restart('primary', 'SIGQUIT') },
  { name: 'kill -9 of the replica', happen: restart('replica', 'SIGKILL') },
]

describe.skipIf(!hasCluster)('no acknowledged write is lost or duplicated after', () => {
  let installation: Installation
  beforeAll(async () => {
    installation = await startInstallation(isLong ? 2 : 1)
  }, 400_000)
  afterAll(() => installation?.close(), 60_000)

  for (const { name, happen } of FAULTS.filter(({ isShort }) => isLong || isShort)) {
    test(name, { timeout: 300_000 }, async (context) => {
      await underLoad(context, installation, () => happen(installation))
    })
  }

  test('a webhook receiver gets each order, always under the same id', { timeout: 150_000 }, async () => {
    await expect.poll(installation.untold, { timeout: 120_000, interval: 200 }).toEqual([])
    expect([...installation.deliveries].filter(([, ids]) => ids.size !== 1)).toEqual([])
  })
})
