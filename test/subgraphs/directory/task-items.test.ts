import { graphql } from 'graphql'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../platform/database/database.ts'
import type { Subgraph } from '../../../platform/graphql/subgraph.ts'
import { type Catalogue, catalogueOf } from '../../../subgraphs/directory/item/catalogue.ts'
import { itemRepository } from '../../../subgraphs/directory/item/repository.ts'
import { taskItems } from '../../../subgraphs/directory/search/task-items.ts'
import { safeNames } from '../../../subgraphs/directory/server-features/findings.ts'
import { directorySubgraph } from '../../../subgraphs/directory/subgraph.ts'
import type { Tables } from '../../../subgraphs/directory/tables.ts'
import { freshDatabase } from '../../support/database.ts'
import { aPlugin, aServer, aSkill, putItems } from '../../support/items.ts'

type Pick = {
  readonly reason: string
  readonly item: { readonly name: string }
  readonly alternatives: { readonly name: string }[]
}

let subgraph: Subgraph
let drop: () => Promise<void>

beforeAll(async () => {
  const database = await freshDatabase()
  drop = database.drop
  await putItems(database.connection, [
    aServer('acme/slack', { name: 'Slack', description: 'Messages and channels', popularity: 50 }),
    aServer('other/slack', { name: 'Slack bridge', description: 'Messages' }),
    aServer('old/github', { name: 'GitHub', description: 'Issues', popularity: 9_000, detail: { deprecated: true } }),
    aServer('acme/github', { name: 'GitHub', description: 'Issues and pull requests', detail: { official: true } }),
    aServer('acme/both', { name: 'Hub', description: 'Some slack for github issues' }),
    aServer('acme/remote', {
      name: 'Linear',
      detail: { installations: [{ command: 'claude mcp add linear https://mcp.example.com', transport: 'streamable-http' }] },
    }),
    aPlugin('market/review', { name: 'Review', description: 'Reviews pull requests' }),
    aSkill('invoices', { name: 'invoices', description: 'Writes invoices' }),
    ...Array.from({ length: 30 }, (_, index) => aServer(`filler/n${index}`, { name: `Filler ${index}`, description: 'Nothing' })),
  ])
  subgraph = await directorySubgraph({
    connection: database.connection,
    publicUrl: 'http://localhost',
    log: pino({ level: 'silent' }),
  })
})
afterAll(async () => {
  await subgraph.close()
  await drop()
})

async function ask(task: string, others: Record<string, unknown> = {}) {
  const contextValue = subgraph.context({ requestId: 'test', address: '127.0.0.1', credentials: {} })
  const source = `query ($task: String!, $maxItems: Int, $kinds: [DirectoryKind!], $filter: SearchFilter) {
    itemsForTask(task: $task, maxItems: $maxItems, kinds: $kinds, filter: $filter) {
      uncovered picks { reason item { name } alternatives { name } } } }`
  const { data, errors } = await graphql({ schema: subgraph.schema, source, variableValues: { task, ...others }, contextValue })
  const found = data?.itemsForTask as { readonly uncovered: readonly string[]; readonly picks: readonly Pick[] } | undefined
  return { found, names: found?.picks.map(({ item }) => item.name), errors }
}

test('a task with two products gets an item for each, with the reason, and no third one', async () => {
  const { found, names } = await ask('Read the GitHub issues every Monday, then post them to Slack')
  expect(names).toEqual(['GitHub', 'Slack'])
  expect(found?.picks.map(({ reason }) => reason)).toEqual(['github (name), issues (description)', 'slack (name)'])
  expect(found?.uncovered).toEqual([])
})

test('items that do about as much are alternatives, and no deprecated one leads', async () => {
  const { found } = await ask('send it to slack')
  expect(found?.picks).toMatchObject([{ item: { name: 'Slack' }, alternatives: [{ name: 'Slack bridge' }] }])
  const { found: hub } = await ask('github')
  expect(hub?.picks[0]?.alternatives).not.toContainEqual({ name: 'GitHub' })
})

test('words that no item has are told, in the order of the task', async () => {
  const { found, names } = await ask('Quaff the Slack zymurgy')
  expect(names).toEqual(['Slack'])
  expect(found?.uncovered).toEqual(['quaff', 'zymurgy'])
})

test.each(['', ' \n', '!?', 'then do it every day with the tool', 'constructor __proto__'])(
  'a task without a distinctive word, %j, gets no items',
  async (task) => {
    const { names, errors } = await ask(task)
    expect(errors).toBeUndefined()
    expect(names).toEqual([])
  },
)

test('kinds, conditions and the maximum hold', async () => {
  const task = 'github issues to slack, linear, an invoices skill and review'
  expect((await ask(task, { maxItems: 1 })).names).toHaveLength(1)
  expect((await ask(task, { kinds: ['SKILL'] })).names).toEqual(['invoices'])
  expect((await ask(task, { filter: { location: 'REMOTE' } })).names).toEqual(['Linear'])
  expect((await ask(task, { maxItems: 8 })).names?.toSorted()).toEqual(['GitHub', 'Linear', 'Review', 'Slack', 'invoices'])
})

test.each([
  [{ task: 'x'.repeat(1_001) }, 'Expected "task" to be at most 1000 characters, got'],
  [{ task: 'slack', maxItems: 0 }, 'Expected "maxItems" to be 1 to 8, got 0.'],
  [{ task: 'slack', maxItems: 9 }, 'Expected "maxItems" to be 1 to 8, got 9.'],
])('what is out of bounds is refused by name: %#', async ({ task, ...others }, message) => {
  const { errors } = await ask(task, others)
  expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
  expect(errors?.[0]?.message).toContain(message)
})

test('a thousand characters of distinct words are answered from the 24 rarest', async () => {
  const task = Array.from({ length: 200 }, (_, index) => `w${index}`).join(' ')
  const { found, errors } = await ask(task)
  expect(errors).toBeUndefined()
  expect(found?.uncovered.length).toBeLessThanOrEqual(24)
})

describe('in a directory of 5,000 servers, 450 of them called Widget,', () => {
  let catalogue: Catalogue
  const accepts = () => true

  beforeAll(async () => {
    const { connection, drop: dropLarge } = await freshDatabase()
    const database = openDatabase<Tables>(connection, { schema: 'directory', max: 1, onError: () => {} })
    await putItems(connection, [aServer('x/template'), aSkill('gauge', { name: 'gauge', tags: ['widget'] })])
    await database.pool.query(
      `INSERT INTO item (kind, identity, key, name, description, category, tags, popularity, detail, provenance, created_at, updated_at, revision)
       SELECT kind, 's/' || n, 's/' || n, CASE WHEN n <= 450 THEN 'Widget' ELSE 'Filler ' || n END, '', category, '{}',
              CASE n WHEN 450 THEN 9000 ELSE 0 END, detail, provenance, created_at, updated_at, revision
       FROM item, generate_series(1, 5000) AS n WHERE key = 'x/template'`,
    )
    catalogue = await catalogueOf(await itemRepository(database.query, safeNames).snapshot())
    await database.close()
    await dropLarge()
  })

  test('items of the kind that is wanted are found behind hundreds that fit better', () => {
    const { picks } = taskItems('widget', catalogue, { accepts: ({ kind }) => kind === 'SKILL', max: 4 })
    expect(picks.map(({ item }) => item.key)).toEqual(['gauge'])
  })

  test('the best known of hundreds with the same words is picked', () => {
    const { picks } = taskItems('widget', catalogue, { accepts, max: 1 })
    expect(picks.map(({ item }) => item.key)).toEqual(['s/450'])
  })

  test('no more than 48 words of a hostile task are compared with every known word', () => {
    let scans = 0
    const words = Object.defineProperty({ ...catalogue.words }, 'letters', {
      get() {
        scans += 1
        return catalogue.words.letters
      },
    })
    const task = Array.from({ length: 140 }, (_, n) => `zq${String.fromCharCode(97 + (n % 26), 97 + Math.floor(n / 26))}xv`).join(
      ' ',
    )
    const { picks, uncovered } = taskItems(task, { ...catalogue, words }, { accepts, max: 8 })
    expect([picks, uncovered.length]).toEqual([[], 24])
    expect(scans).toBe(48)
  })
})
