import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'

const SCRIPT = join(import.meta.dirname, '../../scripts/audit.ts')

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

type Answer = (requestedPackages: Readonly<Record<string, readonly string[]>>, response: ServerResponse) => void

/** A registry on loopback: `answer` gets what is asked about advisories; it has no packages. */
async function aRegistry(answer: Answer): Promise<string> {
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(404).end('{}')
    answer(JSON.parse(await bodyOf(request)), response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  return (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString()
}

const json = (response: ServerResponse, value: unknown): void => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
const advisory = (severity: string, id = 'GHSA-aaaa-bbbb-cccc') => ({
  id: 1,
  url: `https://github.com/advisories/${id}`,
  title: 'It does what it should not',
  severity,
  vulnerable_versions: '<=1.3.0',
  cwe: [],
  cvss: { score: 7 },
})
/**
 * A source that knows `found` by package, and the package that the script asks every source about.
 */
const knowing =
  (found: Readonly<Record<string, readonly object[]>>): Answer =>
  (requestedPackages, response) => {
    const all: Readonly<Record<string, readonly object[]>> = { minimist: [advisory('critical', 'GHSA-xvch-5gv4-984h')], ...found }
    json(response, Object.fromEntries(Object.entries(all).filter(([name]) => name in requestedPackages)))
  }

/** Runs the script on a project of one production and one development dependency. */
async function audit(
  registry: string,
  { exceptions, options = [] }: { readonly exceptions?: unknown; readonly options?: readonly string[] } = {},
): Promise<{ readonly status: number; readonly said: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-audit-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  const own = { name: 'a', version: '1.0.0', dependencies: { 'left-pad': '1.3.0' }, devDependencies: { 'right-pad': '1.3.0' } }
  const packages = {
    '': own,
    'node_modules/left-pad': { version: '1.3.0', license: 'MIT' },
    'node_modules/right-pad': { version: '1.3.0', license: 'MIT', dev: true },
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(own))
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ name: 'a', lockfileVersion: 3, packages }))
  if (exceptions !== undefined) {
    writeFileSync(join(folder, 'audit-exceptions.json'), typeof exceptions === 'string' ? exceptions : JSON.stringify(exceptions))
  }
  // npm keeps what it has learned of an advisory.
  const env = { ...process.env, npm_config_registry: registry, npm_config_cache: join(folder, '.npm') }
  return new Promise((done) => {
    execFile(process.execPath, [SCRIPT, ...options], { cwd: folder, env }, (error, stdout, stderr) =>
      done({ status: error ? Number(error.code) : 0, said: stdout + stderr }),
    )
  })
}

const NOT_AUDITED = 'the dependencies were NOT audited'
const EXCEPTION = {
  advisory: 'GHSA-aaaa-bbbb-cccc',
  package: 'left-pad',
  reason: 'Only texts of our own are padded here.',
  until: '2999-01-31',
}

test.each(['high', 'critical', 'a word of tomorrow'])('an advisory of severity %s fails the build', async (severity) => {
  const { status, said } = await audit(await aRegistry(knowing({ 'left-pad': [advisory(severity)] })))
  expect([status, said]).toEqual([
    1,
    `${severity}: left-pad <=1.3.0: It does what it should not, https://github.com/advisories/GHSA-aaaa-bbbb-cccc\nAudited: failed.\n`,
  ])
})

test('one about a development dependency fails it too, and says which it is', async () => {
  const { status, said } = await audit(await aRegistry(knowing({ 'right-pad': [advisory('high')] })))
  expect([status, said]).toEqual([1, expect.stringContaining('high: right-pad <=1.3.0 (development): ')])
})

test.each(['moderate', 'low', 'info'])('one of severity %s is listed', async (severity) => {
  const { status, said } = await audit(await aRegistry(knowing({ 'left-pad': [advisory(severity)] })))
  expect([status, said]).toEqual([0, expect.stringMatching(new RegExp(`^${severity}: left-pad .*\nAudited: passed\\.\n$`))])
})

test('an advisory source without findings passes', async () => {
  const { status, said } = await audit(await aRegistry(knowing({})))
  expect([status, said]).toEqual([0, 'Audited: no advisory concerns a dependency.\n'])
})

test.each<[string, Answer]>([
  ['404', (_, response) => response.writeHead(404).end('{}')],
  ['500', (_, response) => response.writeHead(500).end()],
  ['a page', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
  ['a list', (_, response) => json(response, [])],
  ['nothing, about a package that everybody knows about', (_, response) => json(response, {})],
  ['half an answer', (_, response) => response.writeHead(200, { 'content-length': '100' }).end('{"minimist":')],
  ['an answer that breaks off', (_, response) => response.destroy()],
  ['silence', () => {}],
  [
    'drops',
    (_, response) => {
      response.writeHead(200)
      const dropping = setInterval(() => response.write(' '), 100)
      response.on('close', () => clearInterval(dropping))
    },
  ],
])('where a source answers with %s, it passes and says that nothing was audited', async (_, answer) => {
  const { status, said } = await audit(await aRegistry(answer), { options: ['--time-limit', '2'] })
  expect([status, said]).toEqual([
    0,
    expect.stringMatching(/^No advisory source answered \(.+\): the dependencies were NOT audited\.\n$/),
  ])
})

test('an unreachable source passes, and so does one that stops answering after the first request', async () => {
  expect(await audit('http://127.0.0.1:9/')).toMatchObject({ status: 0, said: expect.stringContaining(NOT_AUDITED) })
  const once: Answer = (requestedPackages, response) =>
    'minimist' in requestedPackages ? knowing({})(requestedPackages, response) : undefined
  const hanging = await audit(await aRegistry(once), { options: ['--time-limit', '3'] })
  expect(hanging).toMatchObject({ status: 0, said: expect.stringContaining(NOT_AUDITED) })
})

test('an exception holds for its advisory, its package and until its day', async () => {
  const registry = await aRegistry(knowing({ 'left-pad': [advisory('high')] }))
  const excepted = await audit(registry, { exceptions: [EXCEPTION] })
  expect([excepted.status, excepted.said]).toEqual([
    0,
    expect.stringMatching(/^excepted: high: left-pad .*\nAudited: passed\.\n$/),
  ])
  for (const other of [{ advisory: 'GHSA-other' }, { package: 'right-pad' }]) {
    const { status, said } = await audit(registry, { exceptions: [{ ...EXCEPTION, ...other }] })
    expect([status, said]).toEqual([1, expect.stringContaining('is not needed any more')])
  }
  const { status, said } = await audit(registry, { exceptions: [{ ...EXCEPTION, until: '2026-01-31' }] })
  expect([status, said]).toEqual([
    1,
    expect.stringContaining('The exception for GHSA-aaaa-bbbb-cccc of left-pad ended on 2026-01-31.'),
  ])
})

test('an expired exception fails the build, also when no source answers', async () => {
  const { status, said } = await audit('http://127.0.0.1:9/', { exceptions: [{ ...EXCEPTION, until: '2026-01-31' }] })
  expect([status, said]).toEqual([1, expect.stringContaining('ended on 2026-01-31.')])
})

test.each([
  ['no JSON', '[{', 'Expected a list of'],
  ['no reason', [{ ...EXCEPTION, reason: '' }], '0.reason'],
  ['no day', [{ ...EXCEPTION, until: 'some day' }], '0.until'],
  ['a misspelt key', [{ ...EXCEPTION, untill: '2027-01-01' }], 'untill'],
])('exceptions with %s fail the build with their position', async (_, exceptions, where) => {
  const { status, said } = await audit('http://127.0.0.1:9/', { exceptions })
  expect([status, said]).toEqual([1, expect.stringContaining(where)])
  expect(said).toMatch(/^audit-exceptions\.json: /)
})
