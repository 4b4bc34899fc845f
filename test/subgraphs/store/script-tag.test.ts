import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../../../platform/http/caller.ts'
import { agreedApp, anApp } from './support/app.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

let stack: StoreStack
let shop: TestStore
beforeAll(async () => {
  stack = await startStore()
  shop = await stack.aStore()
})
afterAll(() => stack.close())

const INPUT = { url: 'https://app.example/banner.js', template: 'PRODUCT', element: 'BODY' }
const SCRIPT = 'scriptTag { id number url template element version app { code name isPrivate } }'
const PROBLEMS = `... on ValidationError { errors { field message } } ... on ConflictError { message currentVersion }`

async function put(who: TestStore | Caller, input: Record<string, unknown> = {}) {
  const CREATE = `mutation ($input: CreateScriptTagInput!) { createScriptTag(input: $input) { __typename
    ... on CreateScriptTagSuccess { ${SCRIPT} } ${PROBLEMS} } }`
  const { data, errors } = await stack.ask(who, CREATE, { input: { ...INPUT, ...input } })
  expect(errors).toBeUndefined()
  return data.createScriptTag
}

const change = (who: TestStore | Caller, id: string, input: Record<string, unknown>) =>
  stack.ask(
    who,
    `mutation ($id: ID!, $input: UpdateScriptTagInput!) { updateScriptTag(id: $id, input: $input) { __typename
      ... on UpdateScriptTagSuccess { ${SCRIPT} } ${PROBLEMS} } }`,
    { id, input },
  )
const remove = (who: TestStore | Caller, id: string, more: Record<string, unknown> = {}) =>
  stack.ask(
    who,
    `mutation ($id: ID!, $v: Int) { deleteScriptTag(id: $id, expectedVersion: $v) { __typename
      ... on DeleteScriptTagSuccess { id number } ... on ConflictError { currentVersion } } }`,
    { id, ...more },
  )
const urls = async (who: TestStore | Caller, appCode?: string): Promise<string[]> => {
  const { data, errors } = await stack.ask(who, 'query ($c: String) { scriptTags(appCode: $c) { totalCount nodes { url } } }', {
    c: appCode,
  })
  expect(errors).toBeUndefined()
  expect(data.scriptTags.totalCount).toBe(data.scriptTags.nodes.length)
  return data.scriptTags.nodes.map(({ url }: { url: string }) => url)
}

test('an app puts scripts into pages, and sees its own only; the store sees all; others see none', async () => {
  const own = await stack.aStore()
  const [one, other] = [await agreedApp(stack, own), await agreedApp(stack, own)]
  expect(await put(one.caller, { url: 'https://one.example/' })).toMatchObject({
    __typename: 'CreateScriptTagSuccess',
    scriptTag: { url: 'https://one.example/', template: 'PRODUCT', element: 'BODY', version: 1, app: { code: one.code } },
  })
  const { scriptTag } = await put(other.caller, { url: 'https://other.example/', template: 'CHECKOUT', element: 'HEAD' })
  expect(await urls(one.caller)).toEqual(['https://one.example/'])
  expect(await urls(one.caller, one.code)).toEqual(['https://one.example/'])
  expect(await urls(own)).toEqual(['https://one.example/', 'https://other.example/'])
  expect(await urls(own, other.code)).toEqual(['https://other.example/'])
  expect(await urls(shop)).toEqual([])

  const ONE = 'query ($id: ID!) { scriptTag(id: $id) { template } }'
  for (const [who, found] of [
    [own, { template: 'CHECKOUT' }],
    [other.caller, { template: 'CHECKOUT' }],
    [one.caller, null],
    [shop, null],
  ] as const) {
    for (const id of [scriptTag.id, String(scriptTag.number)])
      expect((await stack.ask(who, ONE, { id })).data.scriptTag).toEqual(found)
  }
})

test('an app neither changes nor deletes the scripts of others, nor does another store', async () => {
  const [one, other] = [await agreedApp(stack, shop), await agreedApp(stack, shop)]
  const { scriptTag } = await put(one.caller)
  for (const { errors } of [
    await change(other.caller, scriptTag.id, { element: 'HEAD' }),
    await remove(other.caller, scriptTag.id),
  ])
    expect(errors?.[0]).toMatchObject({
      message: expect.stringContaining('that of another app'),
      extensions: { code: 'FORBIDDEN' },
    })
  const elsewhere = await stack.aStore()
  const strangers = await agreedApp(stack, elsewhere, { code: one.code })
  for (const who of [elsewhere, strangers.caller]) {
    expect((await change(who, scriptTag.id, { element: 'HEAD' })).data.updateScriptTag.__typename).toBe('NotFoundError')
    expect((await remove(who, scriptTag.id)).data.deleteScriptTag.__typename).toBe('NotFoundError')
  }
  expect(await urls(one.caller)).toEqual([INPUT.url])
})

test('an app sees its own scripts only, and a store none of apps of other stores', async () => {
  const [one, other] = [await agreedApp(stack, shop), await agreedApp(stack, shop)]
  const LIST = 'query ($c: String) { scriptTags(appCode: $c) { totalCount } }'
  expect((await stack.ask(one.caller, LIST, { c: other.code })).errors?.[0]?.extensions.code).toBe('FORBIDDEN')
  const theirs = await stack.aStore()
  const made = await stack.ask(
    theirs,
    'mutation { createApp(input: { name: "Own", redirectUris: ["https://a.example/"], scopes: ["read_apps"] }) { ... on CreateAppSuccess { app { code } } } }',
  )
  for (const c of [made.data.createApp.app.code, 'nothing', '\0'])
    expect((await stack.ask(shop, LIST, { c })).errors?.[0]?.extensions.code).toBe('NOT_FOUND')
})

test('scripts of the authtoken belong to one app of the store itself, also of many at once', async () => {
  const own = await stack.aStore()
  const made = await Promise.all(Array.from({ length: 4 }, () => put(own)))
  const codes = new Set(made.map(({ scriptTag }) => scriptTag.app.code))
  expect(codes.size).toBe(1)
  expect(made[0].scriptTag.app).toMatchObject({ name: 'The store itself', isPrivate: true })
  expect(await urls(own, [...codes][0])).toHaveLength(4)
  expect((await stack.ask(await stack.aStore().then(({ caller }) => caller), '{ apps { code } }')).data.apps).toEqual([])
})

test.each([
  ['http somewhere else', { url: 'http://app.example/x.js' }, 'url'],
  ['code', { url: 'javascript:alert(1)' }, 'url'],
  ['data', { url: 'data:text/javascript,alert(1)' }, 'url'],
  ['a user', { url: 'https://me:pw@app.example/' }, 'url'],
  ['white space', { url: 'https://app.example/a b.js' }, 'url'],
  ['no address', { url: '' }, 'url'],
  ['half a character', { url: 'https://app.example/\ud800' }, 'url'],
  ['too long', { url: `https://app.example/${'x'.repeat(2000)}` }, 'url'],
])('an invalid URL is refused with its field: %s', async (_, input, field) => {
  expect(await put(shop, input)).toMatchObject({ __typename: 'ValidationError', errors: [{ field }] })
})

test('a script on this computer can be tried by http', async () => {
  for (const url of ['http://127.0.0.1:3000/x.js', 'http://localhost/x.js', 'http://[::1]:1/x.js'])
    expect((await put(await stack.aStore(), { url })).__typename).toBe('CreateScriptTagSuccess')
})

test('a change increments the version, and a stale version is a conflict', async () => {
  const { scriptTag } = await put(shop)
  const changed = await change(shop, scriptTag.id, { element: 'HEAD', expectedVersion: 1 })
  expect(changed.data.updateScriptTag.scriptTag).toMatchObject({
    url: INPUT.url,
    template: 'PRODUCT',
    element: 'HEAD',
    version: 2,
  })
  for (const field of ['url', 'template', 'element'])
    expect((await change(shop, scriptTag.id, { [field]: null })).data.updateScriptTag.errors[0].field).toBe(field)
  expect((await change(shop, scriptTag.id, { element: 'BODY', expectedVersion: 1 })).data.updateScriptTag).toMatchObject({
    __typename: 'ConflictError',
    currentVersion: 2,
  })
  expect((await remove(shop, scriptTag.id, { v: 1 })).data.deleteScriptTag).toMatchObject({ currentVersion: 2 })
  expect((await remove(shop, scriptTag.id, { v: 2 })).data.deleteScriptTag).toMatchObject({
    id: scriptTag.id,
    number: scriptTag.number,
  })
  expect((await remove(shop, scriptTag.id)).data.deleteScriptTag.__typename).toBe('NotFoundError')
})

test('a repetition puts no second script', async () => {
  const own = await stack.aStore()
  const [first, second] = [await put(own, { idempotencyKey: 'k' }), await put(own, { idempotencyKey: 'k' })]
  expect(second).toEqual(first)
  expect(await urls(own)).toHaveLength(1)
  expect((await put(own, { idempotencyKey: 'k', element: 'HEAD' })).__typename).toBe('ConflictError')
})

test('a store has 250 scripts at most, also with concurrent requests', async () => {
  const own = await stack.aStore()
  await put(own)
  await stack.sql(
    `INSERT INTO script_tag (store_id, app_id, url, template, element, created_at, updated_at)
     SELECT store_id, app_id, url, template, element, created_at, updated_at FROM script_tag, generate_series(1, 247) WHERE store_id = $1`,
    [own.storeId],
  )
  const made = await Promise.all(Array.from({ length: 4 }, () => put(own)))
  expect(made.map(({ __typename }) => __typename).sort()).toEqual([
    'CreateScriptTagSuccess',
    'CreateScriptTagSuccess',
    'ValidationError',
    'ValidationError',
  ])
})

test('pages of the list follow each other', async () => {
  const own = await stack.aStore()
  for (const n of [1, 2, 3]) await put(own, { url: `https://app.example/${n}` })
  const PAGE = 'query ($a: String) { scriptTags(first: 2, after: $a) { nodes { url } pageInfo { hasNextPage endCursor } } }'
  const { data } = await stack.ask(own, PAGE)
  expect(data.scriptTags.pageInfo.hasNextPage).toBe(true)
  const next = (await stack.ask(own, PAGE, { a: data.scriptTags.pageInfo.endCursor })).data.scriptTags
  expect(next).toMatchObject({ nodes: [{ url: 'https://app.example/3' }], pageInfo: { hasNextPage: false } })
})

test.each([
  [['read_apps'], true, true],
  [['write_jsapps'], false, true],
  [['read_jsapps'], true, false],
  [['read_products', 'write_products'], false, false],
])('the scopes %j read: %s, write: %s', async (scopes, reads, writes) => {
  const { caller } = await agreedApp(stack, shop, { scopes })
  const read = await stack.ask(caller, '{ scriptTags { totalCount } }')
  const write = await stack.ask(
    caller,
    'mutation { createScriptTag(input: { url: "https://a.example/", template: HOME, element: HEAD }) { __typename } }',
  )
  expect([read.errors === undefined, write.errors === undefined]).toEqual([reads, writes])
})

test('with the last consent, and with an app that is uninstalled, its scripts are gone', async () => {
  const own = await stack.aStore()
  const code = await anApp(stack)
  const first = await agreedApp(stack, own, { code })
  await agreedApp(stack, own, { code })
  const another = await agreedApp(stack, own)
  await put(first.caller, { url: 'https://first.example/' })
  await put(another.caller, { url: 'https://another.example/' })

  const consents = async () =>
    (await stack.ask(own, '{ appAuthorizations { id app { code } } }')).data.appAuthorizations.filter(
      ({ app }: { app: { code: string } }) => app.code === code,
    )
  const REVOKE = 'mutation ($id: ID!) { revokeAppAuthorization(id: $id) { __typename } }'
  const [last, ...others] = await consents()
  for (const { id } of others) await stack.ask(own, REVOKE, { id })
  expect(await urls(own)).toEqual(['https://first.example/', 'https://another.example/'])
  await stack.ask(own, REVOKE, { id: last.id })
  expect(await urls(own)).toEqual(['https://another.example/'])

  const UNINSTALL = `mutation ($code: String!) { uninstallApp(code: $code) { __typename
    ... on UninstallAppSuccess { installation { isInstalled installedAt } } } }`
  expect((await stack.ask(own, UNINSTALL, { code: another.code })).data.uninstallApp).toEqual({
    __typename: 'UninstallAppSuccess',
    installation: { isInstalled: false, installedAt: null },
  })
  expect(await urls(own)).toEqual([])
  expect((await stack.ask(own, '{ appInstallations { app { code } } appAuthorizations { id } }')).data).toEqual({
    appInstallations: [],
    appAuthorizations: [],
  })
  for (const gone of [another.code, 'nothing'])
    expect((await stack.ask(own, UNINSTALL, { code: gone })).data.uninstallApp.__typename).toBe('NotFoundError')
})

test('scripts outlive the tokens of their app', async () => {
  const own = await stack.aStore()
  const { caller, code } = await agreedApp(stack, own)
  await put(caller)
  await stack.sql('DELETE FROM app_authorization WHERE store_id = $1', [own.storeId])
  expect(await urls(own, code)).toEqual([INPUT.url])
  const { data } = await stack.ask(own, 'query ($code: String!) { appInstallation(code: $code) { isInstalled } }', { code })
  expect(data.appInstallation.isInstalled).toBe(true)
})
