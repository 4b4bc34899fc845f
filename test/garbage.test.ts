import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { atrium } from './cli/support/atrium.ts'
import { type FreshDatabase, freshDatabase } from './support/database.ts'
import { type Program, SECRETS_KEY, startMain } from './support/program.ts'

/**
 * Bytes among young objects at which they are collected: so many that an answer is over before it
 * has seen two collections. MiB.
 */
const YOUNG = 8

/** Clients, each at an address of its own: a store counts what one address asks. */
const CLIENTS = 240

const filesDir = mkdtempSync(join(tmpdir(), 'atrium-garbage-'))
const agent = new Agent({ keepAlive: true })
let database: FreshDatabase
let running: Program & { readonly base: string }
let authorization: string
beforeAll(async () => {
  database = await freshDatabase()
  const made = await atrium(
    { connection: database.connection, filesDir },
    'store',
    'create',
    '--name',
    'Shop',
    '--country',
    'PT',
    '--json',
  )
  const { login, authtoken } = JSON.parse(made.out)
  authorization = `Basic ${Buffer.from(`${login}:${authtoken}`).toString('base64')}`
  const { connectionString: DATABASE_URL } = database.connection as { connectionString: string }
  const environment = { ...process.env, DATABASE_URL, FILES_DIR: filesDir, LOG_LEVEL: 'silent', SECRETS_KEY }
  const flags = [
    '--trace-gc',
    '--no-allocation-site-pretenuring',
    `--max-semi-space-size=${YOUNG}`,
    `--min-semi-space-size=${YOUNG}`,
  ]
  running = await startMain(environment, [process.execPath, ...flags, 'main.ts'])
}, 120_000)
afterAll(async () => {
  agent.destroy()
  await running?.kill()
  await database.drop()
  rmSync(filesDir, { recursive: true })
})

function ask(path: string, number: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const localAddress = `127.4.0.${1 + (number % CLIENTS)}`
    const outgoing = request(
      running.base + path,
      { agent, localAddress, headers: { authorization, 'apollo-require-preflight': '1' } },
      (answer) => {
        void text(answer).then(() => resolve(answer.statusCode ?? 0), reject)
      },
    )
    outgoing.on('error', reject).end()
  })
}

/**
 * MB that were made, and of them what outlived the collections of young objects, by what V8 says of
 * them.
 */
function collected(said: string): { readonly made: number; readonly survived: number; readonly collections: number } {
  let [made, survived, collections] = [0, 0, 0]
  let behind: number | null = null
  for (const [, kind, before, after] of said.matchAll(/(Scavenge|Mark-Compact)[^\n]*? ([\d.]+) \([\d.]+\) -> ([\d.]+) \(/g)) {
    if (kind === 'Scavenge' && behind !== null) {
      made += Number(before) - behind
      survived += Math.max(0, Number(after) - behind)
      collections += 1
    }
    behind = Number(after)
  }
  return { made, survived, collections }
}

/**
 * What outlives two collections of young objects stays until all objects are looked at, which takes
 * many times as long. It needs no leak for it: one object among the old that reaches an answer is
 * enough, although nobody reaches that object.
 */
test.each([
  ['a list of the REST API', '/v1/products.json?limit=50', 250, 1],
  ['a page of the graph', `/graphql?query=${encodeURIComponent('{ products(first: 50) { nodes { id name } } }')}`, 2_000, 1],
  ['users', `/graphql?query=${encodeURIComponent('{ users(limit: 10) { id name posts { id } } }')}`, 1_500, 1],
  ['ten clients at once', `/graphql?query=${encodeURIComponent('{ users(limit: 1) { id } }')}`, 6_000, 10],
])('what was made for %s is gone with the young objects', { timeout: 120_000 }, async (_what, path, times, clients) => {
  const askAll = async (total: number): Promise<ReadonlySet<number>> => {
    const answered = new Set<number>()
    let number = 0
    const client = async () => {
      while (number < total) answered.add(await ask(path, number++))
    }
    await Promise.all(Array.from({ length: clients }, client))
    return answered
  }
  // Every client has asked, and what is kept for it has been made: whatever is still made to be kept
  // counts below.
  await askAll(Math.max(CLIENTS, times / 4))
  const since = running.said().length
  expect([...(await askAll(times))]).toEqual([200])
  const { made, survived, collections } = collected(running.said().slice(since))
  expect(collections).toBeGreaterThan(3)
  expect(survived / made).toBeLessThan(0.04)
})
