import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PROCESS_ROLES } from '../../gateway/signed-link/variables.ts'
import { hasCluster } from '../cluster/support.ts'
import { isLong, underLoad } from './support/fault.ts'
import { type Installation, startInstallation } from './support/installation.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Long enough for writes of each kind. */
const MEANWHILE = 5_000

describe.skipIf(!hasCluster || !isLong)('clocks', () => {
  const clocks = mkdtempSync(join(tmpdir(), 'atrium-clocks-'))
  let installation: Installation
  beforeAll(async () => {
    const preload = `--import ${join(import.meta.dirname, 'support/clock.ts')}`
    installation = await startInstallation(1, { settings: { NODE_OPTIONS: preload, FAULT_CLOCKS: clocks } })
  }, 400_000)
  afterAll(async () => {
    await installation?.close()
    rmSync(clocks, { recursive: true })
  }, 60_000)

  const set = (roles: readonly string[], ahead: number) => {
    for (const role of roles) writeFileSync(join(clocks, role), String(ahead))
  }

  for (const [name, ahead] of [
    ['all clocks an hour back, and right again', -HOUR],
    // Tokens end after a quarter of an hour, as they should.
    ['all clocks ten minutes ahead, and right again', 10 * MINUTE],
  ] as const) {
    test(name, { timeout: 300_000 }, async (context) => {
      await underLoad(context, installation, async () => {
        set(PROCESS_ROLES, ahead)
        await sleep(MEANWHILE)
        set(PROCESS_ROLES, 0)
      })
    })
  }

  test('clocks of processes up to 25 seconds apart: no request fails', { timeout: 300_000 }, async (context) => {
    const findings = await underLoad(context, installation, async () => {
      set(['gateway'], 12_000)
      set(['store', 'trust'], 25_000)
      set(['social'], -12_000)
      await sleep(MEANWHILE)
      set(PROCESS_ROLES, 0)
    })
    expect(findings.flatMap(({ failures }) => failures)).toEqual([])
  })

  test('the clock of a gateway an hour ahead of its subgraphs, and right again', { timeout: 300_000 }, async (context) => {
    const findings = await underLoad(context, installation, async () => {
      set(['gateway'], HOUR)
      await sleep(MEANWHILE)
      set(['gateway'], 0)
    })
    for (const { failures } of findings) expect(failures).not.toEqual([])
    const log = readFileSync(join(installation.cluster.logs, 'gateway-1.log'), 'utf8')
    expect(log).toContain('are the clocks of both machines right?')
  })
})
