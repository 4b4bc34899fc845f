import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../../platform/http/caller.ts'
import { type StoreRestStack, startStoreStack } from '../rest-facade/store/stack.ts'
import type { TestStore } from '../subgraphs/store/support/store.ts'

let stack: StoreRestStack
beforeAll(async () => {
  stack = await startStoreStack()
})
afterAll(() => stack.close())

type Credentials = Caller['credentials']

async function ask(query: string, credentials: Credentials = {}) {
  const prepared = stack.gateway.prepareText(query, undefined)
  if (prepared.kind === 'rejected') throw new Error(JSON.stringify(prepared.errors))
  const caller: Caller = { requestId: 'test', address: '127.0.0.1', credentials }
  const { data, errors } = await prepared.run({}, { caller, signal: new AbortController().signal })
  // biome-ignore lint/suspicious/noExplicitAny: every question has another answer
  return { data: data as any, codes: (errors ?? []).map(({ extensions }) => extensions?.code) }
}

async function aUser(name: string): Promise<{ readonly id: string; readonly token: string }> {
  const email = `${name.toLowerCase()}@example.org`
  const { data } =
    await ask(`mutation { createUser(input: { email: "${email}", name: "${name}", password: "correct horse" }) { user { id } }
    login(email: "${email}", password: "correct horse") { ... on LoginSuccess { token } } }`)
  return { id: data.createUser.user.id, token: data.login.token }
}

const bearer = (token: string): Credentials => ({ authorization: `Bearer ${token}` })
const both = (store: TestStore, token: string): Credentials => ({
  ...bearer(token),
  'x-login-key': store.login,
  'x-auth-token': store.authtoken,
})
const CLAIM =
  'mutation { claimStore { __typename ... on ClaimStoreSuccess { store { code owner { name } } } ... on ConflictError { message } } }'

test('a user claims a store with the credentials of both, and no other user can claim it after that', async () => {
  const [ann, bob] = [await aUser('Ann'), await aUser('Bob')]
  const store = await stack.aStore({ name: 'Claimed' })
  expect((await ask('{ store { code owner { name } } }', both(store, ann.token))).data.store).toEqual({
    code: store.code,
    owner: null,
  })
  expect((await ask(CLAIM, bearer(ann.token))).codes).toEqual(['UNAUTHENTICATED'])
  expect((await ask(CLAIM, store.caller.credentials)).codes).toEqual(['UNAUTHENTICATED'])
  expect((await ask(CLAIM, both(store, ann.token))).data.claimStore).toEqual({
    __typename: 'ClaimStoreSuccess',
    store: { code: store.code, owner: { name: 'Ann' } },
  })
  expect((await ask(CLAIM, both(store, ann.token))).data.claimStore.__typename).toBe('ClaimStoreSuccess')
  expect((await ask(CLAIM, both(store, bob.token))).data.claimStore.__typename).toBe('ConflictError')
  expect((await ask('{ store { owner { id } } }', store.caller.credentials)).data.store.owner.id).toBe(ann.id)
})

test('a token that was signed out claims no store and sees none, though its signature is good', async () => {
  const [hal, ida] = [await aUser('Hal'), await aUser('Ida')]
  const [store, claimed] = [await stack.aStore({ name: 'Unclaimed' }), await stack.aStore({ name: 'Kept' })]
  expect((await ask(CLAIM, both(claimed, hal.token))).codes).toEqual([])
  expect((await ask('mutation { signOut { sessionsEnded } }', bearer(hal.token))).data.signOut.sessionsEnded).toBe(1)
  expect((await ask(CLAIM, both(store, hal.token))).codes).toEqual(['UNAUTHENTICATED'])
  expect((await ask('{ store { owner { id } } }', store.caller.credentials)).data.store.owner).toBeNull()
  // Asked of the store alone: the social graph would refuse the rest.
  const owned = `{ user(id: "${hal.id}") { stores { code } } }`
  expect((await ask(owned, bearer(hal.token))).data.user?.stores ?? null).toBeNull()

  const SET = `mutation { changePassword(input: { currentPassword: "correct horse", newPassword: "battery staple" }) { __typename } }`
  const second = (
    await ask('mutation { login(email: "ida@example.org", password: "correct horse") { ... on LoginSuccess { token } } }')
  ).data.login
  expect((await ask(SET, bearer(ida.token))).codes).toEqual([])
  expect((await ask(CLAIM, both(store, second.token))).codes).toEqual(['UNAUTHENTICATED'])
  expect((await ask(CLAIM, both(store, ida.token))).data.claimStore.__typename).toBe('ClaimStoreSuccess')
})

test('a user sees the own stores, oldest first; other users see null; anonymous callers get UNAUTHENTICATED', async () => {
  const [cleo, dan] = [await aUser('Cleo'), await aUser('Dan')]
  const stores = [await stack.aStore({ name: 'First' }), await stack.aStore({ name: 'Second' })]
  for (const store of stores) await ask(CLAIM, both(store, cleo.token))
  const seen = await ask('{ me { name stores { name owner { name } languages { code } } } }', bearer(cleo.token))
  expect(seen.codes).toEqual([])
  expect(seen.data.me.stores).toEqual(
    ['First', 'Second'].map((name) => ({ name, owner: { name: 'Cleo' }, languages: [{ code: 'pt' }] })),
  )
  const other = `{ user(id: "${cleo.id}") { name stores { code } } }`
  for (const credentials of [bearer(dan.token), stores[0]?.caller.credentials ?? {}]) {
    const { data, codes } = await ask(other, credentials)
    expect([data.user, codes]).toEqual([{ name: 'Cleo', stores: null }, []])
  }
  const { data, codes } = await ask(other, {})
  expect([data.user, codes]).toEqual([{ name: 'Cleo', stores: null }, ['UNAUTHENTICATED']])
  expect((await ask('{ me { stores { code } } }', bearer(dan.token))).data.me.stores).toEqual([])
})

test('a caller who may not read the e-mail address of an owner gets one error', async () => {
  const ines = await aUser('Ines')
  const store = await stack.aStore({ name: 'Private' })
  await ask(CLAIM, both(store, ines.token))
  for (const fields of ['id name email', 'email name id', 'id email', 'name createdAt role email phoneNumber']) {
    const { data, codes } = await ask(`{ store { code owner { ${fields} } } }`, store.caller.credentials)
    expect([fields, data.store, codes]).toEqual([fields, { code: store.code, owner: null }, ['FORBIDDEN']])
  }
  const { data, codes } = await ask('{ store { owner { id name email } } }', both(store, ines.token))
  expect([data.store.owner.email, codes]).toEqual(['ines@example.org', []])
})

test('what a token of a user opens does not open the store itself', async () => {
  const eve = await aUser('Eve')
  const store = await stack.aStore({ name: 'Closed' })
  await ask(CLAIM, both(store, eve.token))
  expect((await ask('{ customers { totalCount } }', bearer(eve.token))).codes).toEqual(['UNAUTHENTICATED'])
})

test('a token with a foreign signature identifies no user', async () => {
  const { id, token } = await aUser('Fay')
  const { privateKey, publicKey } = await generateKeyPair('EdDSA', { extractable: true })
  const [, payload = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const { x } = await exportJWK(publicKey)
  const forged = await new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', kid: String(x) }).sign(privateKey)
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.AAAA`
  const store = await stack.aStore({ name: 'Forged' })
  for (const wrong of [forged, unsigned, `${token.slice(0, -6)}AAAAAA`]) {
    expect((await ask(CLAIM, both(store, wrong))).codes).toEqual(['UNAUTHENTICATED'])
  }
  expect(id).not.toBe('')
  expect((await ask('{ store { owner { id } } }', store.caller.credentials)).data.store.owner).toBeNull()
})

test('a store whose owner was deleted has no owner', async () => {
  const gil = await aUser('Gil')
  const store = await stack.aStore({ name: 'Orphan' })
  await ask(CLAIM, both(store, gil.token))
  await ask(`mutation { deleteUser(id: "${gil.id}") { __typename } }`, bearer(gil.token))
  expect((await ask('{ store { code owner { name } } }', store.caller.credentials)).data.store).toEqual({
    code: store.code,
    owner: null,
  })
})
