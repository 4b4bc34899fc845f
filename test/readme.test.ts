import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMain } from './support/program.ts'

const ROOT = join(import.meta.dirname, '..')
const run = promisify(execFile)

/**
 * The requests that README tells a newcomer to paste, in order; a request may take several lines.
 */
const requests = [...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)]
  .flatMap(([, block = '']) => block.replace(/^#.*\n/gm, '').split(/\n(?=curl |npx |$)/))
  .map((line) => line.trim())
  .filter((line) => line.startsWith('curl '))

let dataDir: string
let server: Awaited<ReturnType<typeof startMain>>

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'atrium-readme-'))
  // A new database of its own, whatever the suite runs on: a newcomer has nothing else.
  const { DATABASE_URL: _, ...environment } = process.env
  server = await startMain({ ...environment, DATA_DIR: dataDir }, ['npm', 'start'])
})
afterAll(async () => {
  await server?.kill()
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
  request.replace('curl ', `curl -sS --fail-with-body ${flags} `).replaceAll('localhost:4000', `localhost:${server.port}`)

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
  const query = 'mutation ($email: String!) { createUser(input: { email: $email, name: "Reader" }) { user { id } } }'
  // The first line says that it is connected, which is a little before it hears of anything.
  for (let index = 0; !seen.includes('Reader'); index++) {
    await fetch(`${server.base}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { email: `reader${index}@example.org` } }),
    })
    await sleep(100)
  }
  listener.kill()
})
