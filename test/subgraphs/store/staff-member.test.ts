import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql'
import { generateKeyPair, SignJWT } from 'jose'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../platform/database/database.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { PUBLIC_ROOT_FIELDS, RULES } from '../../../subgraphs/store/access/rules.ts'
import { SCOPES } from '../../../subgraphs/store/access/scopes.ts'
import { ROLE_RIGHTS, STAFF_ROLES, type StaffRole } from '../../../subgraphs/store/access/staff-roles.ts'
import { staffMemberRepository } from '../../../subgraphs/store/staff-member/repository.ts'
import { MAX_STAFF } from '../../../subgraphs/store/staff-member/staff-member.ts'
import { sweepInvitations } from '../../../subgraphs/store/staff-member/sweep.ts'
import type { Tables } from '../../../subgraphs/store/tables.ts'
import { encodeId } from '../../../subgraphs/toolkit/ids.ts'
import { startSmtpServer } from '../../support/smtp-server.ts'
import { agreedApp } from './support/app.ts'
import { mailServerAt } from './support/mail.ts'
import { ANONYMOUS, type StoreStack, startStore, type TestStore } from './support/store.ts'

let at = new Date('2026-11-20T12:00:00Z')
let stack: StoreStack
let signer: Awaited<ReturnType<typeof generateKeyPair>>['privateKey']
beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA')
  signer = privateKey
  stack = await startStore(() => at, { userKeys: async () => publicKey, isSessionOpen: async () => true })
})
afterAll(() => stack.close())

let users = 0
/** A user of the social graph, in the store of the code; null: in none. */
async function aUser(id: number = ++users): Promise<(storeCode: string | null) => Caller> {
  const token = await new SignJWT({ sid: '1' })
    .setProtectedHeader({ alg: 'EdDSA' })
    .setIssuer('atrium')
    .setSubject(String(id))
    .setExpirationTime(Math.floor(at.getTime() / 1_000) + 100 * 86_400)
    .sign(signer)
  return (storeCode) => ({
    ...ANONYMOUS,
    credentials: { authorization: `Bearer ${token}`, ...(storeCode !== null && { 'x-store-code': storeCode }) },
  })
}

const INVITE = `mutation ($input: InviteStaffMemberInput!) { result: inviteStaffMember(input: $input) { __typename
  ... on InviteStaffMemberSuccess { acceptUrl staffMember { number email role version acceptedAt user { id } } } ... on ValidationError { errors { field message } } } }`
const ACCEPT = `mutation ($secret: String!) { result: acceptStaffInvitation(secret: $secret) { __typename
  ... on AcceptStaffInvitationSuccess { membership { role store { name code } } } ... on NotFoundError { message } ... on ConflictError { message } } }`
const REMOVE = 'mutation ($id: ID!) { result: removeStaffMember(id: $id) { __typename } }'
const UPDATE = `mutation ($id: ID!, $role: StaffRole!, $version: Int) { result: updateStaffMember(id: $id, input: { role: $role, expectedVersion: $version }) {
  __typename ... on UpdateStaffMemberSuccess { staffMember { role version } } ... on ValidationError { message } } }`
const STAFF = '{ staffMembers { number email role acceptedAt expiresAt user { id } } }'

async function invite(store: TestStore | Caller, role: StaffRole, email = 'new@example.org') {
  const { data, errors } = await stack.ask(store, INVITE, { input: { email, role } })
  expect(errors).toBeUndefined()
  return data.result
}
const secretOf = (acceptUrl: string): string => acceptUrl.split('/').at(-1) ?? ''

/** A member of the staff with this role. */
async function aMember(store: TestStore, role: StaffRole) {
  const { acceptUrl, staffMember } = await invite(store, role)
  const user = await aUser()
  const { data } = await stack.ask(user(null), ACCEPT, { secret: secretOf(acceptUrl) })
  expect(data.result.__typename).toBe('AcceptStaffInvitationSuccess')
  return { user, caller: user(store.code), number: String(staffMember.number) }
}

/** The owner of a store, who has claimed it. */
async function anOwner(store: TestStore) {
  const id = ++users
  await stack.sql('UPDATE store SET owner_id = $1 WHERE id = $2', [encodeId('User', String(id)), store.storeId])
  return (await aUser(id))(store.code)
}

const codesOf = ({ errors = [] }: Awaited<ReturnType<StoreStack['ask']>>) => errors.map(({ extensions }) => extensions.code)

/** The cached judgement of a caller has ended. */
const later = (milliseconds = 2_000): void => {
  at = new Date(at.getTime() + milliseconds)
}

describe('an invitation', () => {
  test('makes a user of Atrium staff, once, and forgets secret and address', async () => {
    const store = await stack.aStore({ name: 'Corner' })
    const { acceptUrl, staffMember } = await invite(store, 'SUPPORT', 'ann@example.org')
    expect(staffMember).toMatchObject({ email: 'ann@example.org', role: 'SUPPORT', version: 1, acceptedAt: null, user: null })
    expect(acceptUrl).toMatch(/^https:\/\/atrium\.example\/account\/staff\/[\w-]{43}$/)
    const secret = secretOf(acceptUrl)
    const shown = await stack.ask(ANONYMOUS, 'query ($secret: String!) { staffInvitation(secret: $secret) { storeName role } }', {
      secret,
    })
    expect(shown.data.staffInvitation).toEqual({ storeName: 'Corner', role: 'SUPPORT' })

    expect(codesOf(await stack.ask(ANONYMOUS, ACCEPT, { secret }))).toEqual(['UNAUTHENTICATED'])
    const ann = await aUser()
    expect((await stack.ask(ann(null), ACCEPT, { secret })).data.result.membership).toEqual({
      role: 'SUPPORT',
      store: { name: 'Corner', code: store.code },
    })
    expect((await stack.ask(ann(null), ACCEPT, { secret })).data.result.__typename).toBe('NotFoundError')
    const { data } = await stack.ask(store, STAFF)
    expect(data.staffMembers).toMatchObject([{ email: null, role: 'SUPPORT', expiresAt: null, user: { id: expect.any(String) } }])
    const [row] = await stack.sql('SELECT email, secret_hash FROM staff_member WHERE store_id = $1', [store.storeId])
    expect(row).toEqual({ email: null, secret_hash: null })
    expect((await stack.ask(ann(store.code), '{ storeAccess { storeCode role appCode } }')).data.storeAccess).toEqual({
      storeCode: store.code,
      role: 'SUPPORT',
      appCode: null,
    })
  })

  test('expires after seven days, and is refused for the owner, for members, and with wrong input', async () => {
    const store = await stack.aStore()
    const { acceptUrl } = await invite(store, 'MANAGER')
    const owner = await anOwner(store)
    const member = await aMember(store, 'SUPPORT')
    const secret = secretOf(acceptUrl)
    for (const who of [owner, member.caller])
      expect((await stack.ask(who, ACCEPT, { secret })).data.result.__typename).toBe('ConflictError')
    for (const input of [
      { email: 'nobody', role: 'SUPPORT' },
      { email: 'a@example.org', role: 'OWNER' },
    ])
      expect((await stack.ask(store, INVITE, { input })).data.result.__typename).toBe('ValidationError')
    later(7 * 86_400_000 + 1)
    const late = await aUser()
    expect((await stack.ask(late(null), ACCEPT, { secret })).data.result.__typename).toBe('NotFoundError')
  })

  test('that has expired is deleted with its address, and open ones stay', async () => {
    const store = await stack.aStore()
    await invite(store, 'SUPPORT', 'gone@example.org')
    later(4 * 86_400_000)
    await invite(store, 'SUPPORT', 'open@example.org')
    const member = await aMember(store, 'SUPPORT')
    later(3 * 86_400_000)
    const { query, close } = openDatabase<Tables>(stack.database.connection, { schema: 'store', max: 1, onError: () => {} })
    const sweeping = sweepInvitations(staffMemberRepository(query), { log: pino({ level: 'silent' }), now: () => at })
    await sweeping.first
    await sweeping.stop()
    await close()
    const rows = await stack.sql('SELECT id, email FROM staff_member WHERE store_id = $1 ORDER BY id', [store.storeId])
    expect(rows).toEqual([
      { id: expect.any(Number), email: 'open@example.org' },
      { id: Number(member.number), email: null },
    ])
  })

  test('is accepted by one of 20 users who try at once', async () => {
    const store = await stack.aStore()
    const { acceptUrl } = await invite(store, 'CATALOGUE')
    const all = await Promise.all(Array.from({ length: 20 }, () => aUser()))
    const answers = await Promise.all(all.map((user) => stack.ask(user(null), ACCEPT, { secret: secretOf(acceptUrl) })))
    expect(answers.filter(({ data }) => data.result.__typename === 'AcceptStaffInvitationSuccess')).toHaveLength(1)
  })

  test('is one membership for a user who accepts ten at once', async () => {
    const store = await stack.aStore()
    const invitations = []
    for (let n = 0; n < 10; n += 1) invitations.push(await invite(store, 'SUPPORT'))
    const user = await aUser()
    const answers = await Promise.all(
      invitations.map(({ acceptUrl }) => stack.ask(user(null), ACCEPT, { secret: secretOf(acceptUrl) })),
    )
    expect(answers.flatMap(({ errors = [] }) => errors)).toEqual([])
    expect(answers.map(({ data }) => data.result.__typename).toSorted()).toEqual([
      'AcceptStaffInvitationSuccess',
      ...Array(9).fill('ConflictError'),
    ])
  })

  test('repeated with its idempotency key is the same one, and does not show the URL again', async () => {
    const store = await stack.aStore()
    const input = { email: 'bob@example.org', role: 'SUPPORT', idempotencyKey: 'invite-bob' }
    const [first, second] = [await stack.ask(store, INVITE, { input }), await stack.ask(store, INVITE, { input })]
    expect([first.data.result.acceptUrl === null, second.data.result.acceptUrl]).toEqual([false, null])
    expect(second.data.result.staffMember.number).toBe(first.data.result.staffMember.number)
  })

  test(`beyond ${MAX_STAFF} staff members is refused, also of 20 at once`, async () => {
    const store = await stack.aStore()
    await stack.sql(
      `INSERT INTO staff_member (store_id, email, role, invited_at, expires_at)
       SELECT $1, 'x@example.org', 'SUPPORT', $2, $2::timestamptz + interval '1 day' FROM generate_series(1, $3)`,
      [store.storeId, at, MAX_STAFF - 3],
    )
    const answers = await Promise.all(Array.from({ length: 20 }, () => invite(store, 'SUPPORT')))
    expect(answers.filter(({ __typename }) => __typename === 'InviteStaffMemberSuccess')).toHaveLength(3)
    expect((await stack.ask(store, STAFF)).data.staffMembers).toHaveLength(MAX_STAFF)
  })
})

describe('a member', () => {
  test('has the rights of the role, and of another role within two seconds, and none after removal', async () => {
    const store = await stack.aStore()
    const { caller, user, number } = await aMember(store, 'SUPPORT')
    const CHANGE = 'mutation { updateStore(input: { whatsappPhone: "1" }) { __typename } }'
    expect(codesOf(await stack.ask(caller, CHANGE))).toEqual(['FORBIDDEN'])
    const stale = await stack.ask(store, UPDATE, { id: number, role: 'MANAGER', version: 1 })
    expect(stale.data.result.__typename).toBe('ConflictError')
    const changed = await stack.ask(store, UPDATE, { id: number, role: 'MANAGER', version: 2 })
    expect(changed.data.result.staffMember).toEqual({ role: 'MANAGER', version: 3 })
    expect((await stack.ask(store, UPDATE, { id: number, role: 'OWNER' })).data.result.__typename).toBe('ValidationError')
    later()
    expect((await stack.ask(caller, CHANGE)).data.updateStore.__typename).toBe('UpdateStoreSuccess')
    expect((await stack.ask(store, REMOVE, { id: number })).data.result.__typename).toBe('RemoveStaffMemberSuccess')
    expect((await stack.ask(store, REMOVE, { id: number })).data.result.__typename).toBe('NotFoundError')
    later()
    expect(codesOf(await stack.ask(caller, CHANGE))).toEqual(['UNAUTHENTICATED'])
    expect(codesOf(await stack.ask(user(null), CHANGE))).toEqual(['UNAUTHENTICATED'])
  })

  test('does not work in another store, and cannot make the store its own', async () => {
    const [store, other] = [await stack.aStore(), await stack.aStore()]
    const { user, caller } = await aMember(store, 'MANAGER')
    for (const code of [other.code, 'nothing', '\0', ''])
      expect([code, codesOf(await stack.ask(user(code), '{ customers { totalCount } }'))]).toEqual([code, ['UNAUTHENTICATED']])
    expect(codesOf(await stack.ask(caller, 'mutation { claimStore { __typename } }'))).toEqual(['UNAUTHENTICATED'])
    const [row] = await stack.sql('SELECT owner_id FROM store WHERE id = $1', [store.storeId])
    expect(row).toEqual({ owner_id: null })
  })

  test('of other stores is not seen: ids of another store are not found', async () => {
    const [store, other] = [await stack.aStore(), await stack.aStore()]
    const { number } = await aMember(other, 'SUPPORT')
    expect((await stack.ask(store, REMOVE, { id: number })).data.result.__typename).toBe('NotFoundError')
    expect((await stack.ask(store, UPDATE, { id: number, role: 'MANAGER' })).data.result.__typename).toBe('NotFoundError')
  })

  test('begins ten sessions of the console, and ends none of the store or of others', async () => {
    const store = await stack.aStore()
    const [one, other] = [await aMember(store, 'SUPPORT'), await aMember(store, 'SUPPORT')]
    const BEGIN = 'mutation { begun: beginConsoleSession { secret } }'
    const begin = async (who: TestStore | Caller): Promise<string> => (await stack.ask(who, BEGIN)).data.begun.secret
    const isOpen = async (secret: string) =>
      (await stack.ask(store, 'query ($secret: String!) { isOpen: isConsoleSessionOpen(secret: $secret) }', { secret })).data
        .isOpen
    const others = [await begin(store), await begin(other.caller)]
    const own: string[] = []
    for (let n = 0; n < 101; n += 1) {
      later(1)
      own.push(await begin(one.caller))
    }
    expect(await Promise.all(others.map(isOpen))).toEqual([true, true])
    expect((await Promise.all(own.map(isOpen))).filter(Boolean)).toHaveLength(10)
    expect(await isOpen(own.at(-1) ?? '')).toBe(true)
  })

  test('of an owner makes another store theirs; that of a store has no owner until it is claimed', async () => {
    const store = await stack.aStore()
    const owner = await anOwner(store)
    const CREATE = `mutation { result: createStore(input: { name: "Second shop" }) { __typename
      ... on CreateStoreSuccess { store { code owner { id } } } } }`
    const { store: second } = (await stack.ask(owner, CREATE)).data.result
    const [{ id = '' } = {}] = await stack.sql('SELECT owner_id AS id FROM store WHERE id = $1', [store.storeId])
    expect(second.owner).toEqual({ id })
    const token = owner.credentials.authorization ?? ''
    const there = { ...ANONYMOUS, credentials: { authorization: token, 'x-store-code': second.code } }
    expect((await stack.ask(there, '{ storeAccess { role } }')).data.storeAccess.role).toBe('OWNER')
    expect((await stack.ask(store, CREATE)).data.result.store.owner).toBeNull()
    const { caller } = await aMember(store, 'MANAGER')
    expect(codesOf(await stack.ask(caller, CREATE))).toEqual(['FORBIDDEN'])
  })

  test('who owns the store signs in to an app with the password, not with a session', async () => {
    const store = await stack.aStore()
    const owner = await anOwner(store)
    const SIGN_IN = 'mutation { signInToAuthorize(request: "x") { __typename } }'
    expect(codesOf(await stack.ask(owner, SIGN_IN))).toEqual(['UNAUTHENTICATED'])
    expect((await stack.ask(store, SIGN_IN)).data.signInToAuthorize.__typename).toBe('NotFoundError')
  })

  test('of a store is a secret to apps, and to every role but the owner', async () => {
    const store = await stack.aStore()
    const owner = await anOwner(store)
    const { caller } = await aMember(store, 'MANAGER')
    const app = await agreedApp(stack, store)
    for (const who of [caller, app.caller]) {
      expect(codesOf(await stack.ask(who, STAFF))).toEqual(['FORBIDDEN'])
      expect(codesOf(await stack.ask(who, INVITE, { input: { email: 'c@example.org', role: 'MANAGER' } }))).toEqual(['FORBIDDEN'])
    }
    expect((await stack.ask(owner, STAFF)).data.staffMembers).toHaveLength(1)
    expect((await invite(owner, 'SUPPORT')).__typename).toBe('InviteStaffMemberSuccess')
  })
})

test('an invitation is sent by e-mail where there is a mail server, with a secret that is nowhere else', async () => {
  const smtp = await startSmtpServer()
  const mailing = await startStore(() => new Date(), { mailServer: mailServerAt(smtp.port) })
  const stop = await mailing.subgraph.deliverMail()
  try {
    const store = await mailing.aStore({ name: 'Corner' })
    await mailing.ask(store, 'mutation { updateStore(input: { languages: ["fr", "en"] }) { __typename } }')
    const { data } = await mailing.ask(store, INVITE, { input: { email: 'dan@example.org', role: 'SUPPORT' } })
    expect(data.result.acceptUrl).toBeNull()
    await expect.poll(() => smtp.received.length, { timeout: 20_000 }).toBe(1)
    // In the first language of the store.
    expect(smtp.received[0]?.text).toContain('Le propriétaire de Corner vous invite')
    const [, secret = ''] = /account\/staff\/([\w-]{43})/.exec(smtp.received[0]?.text ?? '') ?? []
    const shown = await mailing.ask(ANONYMOUS, 'query ($secret: String!) { staffInvitation(secret: $secret) { role } }', {
      secret,
    })
    expect(shown.data.staffInvitation).toEqual({ role: 'SUPPORT' })
  } finally {
    await stop()
    await mailing.close()
    await smtp.close()
  }
})

/** The least value of an input type that is of its form. */
function leastOf(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return leastOf(type.ofType)
  if (isListType(type)) return [leastOf(type.ofType)]
  const named = getNamedType(type)
  if (isEnumType(named)) return named.getValues().at(-1)?.name
  if (isInputObjectType(named)) {
    const required = Object.values(named.getFields()).filter(isRequiredInputField)
    return Object.fromEntries(required.map(({ name, type: ofField }) => [name, leastOf(ofField)]))
  }
  return { ID: '999999', Int: 1, Float: 1, Boolean: true, Decimal: '1', DateTime: '2026-11-20T12:00:00Z' }[named.name] ?? 'x'
}

function mutationsOf(): GraphQLObjectType {
  const mutations = stack.subgraph.schema.getMutationType()
  if (!mutations) throw new Error('Expected the store to have mutations.')
  return mutations
}

/** A mutation with the least arguments that are valid for its schema. */
function callOf(name: string) {
  const field = mutationsOf().getFields()[name]
  const args = field?.args.filter(isRequiredArgument) ?? []
  const selection = field && isObjectType(getNamedType(field.type)) ? '{ __typename }' : ''
  const isUnion = field && !('getFields' in getNamedType(field.type)) && String(getNamedType(field.type)) !== 'Boolean'
  return {
    query:
      `mutation (${args.map((arg) => `$${arg.name}: ${arg.type}`).join()}) { ${name}(${args.map((arg) => `${arg.name}: $${arg.name}`).join()}) ${isUnion ? '{ __typename }' : selection} }`
        .replace('()', '')
        .replace('()', ''),
    variables: Object.fromEntries(args.map((arg) => [arg.name, leastOf(arg.type)])),
  }
}

/** Whether a role meets what the schema demands of a root field. */
function isAllowed(role: StaffRole, name: string): boolean {
  const rule = RULES.ofField.get(`Mutation.${name}`)
  if (!rule) throw new Error(`Expected Mutation.${name} to say what right it needs.`)
  const { scopes, policies } = ROLE_RIGHTS[role]
  const held = new Set<string>([...(scopes === 'all' ? ['*'] : scopes), ...policies])
  const meets = (groups: readonly (readonly string[])[] | null) =>
    !groups || groups.some((all) => all.every((each) => held.has(each) || (held.has('*') && !each.startsWith('store_'))))
  return meets(rule.scopes) && meets(rule.policies)
}

test('every mutation of the store says what right it needs, and each role may run those that it has the right for', async () => {
  const names = Object.keys(mutationsOf().getFields()).filter((name) => !PUBLIC_ROOT_FIELDS.has(`Mutation.${name}`))
  expect(names.length).toBeGreaterThan(130)
  const wrong: string[] = []
  for (const role of STAFF_ROLES) {
    const store = await stack.aStore()
    const caller = role === 'OWNER' ? await anOwner(store) : (await aMember(store, role)).caller
    for (const name of names) {
      const { query, variables } = callOf(name)
      const answer = await stack.ask(caller, query, variables)
      const refused = codesOf(answer).includes('FORBIDDEN')
      if (answer.errors?.some(({ extensions }) => extensions?.code === undefined))
        wrong.push(`${name}: ${answer.errors[0]?.message}`)
      if (refused === isAllowed(role, name)) wrong.push(`${role} ${name}: ${refused ? 'refused' : 'not refused'}`)
    }
  }
  expect(wrong).toEqual([])
})

test('the documented tables of roles and scopes are those of the code', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/staff-roles.md'), 'utf8')
  const cells = [...page.matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) => row.split(' | '))
  const words = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, word = '']) => word)
  const policies = cells.filter(({ length }) => length === 3).map(([role, , granted]) => [...words(role), words(granted)])
  expect(policies).toEqual(STAFF_ROLES.map((role) => [role, [...ROLE_RIGHTS[role].policies].toSorted()]))

  const rows = cells.filter(({ length }) => length === 1 + STAFF_ROLES.length)
  STAFF_ROLES.forEach((role, index) => {
    const documented = rows.filter((row) => row[index + 1] === 'yes').flatMap(([scope]) => words(scope))
    const { scopes } = ROLE_RIGHTS[role]
    expect(documented, role).toEqual([...(scopes === 'all' ? SCOPES : scopes)].toSorted())
  })
})
