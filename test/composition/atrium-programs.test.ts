import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NODE_FLAGS } from '../../composition/cluster/atrium-programs.ts'

const START: string = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')).scripts.start

test('processes of a cluster have the flags of `npm start`, which Node.js knows', () => {
  expect(NODE_FLAGS.length).toBeGreaterThan(1)
  expect(START.endsWith(`node ${NODE_FLAGS.join(' ')} main.ts`)).toBe(true)
  // It refuses flags that it does not know.
  expect(spawnSync(process.execPath, [...NODE_FLAGS, '-e', '0']).status).toBe(0)
})
