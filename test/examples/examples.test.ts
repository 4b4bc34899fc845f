import { execFile, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../platform/database/database.ts'
import { PLAIN_SECRETS } from '../../platform/secrets/cipher.ts'
import { paidByOperator, setUpStore } from '../../subgraphs/store/store/set-up.ts'
import type { Tables } from '../../subgraphs/store/tables.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { startMain, unusedPort } from '../support/program.ts'

const ROOT = join(import.meta.dirname, '../..')
const EXAMPLES = join(ROOT, 'examples')
const EXAMPLE_TIMEOUT_MS = 60_000

/** The source of each example; the search words of `search.sh` come before its address. */
const SOURCES = {
  curl: ['search.sh', 'postgres'],
  'typescript-client': ['client.ts'],
  'apollo-client': ['client.ts'],
  'urql-get': ['client.ts'],
  'mcp-agent': ['agent.ts'],
  'webhook-receiver': ['receiver.ts'],
} as const
/** Examples that need no running Atrium; test/examples/apollo-server.test.ts runs it. */
const ALONE = { 'apollo-server': 'server.ts' } as const
type Example = keyof typeof SOURCES
const names = Object.keys(SOURCES) as Example[]

/** The program that runs an example, and its arguments. */
function commandOf(example: Example, url: string): readonly [file: string, args: string[]] {
  const [source, ...words] = SOURCES[example]
  return [source.endsWith('.sh') ? 'sh' : process.execPath, [join(EXAMPLES, example, source), ...words, url]]
}

let database: FreshDatabase
let atrium: Awaited<ReturnType<typeof startMain>>
let environment: NodeJS.ProcessEnv
let credentials: { readonly login: string; readonly authtoken: string }

beforeAll(async () => {
  database = await freshDatabase()
  const { query, close } = openDatabase<Tables>(database.connection, { schema: 'store', onError: () => {} })
  const at = new Date()
  const wanted = { name: 'Shop', country: 'PT', theme: null, paidSince: paidByOperator(at), createdBy: null, at }
  credentials = await query.transaction().execute((transaction) => setUpStore(transaction, wanted, PLAIN_SECRETS))
  await close()
  const { connectionString } = database.connection as { connectionString: string }
  environment = { ...process.env, DATABASE_URL: connectionString, LOG_LEVEL: 'silent', WEBHOOK_PRIVATE_NETWORKS: '127.0.0.0/8' }
  atrium = await startMain(environment)
})
afterAll(async () => {
  await atrium?.kill()
  await database.drop()
})

/** What an example prints when it has run to its end. Rejects when it fails. */
async function outputOf(example: Example, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const [file, args] = commandOf(example, atrium.base)
  const { stdout } = await promisify(execFile)(file, args, {
    env: { PATH: process.env.PATH, ...env },
    timeout: EXAMPLE_TIMEOUT_MS,
  })
  return stdout
}

describe('every example', () => {
  test('is listed, explained in 30 lines, one source, and free of our own code', () => {
    const all = [...names.map((name) => [name, SOURCES[name][0]] as const), ...Object.entries(ALONE)]
    expect(readdirSync(EXAMPLES).sort()).toEqual([...all.map(([name]) => name), 'README.md'].sort())
    const list = readFileSync(join(EXAMPLES, 'README.md'), 'utf8')
    for (const [name, source] of all) {
      expect(readdirSync(join(EXAMPLES, name)).sort()).toEqual(['README.md', source].sort())
      expect(list).toContain(`(${name}/README.md)`)
      expect(
        readFileSync(join(EXAMPLES, name, 'README.md'), 'utf8')
          .trimEnd()
          .split('\n').length,
        name,
      ).toBeLessThanOrEqual(30)
    }
    const imports = globSync('*/*.ts', { cwd: EXAMPLES }).flatMap((file) =>
      [...readFileSync(join(EXAMPLES, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name = '']) => name),
    )
    expect(imports).not.toEqual([])
    expect(imports.filter((name) => /^[.#/]/.test(name))).toEqual([])
  })

  test.each(names)('%s says how to start Atrium when none answers', async (example) => {
    const url = `http://127.0.0.1:${await unusedPort()}`
    const [file, args] = commandOf(example, url)
    const running = promisify(execFile)(file, args, { timeout: EXAMPLE_TIMEOUT_MS })
    const failure = await running.then(
      () => null,
      (error: { code: number; stderr: string }) => error,
    )
    expect(failure?.code).toBe(1)
    expect(failure?.stderr).toContain(`Cannot reach Atrium at ${url}. Start it with "npm start"`)
    expect(failure?.stderr).not.toMatch(/^\s+at /m)
  })

  test.each(names.filter((name) => name !== 'curl'))('%s takes the address from ATRIUM_URL as well', async (example) => {
    const [file, args] = commandOf(example, '')
    const url = `http://127.0.0.1:${await unusedPort()}`
    const running = promisify(execFile)(file, args.slice(0, -1), { env: { ...process.env, ATRIUM_URL: url } })
    await expect(running).rejects.toMatchObject({ stderr: expect.stringContaining(url) })
  })
})

test('curl searches over REST, over GraphQL and over GET, whatever characters the words have', async () => {
  const answers = (text: string) =>
    text
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('#'))
      .map((line) => JSON.parse(line))
  const [rest, graphql, overGet] = answers(await outputOf('curl'))
  expect(rest.results[0].name).toMatch(/postgres/i)
  expect(graphql.data.search.edges).toHaveLength(3)
  expect(graphql.data.search.edges[0].node.name).toMatch(/postgres/i)
  expect(overGet.data.categories.mcp[0].count).toBeGreaterThan(0)

  const { stdout } = await promisify(execFile)('sh', [join(EXAMPLES, 'curl/search.sh'), 'post"gr\\es &', atrium.base])
  expect(answers(stdout)[1].errors).toBeUndefined()
})

test('the TypeScript client lists three pages, each server once', async () => {
  const lines = (await outputOf('typescript-client')).trim().split('\n')
  expect(lines.filter((line) => /^Page \d, of \d{2,} servers in all$/.test(line))).toHaveLength(3)
  const servers = lines.filter((line) => line.startsWith('  '))
  expect(servers).toHaveLength(15)
  expect(new Set(servers).size).toBe(15)
})

test('Apollo Client grows one list by two requests, and reads a skill from its cache', async () => {
  const lines = (await outputOf('apollo-client')).trim().split('\n')
  expect(lines[0]).toMatch(/^6 of \d+ skills after 2 requests:$/)
  expect(new Set(lines.slice(1, 7)).size).toBe(6)
  expect(lines[7]).toBe(`From the cache: ${lines[1]?.trim()}; still 2 requests.`)
})

test('urql sends a document once, and then its hash alone, by GETs that caches may keep', async () => {
  const lines = (await outputOf('urql-get')).trim().split('\n')
  expect(lines).toEqual([
    'GET with hash alone: 200, cache-control: no-store',
    expect.stringMatching(/^GET with document and hash: 200, cache-control: .*max-age=60/),
    expect.stringMatching(/^[1-9]\d* results for postgres, first: .*postgres/i),
    expect.stringMatching(/^GET with hash alone: 200, cache-control: .*max-age=60/),
    expect.stringMatching(/^[1-9]\d* results for browser, first: \w/),
  ])
})

test('the agent finds servers over MCP, and requests a decision when it has a key', async () => {
  const withoutKey = await outputOf('mcp-agent')
  expect(withoutKey).toContain('search_mcp_servers')
  expect(withoutKey).toMatch(/^ {2}.*postgres.*: http/im)
  expect(withoutKey).toContain('Set ATRIUM_API_KEY')

  const words = ['cli/atrium.ts', 'trust', 'key', 'create', '--plan', 'free', '--json']
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: ROOT, env: environment })
  const withKey = await outputOf('mcp-agent', { ATRIUM_API_KEY: JSON.parse(stdout).key })
  expect(withKey).toMatch(
    /^Fetch from example\.com: (proceed|proceed_with_caution|sandbox|escalate_to_human|deny), because of [A-Z_, ]+$/m,
  )
})

describe('the webhook receiver', () => {
  const running: { kill: () => void }[] = []
  afterEach(() => {
    for (const each of running.splice(0)) each.kill()
  })

  // biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
  const store = async (path: string, body?: unknown): Promise<any> => {
    const response = await fetch(`${atrium.base}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'x-login-key': credentials.login,
        'x-auth-token': credentials.authtoken,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as { errors?: unknown }
    expect([path, response.status, answer.errors]).toEqual([path, 200, undefined])
    return answer
  }

  /** The receiver on a port of its own, with the lines that it prints. */
  async function startReceiver() {
    const [file, args] = commandOf('webhook-receiver', atrium.base)
    const { login, authtoken } = credentials
    const child = spawn(file, args, {
      env: { PATH: process.env.PATH, PORT: '0', ATRIUM_LOGIN_KEY: login, ATRIUM_AUTH_TOKEN: authtoken },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    running.push(child)
    const lines: string[] = []
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
    await expect.poll(() => lines[0]).toMatch(/^Receiving at http/)
    return { url: lines[0]?.split(' ').at(-1) ?? '', lines }
  }

  test('takes what the store signed, also after a rotation, and refuses what is forged', async () => {
    const { url, lines } = await startReceiver()
    const { hooks_token: token } = await store('/v1/store/info.json')
    await store('/v1/hooks.json', { hook: { event: 'product_created', url } })
    const arrived = (name: string) => lines.filter((line) => line.startsWith('Received: product_created') && line.includes(name))

    await store('/v1/products.json', { product: { name: 'First jug', price: 5 } })
    await expect.poll(() => arrived('First jug')).toHaveLength(1)

    const body = '{"product":{"id":1,"name":"Forged jug"}}'
    const signed = (key: string, text: string) => createHmac('sha256', key).update(text).digest('base64')
    const post = async (signature: string | null, text: string | Buffer = body) => {
      const headers = {
        'jumpseller-event': 'product_created',
        ...(signature !== null && { 'jumpseller-hmac-sha256': signature }),
      }
      return (await fetch(url, { method: 'POST', headers, body: text })).status
    }
    expect(await post(null)).toBe(401)
    expect(await post('')).toBe(401)
    expect(await post(signed('another token', body))).toBe(401)
    expect(await post(signed(token, body.replace('Forged', 'Honest')))).toBe(401)
    expect(await post(signed(token, body).slice(0, 20))).toBe(401)
    expect(await post(null, Buffer.alloc(5_000_001))).toBe(413)
    expect(arrived('Forged jug')).toEqual([])
    // Its key is all that they lacked.
    expect(await post(signed(token, body))).toBe(204)

    const query = 'mutation { rotateHooksToken(input: { overlapHours: 1 }) { __typename } }'
    expect((await store('/graphql', { query })).data.rotateHooksToken.__typename).toBe('RotateHooksTokenSuccess')
    expect((await store('/v1/store/info.json')).hooks_token).not.toBe(token)
    await store('/v1/products.json', { product: { name: 'Second jug', price: 5 } })
    await expect.poll(() => arrived('Second jug')).toHaveLength(1)
  })

  test('says which credentials it lacks', async () => {
    const running = outputOf('webhook-receiver', { ATRIUM_LOGIN_KEY: 'x', ATRIUM_AUTH_TOKEN: 'y' })
    await expect(running).rejects.toMatchObject({ stderr: expect.stringContaining('Set ATRIUM_LOGIN_KEY and ATRIUM_AUTH_TOKEN') })
  })

  test('reports that its port is in use', async () => {
    const holder = createServer().listen(0, '127.0.0.1')
    await new Promise((listening) => holder.once('listening', listening))
    const { port } = holder.address() as { port: number }
    const { login, authtoken } = credentials
    const running = outputOf('webhook-receiver', { PORT: String(port), ATRIUM_LOGIN_KEY: login, ATRIUM_AUTH_TOKEN: authtoken })
    await expect(running).rejects.toMatchObject({ stderr: expect.stringMatching(/^Cannot listen on port \d+/) })
    holder.close()
  })
})
