import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../gateway/listen.ts'

const ROOT = join(import.meta.dirname, '..')
const run = promisify(execFile)

/** The requests that README tells a newcomer to paste, in order; a request may take several lines. */
const requests = [...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)]
  .flatMap(([, block = '']) => block.replace(/^#.*\n/gm, '').split(/\n(?=curl |npx |$)/))
  .map((line) => line.trim())
  .filter((line) => line.startsWith('curl '))

let port: number
let dataDir: string
let server: ReturnType<typeof spawn>

beforeAll(async () => {
  port = await freePort('127.0.0.1')
  dataDir = mkdtempSync(join(tmpdir(), 'atrium-readme-'))
  // A new database of its own, whatever the suite runs on: a newcomer has nothing else.
  const { DATABASE_URL: _, ...environment } = process.env
  server = spawn('npm', ['start'], { cwd: ROOT, env: { ...environment, PORT: String(port), DATA_DIR: dataDir }, stdio: 'ignore' })
  while (!(await fetch(`http://127.0.0.1:${port}/ready`).catch(() => null))?.ok) await sleep(50)
})
afterAll(async () => {
  server.kill('SIGTERM')
  await new Promise((ended) => server.once('exit', ended))
  rmSync(dataDir, { recursive: true, force: true })
})

test('README shows requests to paste', () => {
  expect(requests.length).toBeGreaterThanOrEqual(4)
})

const [streams, decisions] = [requests.filter(isStream), requests.filter(isDecision)]
const answers = requests.filter((request) => !isStream(request) && !isDecision(request))
function isStream(request: string): boolean {
  return request.includes('text/event-stream')
}
function isDecision(request: string): boolean {
  return request.includes('x-api-key')
}
/** The request for this server; `flags` go to curl. */
const pasted = (request: string, flags: string): string =>
  request.replace('curl ', `curl -sS --fail-with-body ${flags} `).replaceAll('localhost:4000', `localhost:${port}`)

test.each(answers)('%s answers with something to see', async (request) => {
  const { stdout } = await run('sh', ['-c', pasted(request, '')])
  const answer = JSON.parse(stdout)
  expect(answer.errors).toBeUndefined()
  const { login, skills } = answer.data ?? {}
  expect(answer.count ?? skills?.totalCount ?? login?.token?.length ?? (answer.installCommand ? 1 : 0)).toBeGreaterThan(0)
})

test.each(decisions)('%s decides, with a key of the command line', async (request) => {
  const { DATABASE_URL: _, ...environment } = process.env
  const words = ['cli/atrium.ts', 'trust', 'key', 'create', '--plan', 'free', '--json']
  const { stdout: made } = await run(process.execPath, words, { cwd: ROOT, env: { ...environment, DATA_DIR: dataDir } })
  const { stdout } = await run('sh', ['-c', pasted(request, '')], { env: { ...process.env, KEY: JSON.parse(made).key } })
  expect(JSON.parse(stdout)).toMatchObject({ request_id: expect.stringMatching(/^dec_/), recommended_action: expect.any(String) })
})

test.each(streams)('%s shows events as they happen', async (request) => {
  const listener = spawn('sh', ['-c', `exec ${pasted(request, '')}`], { stdio: ['ignore', 'pipe', 'inherit'] })
  let seen = ''
  listener.stdout.on('data', (chunk) => {
    seen += chunk
  })
  // The first line says that it is connected.
  while (seen === '') await sleep(10)
  const query = 'mutation { createUser(input: { email: "reader@example.org", name: "Reader" }) { user { id } } }'
  await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  while (!seen.includes('Reader')) await sleep(10)
  listener.kill()
})
