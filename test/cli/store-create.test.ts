import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runAtrium } from '../support/command-line.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { unusedPort } from '../support/program.ts'

const ROOT = join(import.meta.dirname, '../..')
const cleanups: (() => unknown)[] = []
const PATIENT = { timeout: 60_000 }

let database: FreshDatabase
let client: pg.Client
beforeAll(async () => {
  database = await freshDatabase()
  client = new pg.Client({ ...database.connection, options: '-c search_path=store' })
  await client.connect()
})
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
  await client.end()
  await database.drop()
})

const sql = async (query: string) => (await client.query(query)).rows
const counts = () =>
  sql(`SELECT code, (SELECT count(*)::integer FROM product WHERE store_id = store.id) AS products,
    (SELECT count(*)::integer FROM "order" WHERE store_id = store.id) AS orders,
    (SELECT count(*)::integer FROM location WHERE store_id = store.id) AS locations FROM store ORDER BY id`)

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-store-create-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const picturesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.png'))

function environmentOf(filesDir: string, port = 0) {
  const { connectionString } = database.connection as { connectionString: string }
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    DATABASE_URL: connectionString,
    FILES_DIR: filesDir,
    LOG_LEVEL: 'error',
    TRUST_LISTS: 'none',
    PORT: String(port),
  }
}

/** Starts a program of ours on the database of this test. */
function started(file: string, words: readonly string[], filesDir: string, port = 0) {
  const child = spawn(process.execPath, [join(ROOT, file), ...words], {
    env: environmentOf(filesDir, port),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const code = new Promise<number | null>((resolve) => child.once('exit', resolve))
  cleanups.push(() => {
    child.kill('SIGKILL')
    return code
  })
  return { child, code }
}

const atrium = (...words: string[]) => runAtrium(words, environmentOf(aFolder()))

/** Starts everything; its address. */
async function serve(filesDir: string) {
  const { child, code } = started('main.ts', [], filesDir, await unusedPort())
  const url = await new Promise<string>((resolve, fail) => {
    let said = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        said += chunk
        const [, at] = /Graph +(http:\S+)\/graphql/.exec(said) ?? []
        if (at) resolve(at)
      })
    }
    void code.then((status) => fail(new Error(`main.ts ended with ${status}: ${said}`)))
  })
  return { url, kill: () => child.kill('SIGKILL'), code }
}

const productsOf = (url: string, login: string, authtoken: string) =>
  fetch(`${url}/v1/products.json?limit=100`, { headers: { 'x-login-key': login, 'x-auth-token': authtoken } })

test('the first start creates a complete demo store, also after a kill -9 midway; the command line prints its authtoken', {
  timeout: 180_000,
}, async () => {
  const files = aFolder()
  const first = await serve(files)
  await expect.poll(() => picturesIn(files).length, PATIENT).toBeGreaterThan(2)
  first.kill()
  await first.code
  expect(await counts()).toEqual([])

  const second = await serve(files)
  await expect.poll(counts, PATIENT).toMatchObject([{ code: 'demo', locations: 2 }])
  const [{ products, orders } = { products: 0, orders: 0 }] = await counts()
  expect([products >= 40, orders >= 30]).toEqual([true, true])

  const { login } = JSON.parse((await atrium('store', 'list', '--json')).out)[0]
  for (const guess of ['demo', 'password', login, '']) expect((await productsOf(second.url, login, guess)).status).toBe(401)
  const { out } = await atrium('store', 'token', 'reset', 'demo', '--json')
  const { authtoken } = JSON.parse(out)
  const answer = await productsOf(second.url, login, authtoken)
  expect([answer.status, ((await answer.json()) as unknown[]).length]).toEqual([200, products])
  const page = await (await fetch(`${second.url}/shops/demo`)).text()
  const [, picture = ''] = /<img src="([^"]+\.png)"/.exec(page) ?? []
  expect((await fetch(new URL(picture, second.url))).headers.get('content-type')).toBe('image/png')
})

test('store create fills a store, with --empty it does not, and --json prints nothing but the credentials', {
  timeout: 180_000,
}, async () => {
  const filled = await atrium('store', 'create', '--name', 'Filled shop', '--country', 'PT', '--json')
  expect(filled.code).toBe(0)
  expect(Object.keys(JSON.parse(filled.out))).toEqual(['code', 'login', 'authtoken'])
  const empty = await atrium('store', 'create', '--name', 'Empty shop', '--country', 'PT', '--empty', '--json')
  expect(empty).toMatchObject({ code: 0, err: '' })
  expect(Object.keys(JSON.parse(empty.out))).toEqual(['code', 'login', 'authtoken'])
  const [demo, ...others] = await counts()
  expect(others).toEqual([
    { ...demo, code: 'filled-shop' },
    { code: 'empty-shop', products: 0, orders: 0, locations: 0 },
  ])
})

test('store create that is killed midway leaves no store', { timeout: 180_000 }, async () => {
  const before = await counts()
  const files = aFolder()
  const { child, code } = started('cli/atrium.ts', ['store', 'create', '--name', 'Half a shop'], files)
  await expect.poll(() => picturesIn(files).length, PATIENT).toBeGreaterThan(2)
  child.kill('SIGKILL')
  await code
  expect(await counts()).toEqual(before)
})
