import { execFileSync, spawnSync } from 'node:child_process'
import { afterEach, expect, test } from 'vitest'
import { hostsMissing, startNetwork } from './support/hosts/network.ts'

const left: string[] = []
afterEach(() => {
  for (const name of left.splice(0)) spawnSync('ip', ['netns', 'del', name])
})

const spaces = (): readonly string[] =>
  execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.split(' ', 1)[0] ?? '')

test.skipIf(hostsMissing)('hosts delete what a killed process left behind, and nothing of a running one', () => {
  const { pid } = spawnSync('true')
  left.push(`atrium-${pid}-000000-edge`, `atrium-${process.pid}-000000-edge`)
  for (const name of left) execFileSync('ip', ['netns', 'add', name])
  const network = startNetwork(['one', 'two'])
  const during = spaces()
  network.close()
  expect(left.map((name) => during.includes(name))).toEqual([false, true])
  expect(during.filter((name) => name.endsWith('-one') || name.endsWith('-two')).length).toBeGreaterThanOrEqual(2)
  expect(spaces().filter((name) => name.startsWith(`atrium-${process.pid}-`))).toEqual(left.slice(1))
})
