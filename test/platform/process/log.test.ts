import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

const LOG = join(import.meta.dirname, '../../../platform/process/log.ts')

test('a process continues when the disk of its log is full', async () => {
  const code = `import { createLog } from ${JSON.stringify(LOG)}
    const log = createLog('info')
    for (let line = 0; line < 1_000; line++) log.info('x'.repeat(10_000))
    setTimeout(() => console.error(process.memoryUsage().rss < 300_000_000 ? 'still here' : 'large'), 100)`
  // Whatever is written there finds no room.
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
  })
  const [said, [status]] = await Promise.all([text(child.stderr as NonNullable<typeof child.stderr>), once(child, 'exit')])
  expect([status, said.trim()]).toEqual([0, 'still here'])
})
