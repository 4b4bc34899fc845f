import { execFile, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { startMain } from '../support/program.ts'
import { consoleAt } from '../web/support/console.ts'

const ROOT = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** Blocks of code of a page: what stands behind its fence, and the code. */
const blocksOf = (page: string) =>
  [...readFileSync(join(ROOT, 'docs', page), 'utf8').matchAll(/^```(\S*)(.*)\n([\s\S]*?)^```/gm)].map(
    ([, language = '', words = '', code = '']) => ({ language, words: words.trim(), code }),
  )

/** What a reader sees at the end of each page that has something to paste. */
const SEEN: Readonly<Record<string, readonly RegExp[]>> = {
  'start/agents.md': [/"results"/, /"installCommand"/, /"recommended_action"/, /search/],
  'start/integrators.md': [/"totalCount"/, /"me":\{"name":"Ida"/, /openapi/],
  'start/shops.md': [/"status":"Paid"/, /"qty":2/],
  'start/operators.md': [/ok {4}database/, /"status"/, /Created ADMIN admin@example\.org/, /Wrote backups\//],
  'guides/first-administrator.md': [/Created ADMIN first@example\.org/, /"role":"ADMIN"/],
  'guides/back-up-and-restore.md': [/Wrote backups\//, /Restored \d+ rows/],
  'guides/upgrade.md': [/applied/],
  'guides/rotate-a-secret.md': [/CONSOLE_SECRET/, /sk_/],
  'guides/refresh-tokens.md': [/"__typename":"LoginSuccess","token":"ey/],
  'guides/query-over-get.md': [/"directoryStats"/],
  'guides/gate-an-agent.md': [/"use": "(cite|context|none)"/],
  'guides/import-a-registry.md': [/2 records/, /Acme Warehouse/],
}

const pages = globSync('{start,guides}/*.md', { cwd: join(ROOT, 'docs') }).sort()
const pasted = pages.filter((page) => blocksOf(page).some(({ language, words }) => language === 'sh' && words === ''))

let database: FreshDatabase
let server: Awaited<ReturnType<typeof startMain>>
let folder: string
let env: NodeJS.ProcessEnv
beforeAll(async () => {
  database = await freshDatabase()
  const { connectionString } = database.connection as { connectionString: string }
  // A folder as a reader has it: the repository, and nothing in it that the guides write.
  folder = mkdtempSync(join(tmpdir(), 'atrium-guides-'))
  for (const name of ['docs', 'clients', 'node_modules']) symlinkSync(join(ROOT, name), join(folder, name))
  // `npx` would look for the program in the folder; here it is the one under test.
  const npx = join(folder, 'npx')
  writeFileSync(npx, `#!/bin/sh\nshift\nexec "${process.execPath}" "${join(ROOT, 'cli/atrium.ts')}" "$@"\n`)
  chmodSync(npx, 0o755)
  const environment = {
    ...process.env,
    DATABASE_URL: connectionString,
    LOG_LEVEL: 'silent',
    TRUST_LISTS: 'none',
    DATA_DIR: join(folder, 'data'),
  }
  server = await startMain(environment)
  env = {
    ...environment,
    PORT: String(server.port),
    ATRIUM_URL: server.base,
    PATH: `${folder}:${join(process.execPath, '..')}:${process.env.PATH}`,
  }
})
afterAll(async () => {
  await server?.kill()
  await database?.drop()
  rmSync(folder, { recursive: true, force: true })
})

test('every page that has something to paste is known here, with what a reader sees', () => {
  expect(pasted).toEqual(Object.keys(SEEN).sort())
})

test.each(pasted)('the commands of %s work, from top to bottom in one shell', async (page) => {
  const code = blocksOf(page)
    .filter(({ language, words }) => language === 'sh' && words === '')
    .map((block) => block.code.replaceAll('localhost:4000', `localhost:${server.port}`))
    .join('\n')
  const script = `set -e\ncurl() { command curl -sS --fail-with-body "$@"; }\n${code}`
  const { stdout } = await run('bash', ['-c', script], { cwd: folder, env })
  expect(stdout).not.toMatch(/"errors":\[\{"message"/)
  for (const seen of SEEN[page] ?? []) expect(stdout).toMatch(seen)
})

test.each(['start/agents.md', 'start/integrators.md'])('the programs of %s get the same as its commands', async (page) => {
  const { stdout } = await run('bash', ['-c', 'npx atrium trust key create --plan free --json'], { cwd: folder, env })
  const variables = { ...env, KEY: JSON.parse(stdout).key }
  const programs = blocksOf(page).filter(({ language, words }) => ['ts', 'py'].includes(language) && words === '')
  expect(programs.map(({ language }) => language)).toEqual(['ts', 'py'])
  for (const { language, code } of programs) {
    const file = join(folder, `program.${language}`)
    writeFileSync(file, code.replaceAll('localhost:4000', `localhost:${server.port}`))
    const command = language === 'py' ? 'python3' : process.execPath
    const { stdout: seen } = await run(command, [file], { cwd: folder, env: variables })
    expect(seen).toMatch(page === 'start/agents.md' ? /"recommended_action": "\w+"/ : /"totalCount": \d+/)
  }
})

test('the stream of the guide on subscriptions shows events as they happen', async () => {
  const { code = '' } = blocksOf('guides/subscribe-and-resume.md').find(({ words }) => words === 'stream=userCreated') ?? {}
  const listener = spawn('bash', ['-c', `exec ${code.replaceAll('localhost:4000', `localhost:${server.port}`)}`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let seen = ''
  listener.stdout.on('data', (chunk) => {
    seen += chunk
  })
  for (let index = 0; !seen.includes('Guide reader'); index++) {
    const query = `mutation { createUser(input: { email: "guide${index}@example.org", name: "Guide reader" }) { user { id } } }`
    await fetch(`${server.base}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    })
    await sleep(100)
  }
  listener.kill()
})

test('an order through the pages of the guide on selling is paid', async () => {
  const shop = '/shops/tea-house'
  const paste = (step: string) => {
    const blocks = blocksOf('guides/sell-with-atrium.md').filter(({ words }) => words === `step=${step}`)
    const code = blocks.map((block) => block.code.replaceAll('localhost:4000', `localhost:${server.port}`)).join('\n')
    const credentials =
      step === '1'
        ? ''
        : `LOGIN=$(node -p 'require("./tea-house.json").login')\nAUTHTOKEN=$(node -p 'require("./tea-house.json").authtoken')\n`
    const script = `set -e\ncurl() { command curl -sS --fail-with-body "$@"; }\n${credentials}${code}`
    return run('bash', ['-c', script], { cwd: folder, env })
  }
  expect((await paste('1')).stdout).toMatch(/Green tea[\s\S]*CreateShippingMethodSuccess[\s\S]*CreatePaymentMethodSuccess/)

  const shopper = consoleAt(() => server.base).aVisitor()
  const value = (page: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? ''
  const step = async (path: string, fields: Readonly<Record<string, string>>) => {
    const reply = await shopper.post(`${shop}${path}`, fields)
    expect([path, reply.status, reply.text]).toEqual([path, 303, expect.any(String)])
    return reply.headers.location ?? ''
  }
  expect((await shopper.get(shop)).text).toContain('Green tea')
  await step('/cart/add', { permalink: 'green-tea', quantity: '1' })
  await shopper.get(`${shop}/cart`)
  const address = { name: 'Ana', surname: 'Sousa', address: 'Rua 1', city: 'Lisbon', country: 'PT', email: 'ana@example.org' }
  await step('/checkout/address', address)
  const delivery = value((await shopper.get(`${shop}/checkout`)).text, 'delivery')
  await step('/checkout/delivery', { delivery })
  const { text: payment } = await shopper.get(`${shop}/checkout`)
  const fields = Object.fromEntries(['key', 'expected', 'payment'].map((name) => [name, value(payment, name)]))
  const order = await step('/checkout/order', fields)
  expect((await shopper.get(order)).text).toContain('To PT50 0000')

  expect((await paste('2')).stdout).toContain('"status":"Paid"')
  expect((await shopper.get(order)).text).not.toContain('Payment of this order is pending')
})

test.skipIf(!existsSync('/usr/bin/systemd-analyze'))('units of systemd in the guides are valid', async () => {
  const units = ['guides/back-up-and-restore.md', 'guides/deploy-behind-a-proxy.md'].flatMap((page) =>
    blocksOf(page).filter(({ words }) => words.startsWith('unit=')),
  )
  expect(units.length).toBe(3)
  const files = units.map(({ words, code }) => {
    const file = join(folder, words.replace('unit=', ''))
    writeFileSync(file, code)
    return file
  })
  const { stderr } = await run('systemd-analyze', ['verify', '--man=no', ...files]).catch((error: { stderr: string }) => error)
  // Folders and files of a server are not on this machine.
  expect(stderr.split('\n').filter((line) => /Unknown|Invalid|Failed to parse|Missing '='/i.test(line))).toEqual([])
})

describe('the programs that verify a webhook', () => {
  const programs = blocksOf('guides/verify-a-webhook.md').filter(({ words }) => words.startsWith('file='))
  const commands: Readonly<Record<string, readonly string[]>> = {
    ts: [process.execPath],
    py: ['python3'],
    go: [existsSync('/usr/local/go/bin/go') ? '/usr/local/go/bin/go' : 'go', 'run'],
  }
  test.each(programs)('$words accepts what is signed, and nothing else', async ({ words, code }) => {
    const file = join(folder, words.replace('file=', ''))
    writeFileSync(file, code)
    const [command = '', ...first] = commands[basename(file).split('.')[1] ?? ''] ?? []
    if (
      await run(command, ['--version']).then(
        () => false,
        (error) => error.code === 'ENOENT',
      )
    )
      return
    const body = '{"order": {"id": 7, "note": "é"}}'
    const signature = createHmac('sha256', 'token').update(body).digest('base64')
    const verify = async (token: string, sent: string) => {
      const child = spawn(command, [...first, file, token, signature], { stdio: ['pipe', 'pipe', 'inherit'] })
      child.stdin.end(sent)
      return (await text(child.stdout)).trim()
    }
    expect([await verify('token', body), await verify('token', `${body} `), await verify('other', body)]).toEqual([
      'true',
      'false',
      'false',
    ])
  })
})

test.each(pages)('%s is short, in sentences of at most 30 words, and says what comes next', (page) => {
  const source = readFileSync(join(ROOT, 'docs', page), 'utf8')
  expect(source.split('\n').length).toBeLessThan(100)
  expect(source).toMatch(/\]\([^)]+\)/)
  const prose = source.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/^(?:\||#).*$/gm, '')
  const sentences = prose.split(/(?<=[.:?!])\s+|\n\n|\n(?=[-\d])/)
  expect(sentences.filter((sentence) => sentence.trim().split(/\s+/).length > 30)).toEqual([])
})
