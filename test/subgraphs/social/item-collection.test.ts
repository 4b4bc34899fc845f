import { afterAll, beforeAll, expect, test } from 'vitest'
import { movedTo } from '../../../subgraphs/social/item-collection/item-collection.ts'
import { type Social, startSocial, type TestUser } from './support/social.ts'

let social: Social
let ada: TestUser
let ben: TestUser
beforeAll(async () => {
  social = await startSocial()
  ada = await social.aUser({ name: 'Ada' })
  ben = await social.aUser({ name: 'Ben' })
})
afterAll(() => social.close())

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the documents of the tests.
type Data = any

const ask = async (text: string, by?: TestUser, variables = {}): Promise<Data> => {
  const { data, errors } = await social.ask(text, variables, by?.caller)
  expect(errors).toBeUndefined()
  return data
}
const CREATE =
  'mutation ($input: CreateItemCollectionInput!) { r: createItemCollection(input: $input) { __typename ... on CreateItemCollectionSuccess { collection { id } } ... on ItemCollectionLimitReached { limit } ... on ValidationError { field } } }'
const create = async (input: Record<string, unknown>, by = ada): Promise<string> =>
  (await ask(CREATE, by, { input })).r.collection?.id
const ENTRIES = '{ entryCount entries { itemId note } }'
const read = async (id: string, by?: TestUser): Promise<Data> =>
  (await ask(`{ r: itemCollection(id: "${id}") { name visibility author { name } ... on ItemCollection ${ENTRIES} } }`, by)).r
const INVALID = '... on ValidationError { field }'
const FULL = '... on ItemCollectionLimitReached { limit }'
/** What can go wrong besides that there is none. */
const problemsOf = (mutation: string): string =>
  /^(?:create|addTo)/.test(mutation) ? `${INVALID} ${FULL}` : /^(?:update|moveIn)/.test(mutation) ? INVALID : ''
const change = async (mutation: string, by = ada): Promise<Data> =>
  (await ask(`mutation { r: ${mutation} { __typename ${problemsOf(mutation)} } }`, by)).r

test('a private collection is for its author, an unlisted one for readers with its id, a public one is listed', async () => {
  const [open, unlisted, hidden] = [
    await create({ name: 'Open', visibility: 'PUBLIC', itemId: 'seen' }),
    await create({ name: 'Unlisted', visibility: 'UNLISTED', itemId: 'seen' }),
    await create({ name: 'Hidden', itemId: 'seen' }),
  ]
  for (const by of [undefined, ben]) {
    expect(await read(open, by)).toMatchObject({ name: 'Open', author: { name: 'Ada' }, entries: [{ itemId: 'seen', note: '' }] })
    expect(await read(unlisted, by)).toMatchObject({ name: 'Unlisted' })
    expect(await read(hidden, by)).toBeNull()
    const { list, user, all } = await ask(
      `{ list: itemCollections { totalCount edges { node { name } } } user(id: "${ada.id}") { itemCollections { name } }
         all: _entities(representations: [{ __typename: "DirectoryItem", id: "seen" }, { __typename: "DirectoryItem", id: "unseen" }]) { ... on DirectoryItem { itemCollections(first: 5) { totalCount edges { node { name entryCount } } } } } }`,
      by,
    )
    expect(list).toEqual({ totalCount: 1, edges: [{ node: { name: 'Open' } }] })
    expect(user.itemCollections).toEqual([{ name: 'Open' }])
    expect(all.map(({ itemCollections }: Data) => itemCollections)).toEqual([
      { totalCount: 1, edges: [{ node: { name: 'Open', entryCount: 1 } }] },
      { totalCount: 0, edges: [] },
    ])
  }
  expect(await read(hidden, ada)).toMatchObject({ visibility: 'PRIVATE' })
  expect((await ask('{ me { itemCollections { name } } }', ada)).me.itemCollections).toHaveLength(3)
  for (const id of [open, unlisted, hidden]) await change(`deleteItemCollection(id: "${id}")`)
  expect(await read(open)).toBeNull()
})

test('items are added at the end, moved, given notes and removed, by the author only', async () => {
  const id = await create({ name: 'Order', visibility: 'PUBLIC' })
  for (const item of ['a', 'b', 'c']) await change(`addToItemCollection(id: "${id}", itemId: "${item}", note: "n${item}")`)
  await change(`addToItemCollection(id: "${id}", itemId: "a", note: "again")`)
  await change(`moveInItemCollection(id: "${id}", itemId: "c", position: 1)`)
  await change(`moveInItemCollection(id: "${id}", itemId: "a", position: 99)`)
  for (const missing of ['not-there', 'not there', '\\u0000'])
    await change(`removeFromItemCollection(id: "${id}", itemId: "${missing}")`)
  expect(await read(id)).toMatchObject({
    entryCount: 3,
    entries: [
      { itemId: 'c', note: 'nc' },
      { itemId: 'b', note: 'nb' },
      { itemId: 'a', note: 'again' },
    ],
  })
  await change(`removeFromItemCollection(id: "${id}", itemId: "b")`)
  expect((await read(id)).entries.map(({ itemId }: Data) => itemId)).toEqual(['c', 'a'])
  expect(await change(`moveInItemCollection(id: "${id}", itemId: "b", position: 1)`)).toMatchObject({
    __typename: 'NotFoundError',
  })
  for (const mutation of [
    `addToItemCollection(id: "${id}", itemId: "x")`,
    `removeFromItemCollection(id: "${id}", itemId: "c")`,
    `moveInItemCollection(id: "${id}", itemId: "c", position: 2)`,
    `updateItemCollection(id: "${id}", input: { name: "Mine" })`,
    `deleteItemCollection(id: "${id}")`,
  ]) {
    const { errors } = await social.ask(`mutation { r: ${mutation} { __typename } }`, {}, ben.caller)
    expect(errors?.[0]?.extensions.code).toBe('FORBIDDEN')
  }
})

test('a preview has the first items of each collection, in the order of its author', async () => {
  const ids = [await create({ name: 'Many' }), await create({ name: 'Few' }), await create({ name: 'Empty' })]
  const [many, few] = ids
  for (const item of ['a', 'b', 'c', 'd']) await change(`addToItemCollection(id: "${many}", itemId: "${item}")`)
  await change(`moveInItemCollection(id: "${many}", itemId: "d", position: 1)`)
  await change(`addToItemCollection(id: "${few}", itemId: "z")`)
  const { me } = await ask(
    '{ me { itemCollections { name entryCount two: entries(first: 2) { itemId } all: entries(first: null) { itemId } } } }',
    ada,
  )
  const found = me.itemCollections.filter(({ name }: Data) => ['Many', 'Few', 'Empty'].includes(name))
  const idsIn = (entries: Data[]) => entries.map(({ itemId }) => itemId).join('')
  expect(found.map(({ name, entryCount, two, all }: Data) => [name, entryCount, idsIn(two), idsIn(all)])).toEqual([
    ['Few', 1, 'z', 'z'],
    ['Many', 4, 'da', 'dabc'],
    ['Empty', 0, '', ''],
  ])
  for (const first of [0, -1, 101]) {
    const { errors } = await social.ask(
      `{ itemCollection(id: "${many}") { entries(first: ${first}) { itemId } } }`,
      {},
      ada.caller,
    )
    expect(errors?.[0]).toMatchObject({
      message: `Expected "first" to be 1 to 100, got ${first}.`,
      extensions: { code: 'BAD_USER_INPUT', argument: 'first' },
    })
  }
  for (const id of ids) await change(`deleteItemCollection(id: "${id}")`)
})

test('adding an item again without a note keeps the one that it has, and an empty note removes it', async () => {
  const id = await create({ name: 'Notes' })
  const noteAfter = async (argument: string): Promise<Data> => {
    await change(`addToItemCollection(id: "${id}", itemId: "a"${argument})`)
    return (await read(id, ada)).entries[0].note
  }
  expect(await noteAfter('')).toBe('')
  expect(await noteAfter(', note: "mine"')).toBe('mine')
  expect(await noteAfter('')).toBe('mine')
  expect(await noteAfter(', note: null')).toBe('mine')
  expect(await noteAfter(', note: ""')).toBe('')
})

test('only what changes a collection moves it up in lists', async () => {
  const author = await social.aUser()
  const id = await create({ name: 'Still', visibility: 'PUBLIC', itemId: 'a' }, author)
  await change(`addToItemCollection(id: "${id}", itemId: "b")`, author)
  await social.sql(
    `INSERT INTO item_collection_entry (collection_id, item_id, note, position) SELECT $1, 'i' || n, '', n + 2 FROM generate_series(1, 98) AS n`,
    [id],
  )
  const changedAt = async () => (await ask(`{ r: itemCollection(id: "${id}") { updatedAt } }`)).r.updatedAt
  const quotaLeft = () => social.sql('SELECT * FROM write_quota WHERE author_id = $1', [author.row])
  const BEFORE = '2026-01-01T00:00:00.000Z'
  const setBack = () => social.sql('UPDATE item_collection SET updated_at = $2 WHERE id = $1', [id, BEFORE])
  await setBack()
  for (const idle of [
    `removeFromItemCollection(id: "${id}", itemId: "c")`,
    `moveInItemCollection(id: "${id}", itemId: "a", position: 1)`,
    `moveInItemCollection(id: "${id}", itemId: "c", position: 1)`,
    `addToItemCollection(id: "${id}", itemId: "a")`,
    `addToItemCollection(id: "${id}", itemId: "a", note: "")`,
  ]) {
    await change(idle, author)
    expect([idle, await changedAt()]).toEqual([idle, BEFORE])
  }
  const left = await quotaLeft()
  expect(await change(`addToItemCollection(id: "${id}", itemId: "c")`, author)).toMatchObject({ limit: 100 })
  expect([await changedAt(), await quotaLeft()]).toEqual([BEFORE, left])
  for (const real of [
    `moveInItemCollection(id: "${id}", itemId: "a", position: 2)`,
    `removeFromItemCollection(id: "${id}", itemId: "b")`,
    `addToItemCollection(id: "${id}", itemId: "a", note: "n")`,
  ]) {
    await setBack()
    await change(real, author)
    expect([real, (await changedAt()) > BEFORE]).toEqual([real, true])
  }
})

test('moves take of the quota of writes', async () => {
  const author = await social.aUser()
  const id = await create({ name: 'Moved', itemId: 'a' }, author)
  await change(`addToItemCollection(id: "${id}", itemId: "b")`, author)
  await social.sql('UPDATE write_quota SET writes_left = 0, counted_at = clock_timestamp() + $2::interval WHERE author_id = $1', [
    author.row,
    '1 hour',
  ])
  expect(await change(`moveInItemCollection(id: "${id}", itemId: "b", position: 1)`, author)).toEqual({
    __typename: 'QuotaExceededError',
  })
})

test('a place in the order is from 1, and one behind the end is the end', () => {
  expect(movedTo(['a', 'b', 'c'], 'c', 1)).toEqual(['c', 'a', 'b'])
  expect(movedTo(['a', 'b', 'c'], 'a', 2)).toEqual(['b', 'a', 'c'])
  expect(movedTo(['a', 'b'], 'a', 2_147_483_647)).toEqual(['b', 'a'])
  expect(movedTo(['a'], 'b', 1)).toBeNull()
})

test('invalid input is refused by field, and unknown ids are not found', async () => {
  const id = await create({ name: 'Strict' })
  for (const [mutation, field] of [
    ['createItemCollection(input: { name: " " })', 'name'],
    [`createItemCollection(input: { name: "n", description: ${JSON.stringify('x'.repeat(10_001))} })`, 'description'],
    ['createItemCollection(input: { name: "n", itemId: "../x" })', 'itemId'],
    [`updateItemCollection(id: "${id}", input: { name: null })`, 'name'],
    [`updateItemCollection(id: "${id}", input: { visibility: null })`, 'visibility'],
    [`addToItemCollection(id: "${id}", itemId: "a b")`, 'itemId'],
    [`addToItemCollection(id: "${id}", itemId: "a", note: ${JSON.stringify('x'.repeat(1_001))})`, 'note'],
    [`addToItemCollection(id: "${id}", itemId: "a", note: "\\u0000")`, 'note'],
    [`moveInItemCollection(id: "${id}", itemId: "a", position: 0)`, 'position'],
  ])
    expect([mutation, await change(mutation ?? '')]).toEqual([mutation, { __typename: 'ValidationError', field }])
  for (const unknown of ['x', '__proto__', `${id}0`, '00000000-0000-0000-0000-000000000000'])
    expect(await change(`deleteItemCollection(id: "${unknown}")`)).toEqual({ __typename: 'NotFoundError' })
})

test('a collection has at most 100 items, and a user at most 100 collections', async () => {
  const many = await social.aUser()
  const id = await create({ name: 'Full' }, many)
  await social.sql(
    `INSERT INTO item_collection_entry (collection_id, item_id, note, position) SELECT $1, 'i' || n, '', n FROM generate_series(1, 100) AS n`,
    [id],
  )
  const full = { __typename: 'ItemCollectionLimitReached', limit: 100 }
  expect(await change(`addToItemCollection(id: "${id}", itemId: "another")`, many)).toEqual(full)
  expect(await change(`addToItemCollection(id: "${id}", itemId: "i7", note: "new")`, many)).toMatchObject({
    __typename: 'AddToItemCollectionSuccess',
  })
  await social.sql(
    `INSERT INTO item_collection (author_id, name, description, visibility) SELECT $1, 'n', '', 'PRIVATE' FROM generate_series(1, 99)`,
    [many.row],
  )
  expect(await change('createItemCollection(input: { name: "one more" })', many)).toEqual(full)
})

test('pages of public collections meet each once, last changed first', async () => {
  const ids = []
  for (const name of ['p1', 'p2', 'p3']) ids.push(await create({ name, visibility: 'PUBLIC' }, ben))
  await change(`addToItemCollection(id: "${ids[0]}", itemId: "x")`, ben)
  const seen: string[] = []
  for (let after: string | null = null, more = true; more; ) {
    const { r }: Data = await ask(
      'query ($after: String) { r: itemCollections(first: 1, after: $after) { pageInfo { hasNextPage endCursor } edges { node { id } } } }',
      undefined,
      { after },
    )
    seen.push(...r.edges.map(({ node }: Data) => node.id))
    ;({ hasNextPage: more, endCursor: after } = r.pageInfo)
  }
  expect(seen.slice(0, 3)).toEqual([ids[0], ids[2], ids[1]])
  expect(new Set(seen).size).toBe(seen.length)
})

test('moderators delete collections that they can read, and erasing a user deletes all of theirs', async () => {
  const moderator = await social.aUser({ role: 'MODERATOR' })
  const author = await social.aUser()
  const [open, hidden, own] = [
    await create({ name: 'Spam', visibility: 'PUBLIC' }, author),
    await create({ name: 'Diary' }, author),
    await create({ name: 'Kept', visibility: 'UNLISTED', itemId: 'x' }, author),
  ]
  expect(await change(`deleteItemCollection(id: "${open}")`, moderator)).toMatchObject({
    __typename: 'DeleteItemCollectionSuccess',
  })
  expect(await change(`deleteItemCollection(id: "${hidden}")`, moderator)).toMatchObject({ __typename: 'NotFoundError' })
  await ask(`mutation { deleteUser(id: "${author.id}") { __typename } }`, author)
  expect(await read(own)).toBeNull()
  expect(await social.sql('SELECT FROM item_collection_entry WHERE collection_id = $1', [own])).toEqual([])
})
