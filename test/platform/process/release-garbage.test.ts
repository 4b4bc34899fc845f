import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('garbage is collected and its pages are returned; the program still has no gc()', () => {
  const program = `
    import { releaseGarbage } from './platform/process/release-garbage.ts'
    let all = Array.from({ length: 1_000_000 }, (_, index) => ({ index }))
    const used = process.memoryUsage()
    all = null
    releaseGarbage()
    const left = process.memoryUsage()
    console.log(JSON.stringify({ used, left, gc: typeof globalThis.gc }))`
  const text = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: join(import.meta.dirname, '../../..'),
    encoding: 'utf8',
  })
  const { used, left, gc } = JSON.parse(text) as Record<'used' | 'left', NodeJS.MemoryUsage> & { readonly gc: string }
  expect(used.heapTotal).toBeGreaterThan(30e6)
  expect(left.heapTotal).toBeLessThan(used.heapTotal / 2)
  expect(gc).toBe('undefined')
})
