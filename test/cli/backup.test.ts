import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { backUp } from '../../platform/database/backup/backup.ts'
import { restore } from '../../platform/database/backup/restore.ts'
import { END, tarHeader, tarPadding } from '../../platform/database/backup/tar.ts'
import type { Connection } from '../../platform/database/database.ts'
import { readMigrations } from '../../platform/database/migrate.ts'
import { askRaw } from '../rest-facade/ask.ts'
import { emptyDatabase, type FreshDatabase, freshDatabase } from '../support/database.ts'
import { atrium, type Running, type Surroundings, startAtrium } from './support/atrium.ts'

const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const cleanups: (() => unknown)[] = []
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-backup-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function surroundingsOf(database: Promise<FreshDatabase>): Promise<Surroundings> {
  const { connection, drop } = await database
  cleanups.push(drop)
  return { connection, filesDir: aFolder() }
}

type Query = <Row extends pg.QueryResultRow>(text: string) => Promise<Row[]>

async function withClient<Result>(connection: Connection, work: (query: Query) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ ...connection })
  await client.connect()
  try {
    return await work(async <Row extends pg.QueryResultRow>(text: string) => (await client.query<Row>(text)).rows)
  } finally {
    await client.end()
  }
}

const sql = <Row extends pg.QueryResultRow>(connection: Connection, text: string): Promise<Row[]> =>
  withClient(connection, (query) => query<Row>(text))

const TABLES = `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
  WHERE schemaname IN ('directory', 'gateway', 'social', 'store', 'trust') AND tablename <> '_prisma_migrations' ORDER BY 1`

/** Rows of every table, and a hash of what is in them. */
const contentOf = (connection: Connection): Promise<Record<string, { count: number; hash: string }>> =>
  withClient(connection, async (query) => {
    const content: Record<string, { count: number; hash: string }> = {}
    for (const { name } of await query<{ name: string }>(TABLES)) {
      const written = name === 'store.webhook_delivery' ? `to_jsonb(row) - 'taken_by' - 'taken_run'` : 'to_jsonb(row)'
      const [row] = await query<{ count: number; hash: string }>(
        `SELECT count(*)::int AS count, coalesce(md5(string_agg(text, '|' ORDER BY text COLLATE "C")), '') AS hash FROM (SELECT (${written})::text AS text FROM ${name} AS row) AS each`,
      )
      if (row) content[name] = row
    }
    return content
  })

const countsOf = (content: Record<string, { count: number }>) =>
  Object.fromEntries(Object.entries(content).map(([name, { count }]) => [name.replaceAll('"', ''), count]))

type Shop = { readonly login: string; readonly authtoken: string }

async function rest({ url }: Running, { login, authtoken }: Shop, path: string, method = 'GET', body?: object) {
  const headers = { 'x-login-key': login, 'x-auth-token': authtoken, 'content-type': 'application/json' }
  const reply = await askRaw(url, `/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  expect([path, reply.status, reply.status < 400 ? '' : reply.text]).toEqual([path, 200, ''])
  return reply
}

async function graph({ url }: Running, query: string, token?: string) {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const { json } = await askRaw(url, '/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) })
  expect(json.errors).toBeUndefined()
  return json.data
}

const LOGIN =
  'mutation { login(email: "ann@example.org", password: "correct horse") { ... on LoginSuccess { token user { id name } } } }'
const SOCIAL =
  '{ me { email phoneNumber posts { title content } } rooms(first: 5) { edges { node { name messages(first: 5) { edges { node { text } } } } } } }'

/** What a shop, its people and everybody else would see. */
async function seenAt(running: Running, shop: Shop) {
  const { token } = (await graph(running, LOGIN)).login
  const paths = ['/products.json', '/categories.json', '/customers.json', '/orders.json', '/hooks.json', '/store/info.json']
  const answers = await Promise.all(paths.map((path) => rest(running, shop, path)))
  const product = answers[0]?.json[0].product
  const image = new URL(product.images[0].url).pathname
  return {
    shop: answers.map(({ text }) => text),
    social: await graph(running, SOCIAL, token),
    image: (await askRaw(running.url, image)).bytes.toString('base64'),
    directory: (await askRaw(running.url, '/api/mcp?limit=5')).json.results,
  }
}

/** Sells a lamp. */
async function sell(running: Running, shop: Shop, product: number, name: string): Promise<number> {
  const order = { status: 'Paid', products: [{ id: product, qty: 1 }], customer: { email: `${name}@example.org` } }
  return (await rest(running, shop, '/orders.json', 'POST', { order })).json.order.id
}

let [source, target]: [Surroundings, Surroundings] = [] as never
let shop: Shop
let underWrites: string
let quiet: string
let seen: Awaited<ReturnType<typeof seenAt>>
let sold = 0
let product: number

beforeAll(async () => {
  source = await surroundingsOf(emptyDatabase())
  target = await surroundingsOf(emptyDatabase())
  // Before the start, which makes a demo store where there is none.
  shop = JSON.parse((await atrium(source, 'store', 'create', '--empty', '--name', 'Lámpadas', '--country', 'PT', '--json')).out)
  const running = await startAtrium(source)
  cleanups.push(running.stop)
  await atrium(source, 'trust', 'key', 'create', '--name', 'one')
  const { category } = (await rest(running, shop, '/categories.json', 'POST', { category: { name: 'Lamps' } })).json
  const body = {
    name: 'Lamp\t"\\N"\n',
    description: '<p>ünïcode 🪔</p>',
    price: 12.5,
    stock: 1_000,
    categories: [{ id: category.id }],
  }
  product = (await rest(running, shop, '/products.json', 'POST', { product: body })).json.product.id
  await rest(running, shop, `/products/${product}/images.json`, 'POST', { image: { url: PICTURE } })
  await rest(running, shop, '/hooks.json', 'POST', { hook: { event: 'order_created', url: 'https://receiver.invalid/hook' } })
  await rest(running, shop, '/customers.json', 'POST', { customer: { email: 'rui@example.org', phone: '912345678' } })
  for (let n = 0; n < 5; n += 1) await sell(running, shop, product, `buyer${n}`)
  await graph(
    running,
    'mutation { createUser(input: { email: "ann@example.org", name: "Ann", password: "correct horse", phoneNumber: "+351912345678" }) { errors { message } } }',
  )
  const { token } = (await graph(running, LOGIN)).login
  await graph(running, 'mutation { createPost(input: { title: "Hello", content: "From before" }) { __typename } }', token)
  const { createRoom } = await graph(
    running,
    'mutation { createRoom(name: "Den") { ... on CreateRoomSuccess { room { id } } } }',
    token,
  )
  await graph(running, `mutation { sendMessage(roomId: "${createRoom.room.id}", text: "Anybody?") { __typename } }`, token)

  underWrites = join(aFolder(), 'under-writes.tar.gz')
  const writing = new AbortController()
  const writers = [0, 1, 2].map(async (writer) => {
    while (!writing.signal.aborted) {
      await sell(running, shop, product, `meanwhile${writer}`)
      sold += 1
      // A store takes 20 requests a second from one address.
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  })
  while (sold === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  expect((await atrium(source, 'db', 'backup', underWrites)).err).toBe('')
  writing.abort()
  await Promise.all(writers)

  seen = await seenAt(running, shop)
  await running.stop()
  const folder = aFolder()
  const { out } = await atrium(source, 'db', 'backup', folder, '--json')
  quiet = JSON.parse(out).file
  expect(quiet.startsWith(folder)).toBe(true)
}, 120_000)

test('a backup is an archive that other programs can read, for its owner only, and has every row and file', async () => {
  const listed = (await promisify(execFile)('tar', ['-tzf', quiet])).stdout.split('\n')
  expect(listed.slice(0, 1).concat(listed.slice(-3))).toEqual(['manifest.json', 'totals.json', 'SHA256SUMS', ''])
  expect(listed.filter((name) => name.startsWith('files/public/'))).toHaveLength(1)
  const { rows } = JSON.parse((await promisify(execFile)('tar', ['-xzOf', quiet, 'totals.json'])).stdout)
  expect(rows).toEqual(countsOf(await contentOf(source.connection)))
  expect(statSync(quiet).mode & 0o077).toBe(0)
  expect(readdirSync(join(quiet, '..'))).toHaveLength(1)
})

test('what was backed up while others were writing is the state of one moment', async () => {
  const { out, err, code } = await atrium(target, 'db', 'restore', underWrites, '--json')
  expect([code, err]).toEqual([0, ''])
  expect(countsOf(await contentOf(target.connection))).toEqual(JSON.parse(out).rows)
  const [order] = await sql<Record<string, number>>(
    target.connection,
    `SELECT count(*)::int AS orders,
       count(*) FILTER (WHERE NOT EXISTS (SELECT FROM store.order_line AS line WHERE line.store_id = o.store_id AND line.order_id = o.id))::int AS without_lines,
       count(*) FILTER (WHERE NOT EXISTS (SELECT FROM store.webhook_delivery AS told WHERE told.event = 'order_created' AND told.entity_id = o.id))::int AS untold,
       (SELECT 1000 - stock FROM store.product)::int AS taken FROM store."order" AS o`,
  )
  expect(order).toMatchObject({ without_lines: 0, untold: 0, taken: order?.orders })
  expect(order?.orders).toBeGreaterThanOrEqual(5)
  expect(order?.orders).toBeLessThan(5 + sold + 1)
})

test('restore refuses a database that is not empty, unless told to overwrite it; then it equals the backup byte for byte', async () => {
  const before = await contentOf(target.connection)
  const refused = await atrium(target, 'db', 'restore', quiet)
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringMatching(/^The database is not empty: \w+\.\w+ has rows\. .*--force/),
  ])
  expect(await contentOf(target.connection)).toEqual(before)

  const { out, code } = await atrium(target, 'db', 'restore', quiet, '--force')
  expect([code, out]).toEqual([0, expect.stringMatching(/^Restored [\d,]+ rows and 1 files of 20/)])
  expect(await contentOf(target.connection)).toEqual(await contentOf(source.connection))
})

test('a server on restored data gives the same answers, continues ids, and sends the pending webhooks', async () => {
  const running = await startAtrium(target)
  try {
    const inUse = await atrium(target, 'db', 'restore', quiet, '--force')
    expect([inUse.code, inUse.err]).toEqual([1, expect.stringContaining('The database is in use (atrium ')])
    expect(await seenAt(running, shop)).toEqual(seen)
    const [last] = await sql<{ id: number }>(target.connection, 'SELECT max(id) AS id FROM store."order"')
    expect(await sell(running, shop, product, 'afterwards')).toBeGreaterThan(last?.id ?? 0)
    const { token } = (await graph(running, LOGIN)).login
    const made = await graph(
      running,
      'mutation { createPost(input: { title: "Again", content: "Here" }) { ... on CreatePostSuccess { post { title } } } }',
      token,
    )
    expect(made.createPost.post.title).toBe('Again')
    const [orphans] = await sql<{ count: number; planned: number }>(
      target.connection,
      `SELECT count(*) FILTER (WHERE taken_by IS NULL)::int AS count, count(*)::int AS planned FROM store.webhook_delivery WHERE status = 'waiting'`,
    )
    expect(orphans?.count).toBe(0)
    expect(orphans?.planned).toBeGreaterThan(0)
    const [jobs] = await sql<{ count: number }>(target.connection, 'SELECT count(*)::int AS count FROM store_jobs.job')
    expect(jobs?.count).toBeGreaterThan(0)
  } finally {
    await running.stop()
  }
}, 60_000)

test('it fits another version of PostgreSQL: the embedded one', async () => {
  const dataDir = aFolder()
  const env = { ...process.env, DATA_DIR: dataDir, LOG_LEVEL: 'silent' }
  delete (env as NodeJS.ProcessEnv).DATABASE_URL
  const run = (...words: string[]) =>
    promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../cli/atrium.ts'), ...words], { env })
  const { rows } = JSON.parse((await run('db', 'restore', quiet, '--json')).stdout)
  const again = JSON.parse((await run('db', 'backup', join(dataDir, 'again.tar.gz'), '--json')).stdout)
  expect(again).toMatchObject({ rows, files: 1, hasFiles: true })
}, 60_000)

const nowhere = {
  stage: async (_: string, body: AsyncIterable<Buffer>) => {
    for await (const _chunk of body);
  },
  commit: async () => {},
  discard: async () => {},
}
const restoring = (connection: Connection, file: string, signal = AbortSignal.timeout(60_000), progress = () => {}) =>
  restore({ connection, file, files: nowhere, force: true, afterLoad: [], extraSchemas: [], signal, progress })

/** An archive with these files and no list of checksums. */
function archive(files: Readonly<Record<string, string>>): string {
  const file = join(aFolder(), 'made.tar.gz')
  const parts = Object.entries(files).flatMap(([path, text]) => [
    tarHeader(path, Buffer.byteLength(text), 0),
    Buffer.from(text),
    tarPadding(Buffer.byteLength(text)),
  ])
  writeFileSync(file, gzipSync(Buffer.concat([...parts, END])))
  return file
}

function archiveOf(bytes: Buffer): string {
  const file = join(aFolder(), 'made.tar.gz')
  writeFileSync(file, bytes)
  return file
}
const gunzipped = (file: string): Buffer => gunzipSync(readFileSync(file))
/** With another letter in a row. */
function changed(bytes: Buffer): Buffer {
  bytes[bytes.indexOf('From before')] = 0x66
  return bytes
}

const MANIFEST = { format: 'atrium-backup/1', takenAt: '2026-11-21T00:00:00.000Z', postgres: '18', hasFiles: true, tables: [] }
const [FIRST] = readMigrations()

test.each([
  ['an empty file', () => archiveOf(Buffer.alloc(0)), 'ends in the middle'],
  ['a text', () => archiveOf(Buffer.from('SELECT 1;\n')), 'is damaged or no backup'],
  ['half of a backup', () => archiveOf(readFileSync(quiet).subarray(0, 20_000)), 'ends in the middle'],
  ['a backup without its end', () => archiveOf(gzipSync(gunzipped(quiet).subarray(0, -4_096))), 'It ends in the middle.'],
  ['a backup with another byte', () => archiveOf(gzipSync(changed(gunzipped(quiet)))), 'is damaged or no backup'],
  ['an archive of something else', () => archive({ 'readme.txt': 'Hello' }), 'It does not begin with manifest.json.'],
  ['a manifest that says nothing', () => archive({ 'manifest.json': '{}' }), 'Its manifest.json cannot be read.'],
  [
    'a backup of a newer program',
    () =>
      archive({
        'manifest.json': JSON.stringify({ ...MANIFEST, migrations: [{ subgraph: 'store', name: '20991231_new', checksum: '' }] }),
      }),
    'The backup is newer than this program: it has migration store/20991231_new',
  ],
  [
    'a backup of another history',
    () => archive({ 'manifest.json': JSON.stringify({ ...MANIFEST, migrations: [{ ...FIRST, checksum: '' }] }) }),
    'was edited after the backup',
  ],
  [
    'rows of a table that there is not',
    () =>
      archive({
        'manifest.json': JSON.stringify({ ...MANIFEST, migrations: readMigrations() }),
        'tables/pg_catalog.pg_authid/000001.copy': 'x\n',
      }),
    'It has rows of "pg_catalog.pg_authid", which is no table of it.',
  ],
  [
    'a file that leads elsewhere',
    () => archive({ 'manifest.json': JSON.stringify({ ...MANIFEST, migrations: readMigrations() }), '../elsewhere': 'x' }),
    'It holds "../elsewhere", which belongs to no backup.',
  ],
])('%s is refused, and the database stays as it was', async (_, file, message) => {
  const { connection, drop } = await freshDatabase()
  cleanups.push(drop)
  await sql(connection, `INSERT INTO social."user" (email, email_key, name, name_key, role) VALUES ('a', 'a', 'a', 'a', 'USER')`)
  const before = await contentOf(connection)
  await expect(restoring(connection, file())).rejects.toThrow(message)
  expect(await contentOf(connection)).toEqual(before)
})

test('an interruption leaves neither half a backup nor half a database', async () => {
  const folder = aFolder()
  const interruption = new AbortController()
  const options = { connection: source.connection, file: join(folder, 'b.tar.gz'), files: null, signal: interruption.signal }
  await expect(backUp({ ...options, progress: () => interruption.abort() })).rejects.toThrow('aborted')
  expect(readdirSync(folder)).toEqual([])

  const before = await contentOf(target.connection)
  const second = new AbortController()
  await expect(restoring(target.connection, underWrites, second.signal, () => second.abort())).rejects.toThrow('aborted')
  expect(await contentOf(target.connection)).toEqual(before)
})

test('a backup is not written over anything, and where nothing can be written it says so', async () => {
  const there = join(aFolder(), 'there')
  writeFileSync(there, '')
  expect(await atrium(source, 'db', 'backup', there)).toMatchObject({ code: 1, err: expect.stringContaining('There is a file') })
  expect(await atrium(source, 'db', 'backup', '/nowhere/at/all')).toMatchObject({
    code: 1,
    err: expect.stringContaining('Nothing can be written'),
  })
  expect(await atrium(source, 'db', 'restore', '/nowhere/at/all')).toMatchObject({
    code: 1,
    err: 'There is no file "/nowhere/at/all".\n',
  })
})
