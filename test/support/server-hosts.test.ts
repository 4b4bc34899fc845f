import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { beginHosted, type Running } from './server-hosts.ts'

const ROOT = join(import.meta.dirname, '../..')

const folder = mkdtempSync(join(tmpdir(), 'atrium-hosts-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs until it is told to end, and needs `closingMs` for that. */
const SERVER = `
  import { setTimeout as sleep } from 'node:timers/promises'
  import { runProgram } from ${JSON.stringify(join(ROOT, 'platform/process/lifecycle.ts'))}
  await runProgram(async (defer) => {
    defer(async () => {
      console.log('closing')
      await sleep(Number(process.env.CLOSING_MS))
    })
    console.log('running')
  })`

const begin = (closingMs: number): Running => {
  const module = relative(ROOT, join(folder, 'server.ts'))
  writeFileSync(join(folder, 'server.ts'), SERVER)
  return beginHosted({ module, args: [], env: { CLOSING_MS: String(closingMs) } })
}
const says = (server: Running, text: string) => expect.poll(server.out).toContain(text)

test('servers of tests share a process, each with its own output and end', async () => {
  const first = begin(0)
  await says(first, 'running')
  first.kill()
  expect(await first.ended).toBe(0)
  const next = begin(0)
  await says(next, 'running')
  next.kill()
  expect(await next.ended).toBe(0)
  expect(next.child).toBe(first.child)
  expect([first.said(), next.out(), next.err()]).toEqual(['running\nclosing\n', 'running\nclosing\n', ''])
})

test('the end of a server that a second signal has cut short is not the end of the next one', async () => {
  const cut = begin(60_000)
  await says(cut, 'running')
  cut.kill()
  await says(cut, 'closing')
  cut.kill()
  expect(await cut.ended).toBe(143)
  const next = begin(0)
  await says(next, 'running')
  // What the first one still closes would end whatever else its process runs.
  expect(next.child).not.toBe(cut.child)
  next.kill()
  expect(await next.ended).toBe(0)
})
