import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { Cluster } from '../../composition/cluster/cluster.ts'
import { hasCluster } from '../cluster/support.ts'
import { ENOUGH, isLong, underLoad, whileLoaded } from './support/fault.ts'
import { type Installation, startInstallation } from './support/installation.ts'
import { rowsOf } from './support/kinds.ts'
import { startLoad } from './support/ledger.ts'

/**
 * As docs/reliability.md recommends to who may lose nothing: a commit is one when the replica has
 * it too.
 */
const SYNCHRONOUS = { synchronous_standby_names: 'replica' }

/**
 * The machine of the primary is gone, and somebody makes a primary of the replica. The balancer
 * finds it by itself.
 */
async function failOver({ databases: { primary, replica } }: Cluster): Promise<void> {
  process.kill(primary.pid(), 'SIGKILL')
  await primary.gone()
  await rowsOf(replica.connection.connectionString, 'SELECT pg_promote()')
}

/**
 * Stops what sends the log to the replica, as a network does that is cut. Nothing is sent by it any
 * more: it is killed with its server.
 */
async function cutOff({ databases: { primary } }: Cluster): Promise<() => void> {
  const [sender] = await rowsOf<{ readonly pid: number }>(
    primary.connection.connectionString,
    'SELECT pid FROM pg_stat_replication',
  )
  if (!sender) throw new Error('Expected a replica that is connected.')
  process.kill(sender.pid, 'SIGSTOP')
  return () => process.kill(sender.pid, 'SIGKILL')
}

describe.skipIf(!hasCluster || !isLong)('when the replica takes over', () => {
  let installation: Installation
  afterEach(() => installation?.close(), 60_000)

  test('fail-over to a synchronous replica', { timeout: 400_000 }, async (context) => {
    installation = await startInstallation(1, { databaseSettings: SYNCHRONOUS })
    await underLoad(context, installation, () => failOver(installation.cluster))
  })

  test('fail-over to a synchronous replica that was cut off before', { timeout: 400_000 }, async (context) => {
    installation = await startInstallation(1, { databaseSettings: SYNCHRONOUS })
    const { cluster } = installation
    await underLoad(context, installation, async () => {
      const kill = await cutOff(cluster)
      await sleep(2_000)
      kill()
      await failOver(cluster)
    })
  })

  test('an asynchronous replica without the last transactions lacks their rows, and the ledger of the test reports them', {
    timeout: 400_000,
  }, async () => {
    installation = await startInstallation(1)
    const { cluster } = installation
    const findings = await whileLoaded(startLoad(await installation.kinds(), 1), async (load) => {
      await load.more(ENOUGH)
      const kill = await cutOff(cluster)
      await load.more(ENOUGH)
      kill()
      await failOver(cluster)
      await load.more(ENOUGH)
    })
    console.log(
      findings.map(({ kind, acknowledged, lost }) => `${kind}: ${acknowledged} acknowledged, ${lost.length} lost`).join('\n'),
    )
    for (const { lost, duplicated } of findings) {
      expect(lost.length).toBeGreaterThanOrEqual(ENOUGH)
      expect(duplicated).toEqual([])
    }
  })
})
