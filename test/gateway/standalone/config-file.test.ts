import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGateway } from '../../../gateway/library/create-gateway.ts'
import { variables } from '../../../gateway/standalone/config.ts'
import { loadConfigFile, mergeSettings, readConfigObject } from '../../../gateway/standalone/config-file.ts'
import { printDefaults } from '../../../gateway/standalone/print-defaults.ts'
import { readConfig } from '../../../platform/config/config.ts'
import { reviewSubgraph, shopSubgraph, supergraphSdl } from '../support/graph.ts'
import { type Remote, serveRemote } from '../support/remote.ts'

const ROOT = join(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'atrium-config-file-'))
const written = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
let shop: Remote
let review: Remote
const children: ChildProcess[] = []
beforeAll(async () => {
  shop = await serveRemote(shopSubgraph())
  review = await serveRemote(reviewSubgraph())
  written('supergraph.graphql', supergraphSdl({ shop: 'http://127.0.0.1:1/', review: review.url }))
})
afterAll(() => {
  for (const { server } of [shop, review]) server.close().closeAllConnections()
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

/** Runs the program in the folder until it is ready or ends. */
async function start(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(ROOT, 'gateway/main.ts'), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
  })
  children.push(child)
  let [said, out] = ['', '']
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const ready = new Promise<void>((resolve) =>
    child.stderr.on('data', (chunk) => {
      said += chunk
      if (said.includes('ready')) resolve()
    }),
  )
  await Promise.race([ready, ended])
  return { child, ended, said: () => said, out: () => out, url: /http:\S+/.exec(said)?.[0] ?? '' }
}

const post = (url: string, query: string) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  }).then((response) => response.json())

describe('the program', () => {
  test('reads atrium.config.ts of its folder; variables win over it, and flags over both', async () => {
    written(
      'atrium.config.ts',
      `import { defineConfig } from ${JSON.stringify(join(ROOT, 'gateway/standalone/define-config.ts'))}
       export default defineConfig({
         supergraphFile: 'supergraph.graphql',
         port: 0,
         explorer: false,
         subgraphs: { shop: { url: ${JSON.stringify(shop.url)} } },
         limits: { depth: 1, cost: 7 },
         batchLimit: 3,
       })`,
    )
    const gateway = await start(['--cost-limit', '20'], { DEPTH_LIMIT: '5' })
    expect(gateway.said()).toContain('ready')
    // The depth of the environment, the cost of the flag, the address of the file.
    expect(await post(gateway.url, '{ dear(first: 9) { name } }')).toMatchObject({
      errors: [{ extensions: { code: 'COST_LIMIT_EXCEEDED', limit: 20 } }],
    })
    const deep = '{ product(id: "a") { parent { parent { parent { parent { parent { id } } } } } } }'
    expect(JSON.stringify(await post(gateway.url, deep))).toMatch(/DEPTH_LIMIT_EXCEEDED.*"limit":5/)
    expect(await post(gateway.url, '{ counted }')).toEqual({ data: { counted: null } })
    gateway.child.kill('SIGTERM')
    await gateway.ended
  })

  test('takes hooks, a contract and a mode of costs from the file', async () => {
    const file = written(
      'hooked.config.ts',
      `export default {
         supergraphFile: 'supergraph.graphql',
         port: 0,
         explorer: false,
         subgraphs: { shop: { url: ${JSON.stringify(shop.url)} } },
         limits: { cost: 7, costMode: 'measure' },
         contract: { excludeTags: ['once'] },
         hooks: {
           request: ({ headers }) => (headers['x-blocked'] ? { refuse: { message: 'Not today.' }, status: 403 } : null),
           subgraphRequest: () => ({ headers: { 'x-hooked': 'yes' } }),
         },
       }`,
    )
    const gateway = await start(['--config', file])
    expect(gateway.said()).toContain('ready')
    // Over its cost, with the header of the hook.
    expect(await post(gateway.url, '{ dear(first: 9) { name } }')).toMatchObject({ data: { dear: [{}, {}, {}] } })
    expect(shop.requests.at(-1)?.headers).toMatchObject({ 'x-hooked': 'yes' })
    expect(await post(gateway.url, '{ counted }')).toMatchObject({
      errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
    })
    const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json', 'x-blocked': '1' }
    const refused = await fetch(gateway.url, { method: 'POST', headers, body: '{"query":"{ caller }"}' })
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { errors: [{ message: 'Not today.', extensions: { code: 'FORBIDDEN' } }] },
    ])
    gateway.child.kill('SIGTERM')
    await gateway.ended
  })

  test.each([
    {
      why: 'modes alone, with the cost of all subgraphs',
      limits: { allSubgraphs: { cost: 1 }, subgraphs: { shop: { costMode: 'measure' } } },
    },
    {
      why: 'a cost of one subgraph, and the mode of another',
      limits: { allSubgraphs: { cost: 1 }, subgraphs: { review: { cost: 1 }, shop: { costMode: 'measure' } } },
    },
  ])('takes limits of subgraphs from the file: $why', async ({ limits }) => {
    const settings = {
      supergraphFile: 'supergraph.graphql',
      port: 0,
      explorer: false,
      subgraphs: { shop: { url: shop.url } },
      limits,
    }
    const gateway = await start(['--config', written('limited.config.mjs', `export default ${JSON.stringify(settings)}`)])
    expect(gateway.said()).toContain('ready')
    expect(await post(gateway.url, '{ product(id: "a") { name } }')).toEqual({ data: { product: { name: 'Product a' } } })
    expect(await post(gateway.url, '{ latestReview { text } }')).toMatchObject({
      errors: [{ extensions: { code: 'SUBGRAPH_COST_LIMIT_EXCEEDED', subgraph: 'review', limit: 1 } }],
    })
    gateway.child.kill('SIGTERM')
    await gateway.ended
  })

  test.each([
    { env: {}, options: {}, isTraced: true },
    { env: { TRUSTED_PROXIES: '127.0.0.1' }, options: {}, isTraced: false },
    { env: {}, options: { queryTraces: 'off' }, isTraced: false },
    { env: { NODE_ENV: 'production' }, options: { queryTraces: 'everyone' }, isTraced: true },
  ])('traces of queries in development, with $env and $options: $isTraced', async ({ env, options, isTraced }) => {
    const subgraphs = { shop: { url: shop.url } }
    const settings = { supergraphFile: 'supergraph.graphql', port: 0, explorer: false, subgraphs, ...options }
    const file = written(`traced-${randomUUID()}.config.mjs`, `export default ${JSON.stringify(settings)}`)
    const gateway = await start(['--config', file], { NODE_ENV: 'development', ...env })
    const headers = { 'content-type': 'application/json', 'atrium-trace': '1' }
    const answer = await fetch(gateway.url, { method: 'POST', headers, body: '{"query":"{ __typename }"}' })
    expect((await answer.text()).includes('"trace"')).toBe(isTraced)
    gateway.child.kill('SIGTERM')
    await gateway.ended
  })

  test('refuses a limit of a subgraph that does not exist', async () => {
    const program = await start([], {
      SUPERGRAPH_FILE: join(folder, 'supergraph.graphql'),
      SUBGRAPH_COST_LIMITS: 'shoe=5',
      PORT: '0',
    })
    expect(await program.ended).toBe(1)
    expect(program.said().trim()).toBe(
      'Expected "limits.subgraphs" (SUBGRAPH_COST_LIMITS) to have names of the supergraph (review, shop), got "shoe".',
    )
  })

  test('--print-defaults prints a configuration file that changes nothing', async () => {
    const printed = printDefaults()
    const withoutImport = printed.replace(/^import.*$/m, '').replace('defineConfig(', '(')
    const { env } = await loadConfigFile(written('defaults.ts', withoutImport), folder)
    const described = (config: object) => JSON.stringify(config)
    expect(described(readConfig(variables, env))).toEqual(described(readConfig(variables, {})))
    for (const name of Object.keys(variables)) expect(printed).toContain(`(${name}`)
    const program = await start(['--print-defaults'])
    expect([await program.ended, program.out().trim()]).toEqual([0, printed])
  })

  test.each([
    ['a file that is not there', () => 'missing.config.ts', /missing\.config\.ts does not exist\.$/],
    ['a file that does not parse', () => written('broken.ts', 'export default {'), /broken\.ts cannot be loaded: /],
    [
      'a file that throws',
      () => written('throws.ts', 'throw new Error("No secrets.")'),
      /throws\.ts cannot be loaded: No secrets\.$/,
    ],
    ['no default export', () => written('named.ts', 'export const port = 1'), /named\.ts has no default export: expected/],
    [
      'what is no object',
      () => written('text.ts', 'export default "yes"'),
      /Expected the options to be an object, got a text of 3 characters in /,
    ],
  ])('%s: one sentence and a status that is not 0', async (_, file, says) => {
    const program = await start(['--config', file()])
    expect(await program.ended).toBe(1)
    expect(program.said().trim()).toMatch(says)
    expect(program.said().trim().split('\n')).toHaveLength(1)
  })
})

describe('what a configuration file says', () => {
  test.each([
    [{ prt: 4000 }, 'Unknown option "prt" in c.ts.'],
    [{ port: 'eighty' }, 'Expected "port" to be a whole number from 0 to 65535, got a text of 6 characters in c.ts.'],
    [{ port: 70_000 }, 'Expected "port" to be a whole number from 0 to 65535, got 70000 in c.ts.'],
    [{ host: ['a'] }, 'Expected "host" to be a text, a number, true or false, got a list of 1 in c.ts.'],
    [{ introspection: 'no' }, 'Expected "introspection" to be true or false, got a text of 2 characters in c.ts.'],
    [{ limits: { depth: -1 } }, 'Expected "limits.depth" to be a whole number from 0 to 1000, got -1 in c.ts.'],
    [{ subgraphs: { shop: { uri: 'x' } } }, 'Unknown option "subgraphs.shop.uri" in c.ts.'],
    [
      { subgraphs: { shop: { schema: 'type Query' } } },
      'Expected "subgraphs.shop.schema" to be an executable schema of graphql 16, got a text of 10 characters in c.ts.',
    ],
    [
      { allSubgraphs: { timeoutMilliseconds: 1.5 } },
      'Expected "allSubgraphs.timeoutMilliseconds" to be a whole number from 1 to 60000, got 1.5 in c.ts.',
    ],
    [{ jwt: {} }, 'Expected "jwt.jwksUrl" to be an http or https URL, got nothing in c.ts.'],
    [{ metricsToken: 'hunter2' }, 'Expected "metricsToken" to be at least 16 characters, got a text of 7 characters in c.ts.'],
    [JSON.parse('{"__proto__": {"port": 1}}'), 'Unknown option "__proto__" in c.ts.'],
  ])('%j: %s', (given, says) => {
    expect(() => readConfigObject(given, 'c.ts')).toThrow(says)
  })

  test('every problem is listed, up to a bound', () => {
    const wrong = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`s${index}`, { timeoutMilliseconds: -1 }]))
    const problems = () => readConfigObject({ port: -1, explorer: 'x', subgraphs: wrong }, 'c.ts')
    expect(problems).toThrow(/"port".*\n.*"explorer"|"explorer".*\n.*"port"/s)
    try {
      problems()
    } catch (error) {
      expect((error as Error).message.split('\n')).toHaveLength(20)
    }
  })

  test('an empty variable does not hide the file', () => {
    expect(mergeSettings({ PORT: '1', HOST: 'a' }, { PORT: '', HOST: 'b' }, {})).toMatchObject({ PORT: '1', HOST: 'b' })
  })

  test('createGateway takes the same options and refuses the same ones', async () => {
    const supergraph = supergraphSdl({ shop: shop.url, review: review.url })
    const wrong = { supergraph, allSubgraphs: { timeoutMilliseconds: 0 } }
    await expect(createGateway(wrong)).rejects.toThrow(
      'Expected "allSubgraphs.timeoutMilliseconds" to be a whole number from 1 to 60000, got 0.',
    )
    await expect(createGateway({ supergraph, dept: 1 } as never)).rejects.toThrow('Unknown option "dept".')
    const gateway = await createGateway({ supergraph, allSubgraphs: { timeoutMilliseconds: 100 } })
    shop.next.push(() => {})
    expect(await gateway.execute({ query: '{ product(id: "a") { name } }' })).toMatchObject({
      errors: [{ extensions: { code: 'TIMEOUT' } }],
    })
    await gateway.close()
  })
})
