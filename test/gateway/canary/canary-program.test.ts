import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { CANARY_TOKEN, clientOf, twoSupergraphs } from './canary-graph.ts'

const ROOT = join(import.meta.dirname, '../../..')

test('the command serves a candidate of the configuration file, and counts both supergraphs', async () => {
  const { supergraphs } = await twoSupergraphs()
  const folder = mkdtempSync(join(tmpdir(), 'atrium-canary-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'supergraph.graphql'), supergraphs.served)
  writeFileSync(join(folder, 'next.graphql'), supergraphs.candidate)
  writeFileSync(
    join(folder, 'atrium.config.ts'),
    `import { readFileSync } from 'node:fs'
    export default {
      supergraphFile: 'supergraph.graphql',
      canary: { supergraph: readFileSync('next.graphql', 'utf8'), percent: 0, optIn: { header: 'x-canary', value: '1' } },
    }`,
  )
  const child = spawn(process.execPath, [join(ROOT, 'gateway/main.ts'), '--port', '0', '--log-level', 'silent'], {
    cwd: folder,
    env: { PATH: process.env.PATH, CANARY_TOKEN },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  let printed = ''
  child.stderr.on('data', (chunk) => {
    printed += chunk
  })
  await expect.poll(() => printed, { timeout: 30_000 }).toContain('ready')
  const url = /http:\S+/.exec(printed)?.[0] ?? ''
  const { priceFor, admin, post } = clientOf({ url })

  expect([await priceFor({}), await priceFor({ 'x-canary': '1' })]).toEqual([1, 2])
  await post('{ goods { old } }', { 'x-canary': '1' })
  expect((await admin({ headers: { authorization: '' } })).status).toBe(401)
  const metrics = await (await fetch(url.replace('/graphql', '/metrics'))).text()
  const counts = metrics.split('\n').filter((line) => line.startsWith('atrium_supergraph_operations_total{'))
  expect(counts.sort()).toEqual([
    'atrium_supergraph_operations_total{version="candidate",outcome="errors"} 1',
    'atrium_supergraph_operations_total{version="candidate",outcome="ok"} 1',
    'atrium_supergraph_operations_total{version="served",outcome="ok"} 1',
  ])
  expect(metrics).toContain('atrium_supergraph_operation_duration_seconds_count{version="candidate"} 2')
  expect((await admin({ method: 'POST', body: '{"action":"promote"}' })).status).toBe(200)
  expect(await priceFor({})).toBe(2)
  const { ended: end } = (await (await admin()).json()) as { ended: { kind: string } }
  expect(end.kind).toBe('promoted')
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})
