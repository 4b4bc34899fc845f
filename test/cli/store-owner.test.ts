import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StoreStack, startStore } from '../subgraphs/store/support/store.ts'
import { runAtrium } from '../support/command-line.ts'

let stack: StoreStack
beforeAll(async () => {
  stack = await startStore()
})
afterAll(() => stack.close())

/** Runs `npx atrium …` on the database of this test. */
function atrium(...words: string[]) {
  const { connectionString } = stack.database.connection as { connectionString: string }
  const env = { ...process.env, DATABASE_URL: connectionString, LOG_LEVEL: 'silent' }
  return runAtrium(words, env)
}

test('store owner assigns a store to a user and removes the user again; unknown users and stores are errors', async () => {
  const { code: store, storeId } = await stack.aStore({ name: 'Given away' })
  const made = await atrium('user', 'create', '--email', 'ann@example.org', '--name', 'Ann', '--json')
  const { id } = JSON.parse(made.out)
  const owner = async () => (await stack.sql('SELECT owner_id FROM store WHERE id = $1', [storeId]))[0]?.owner_id

  expect(await atrium('store', 'owner', store, id)).toEqual({ out: `"${store}" belongs to ${id}.\n`, err: '', code: 0 })
  expect(await owner()).toBe(id)
  expect(JSON.parse((await atrium('store', 'owner', store, '--none', '--json')).out)).toEqual({ code: store, owner: null })
  expect(await owner()).toBeNull()

  const nobody = await atrium('store', 'owner', store, 'nobody')
  expect([nobody.code, nobody.err]).toEqual([1, 'There is no user with the id "nobody"; `atrium user list --json` shows them.\n'])
  const nowhere = await atrium('store', 'owner', 'nowhere', id)
  expect([nowhere.code, nowhere.err]).toEqual([1, 'There is no store with the code "nowhere"; `atrium store list` shows them.\n'])
  for (const words of [[store], [store, id, '--none']]) expect((await atrium('store', 'owner', ...words)).code).toBe(2)
})
