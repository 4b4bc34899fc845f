import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { hasCluster } from '../cluster/support.ts'
import { isLong, underLoad } from './support/fault.ts'
import { type Installation, startInstallation } from './support/installation.ts'

/** Only root may mount. */
const mayMount = process.getuid?.() === 0

/** Writes zeros until nothing more goes into the file. */
function fill(file: string): void {
  for (let bytes = 1 << 20; bytes >= 1; bytes >>= 1) {
    try {
      for (;;) appendFileSync(file, Buffer.alloc(bytes))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
}

describe.skipIf(!hasCluster || !isLong || !mayMount)('on a full disk of database, files and logs', () => {
  const disk = mkdtempSync(join(tmpdir(), 'atrium-disk-'))
  let installation: Installation
  beforeAll(async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1g,mode=755', 'tmpfs', disk])
    installation = await startInstallation(1, { folder: disk })
  }, 400_000)
  afterAll(async () => {
    await installation?.close()
    // Lazily: what was ended a moment ago may still have a file of it.
    execFileSync('umount', ['-l', disk])
    rmSync(disk, { recursive: true })
  }, 60_000)

  test('a full disk, and room again', { timeout: 400_000 }, async (context) => {
    const { databases } = installation.cluster
    await underLoad(context, installation, async () => {
      fill(join(disk, 'zeros'))
      // Until nothing can be written any more, whatever was set aside before.
      await sleep(20_000)
      if (statfsSync(disk).bavail > 256) throw new Error('Expected a full disk.')
      rmSync(join(disk, 'zeros'))
      for (const server of [databases.primary, databases.replica]) {
        // PostgreSQL ends when there is no room for its log.
        const isGone = await Promise.race([server.gone().then(() => true), sleep(100, false)])
        if (isGone) await server.start()
      }
    })
  })
})
