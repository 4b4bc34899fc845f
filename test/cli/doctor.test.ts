import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkClock, checkNetwork, checkNode } from '../../cli/doctor/machine.ts'
import { migrate } from '../../platform/database/migrate.ts'
import { runAtrium } from '../support/command-line.ts'
import { emptyDatabase, type FreshDatabase } from '../support/database.ts'

let database: FreshDatabase
let folder: string
beforeAll(async () => {
  database = await emptyDatabase()
  folder = mkdtempSync(join(tmpdir(), 'atrium-doctor-'))
})
afterAll(async () => {
  await database?.drop()
  rmSync(folder, { recursive: true })
})

async function atrium(words: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { PATH, HOME } = process.env
  return runAtrium(words, { PATH, HOME, DATA_DIR: folder, PORT: '0', TRUST_LISTS: 'none', LOG_LEVEL: 'silent', ...env })
}
async function doctor(env: NodeJS.ProcessEnv = {}) {
  const { out, code } = await atrium(['doctor', '--json'], env)
  const findings: { check: string; state: string; found: string; remedy: string | null }[] = JSON.parse(out)
  return { code, of: (check: string) => findings.find((finding) => finding.check === check) }
}
const databaseUrl = () => (database.connection as { connectionString: string }).connectionString

test('says of an installation that works what there is, and of a database that was not migrated what to do', async () => {
  const before = await doctor({ DATABASE_URL: databaseUrl() })
  expect([before.code, before.of('schema')]).toMatchObject([0, { state: 'warn', remedy: expect.stringContaining('db migrate') }])
  await migrate(database.connection)
  const { code, of } = await doctor({ DATABASE_URL: databaseUrl() })
  expect(code).toBe(0)
  for (const check of ['node', 'settings', 'port', 'disk', 'database', 'schema'])
    expect([check, of(check)?.state]).toEqual([check, 'ok'])
  expect(of('clock')?.found).toBe('agrees with the database')
  expect(of('secrets')?.state).toBe('warn')
})

test('a folder without a database stays without one', async () => {
  const { code, of } = await doctor()
  expect([code, of('database')?.found]).toEqual([0, `none yet: the first start creates one in ${folder}`])
  expect((await doctor()).of('database')?.found).toContain('none yet')
})

test('every fault has a remedy, and the command exits with 1', async () => {
  const server = createServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const taken = await doctor({ PORT: String(port) })
  expect([taken.code, taken.of('port')]).toMatchObject([1, { state: 'fail', found: `another program uses 127.0.0.1:${port}` }])
  server.close()

  const unreachable = await doctor({ DATABASE_URL: 'postgres://nobody:hunter2@127.0.0.1:9/none' })
  expect([unreachable.code, unreachable.of('database')]).toMatchObject([
    1,
    { state: 'fail', remedy: expect.stringContaining('DATABASE_URL') },
  ])
  expect(unreachable.of('database')?.found).not.toContain('hunter2')

  const setting = await doctor({ PORT: 'x' })
  expect([setting.code, setting.of('settings')?.found]).toEqual([1, expect.stringContaining('Expected PORT to be')])
  expect((await doctor({ PUBLIC_URL: 'https://atrium.example' })).of('secrets')?.state).toBe('fail')
})

test('clocks that differ, an old Node.js and a network without names are named', async () => {
  expect([checkClock(4_000, 'x').state, checkClock(-90_000, 'the database')]).toMatchObject([
    'ok',
    { state: 'fail', found: '90 seconds behind the database' },
  ])
  expect([checkNode('20.1.0').state, checkNode('24.1.0').state]).toEqual(['fail', 'ok'])
  expect(await checkNetwork('http://no-such-name.invalid/')).toMatchObject([
    { state: 'warn', remedy: expect.stringContaining('TRUST_LISTS') },
  ])
  const server = createServer((_, response) =>
    response.setHeader('date', new Date(Date.now() - 60_000).toUTCString()).end(),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const findings = await checkNetwork(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  expect(findings).toMatchObject([{ state: 'ok' }, { check: 'clock', state: 'fail' }])
  server.close()
})

test('the help fits on a screen, and leads to the variables; the version is that of the package', async () => {
  const { out } = await atrium(['--help'])
  expect(out.split('\n').length).toBeLessThan(40)
  expect(out).toContain('help env')
  expect((await atrium(['help', 'env'])).out).toContain('DATABASE_URL')
  expect((await atrium(['help', 'db', 'backup'])).out).toContain('Usage: atrium db backup')
  expect((await atrium(['help', 'nothing'])).code).toBe(2)
  expect((await atrium(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('a shell completes commands, commands below them, and options', async () => {
  const { out } = await atrium(['completion', 'bash'])
  const completed = async (...words: string[]) => {
    const ask = `${out}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _atrium; echo "\${COMPREPLY[@]}"`
    const shell = spawn('bash', ['-c', ask], { stdio: ['ignore', 'pipe', 'inherit'] })
    return (await text(shell.stdout)).trim().split(' ')
  }
  expect(await completed('atrium', 'doc')).toEqual(['doctor'])
  expect(await completed('npx', 'atrium', 'db', 'b')).toEqual(['backup'])
  expect(await completed('atrium', 'user', 'create', '--em')).toEqual(['--email'])
  for (const shell of ['zsh', 'fish']) expect((await atrium(['completion', shell])).out).toContain('doctor')
  expect((await atrium(['completion', 'cmd'])).code).toBe(2)
})
