import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { parse, subscribe } from 'graphql'
import { type Client, createClient } from 'graphql-ws'
import { generateKeyPair, SignJWT } from 'jose'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { serveWebSockets } from '../../../gateway/transports/websocket.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import { encodeId } from '../../../subgraphs/toolkit/ids.ts'
import { createTrustParts } from '../../../subgraphs/trust/parts.ts'
import { startTrustStack } from '../../rest-facade/trust-stack.ts'
import { ANONYMOUS, aBadHost, aGoodHost, type Data, startTrust, type TestKey, type Trust } from './support/trust.ts'

const NOON = new Date('2026-11-20T12:00:00Z')
const SECONDS = NOON.getTime() / 1000
const HOURS_MS = 3_600_000

let at = NOON
let trust: Trust
let key: TestKey
let watcher: ReturnType<typeof createTrustParts>
let isSessionOpen = true
let tokenOf: (user: string) => Promise<Caller>
const openOnes: AsyncIterableIterator<unknown>[] = []

beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA')
  trust = await startTrust(() => at, null, { userKeys: async () => publicKey, isSessionOpen: async () => isSessionOpen })
  tokenOf = async (user) => {
    const claims = new SignJWT({ sid: 's' }).setProtectedHeader({ alg: 'EdDSA' }).setIssuer('atrium').setSubject(user)
    const token = await claims.setExpirationTime('100 days').sign(privateKey)
    return { ...ANONYMOUS, credentials: { authorization: `Bearer ${token}` } }
  }
  const { connection } = trust.database
  watcher = createTrustParts({ connection, log: pino({ level: 'silent' }), sources: trust.sources, now: () => at })
})
afterAll(async () => {
  await watcher.close()
  await trust.close()
})
beforeEach(async () => {
  at = NOON
  isSessionOpen = true
  key = await trust.aKey()
  await trust.sql('DELETE FROM watched_domain')
})
afterEach(async () => {
  for (const each of openOnes.splice(0)) await each.return?.()
})

const SUBSCRIPTION = `subscription ($watchId: ID, $keyId: ID) { domainVerdictChanged(watchId: $watchId, keyId: $keyId) {
  watch { id domain verdict { action } } change { previousAction verdict { action } } } }`

/** The events of a subscription as they come; rejects when it is refused. */
async function open(caller: Caller, variableValues: Record<string, unknown> = {}): Promise<AsyncIterableIterator<Data>> {
  const { schema, context } = trust.subgraph
  const result = await subscribe({ schema, document: parse(SUBSCRIPTION), contextValue: context(caller), variableValues })
  if (!(Symbol.asyncIterator in result)) throw result.errors?.[0]
  openOnes.push(result)
  return result
}
const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error) => error.extensions?.code ?? error,
  )
async function watch(domain: string, caller: Caller, keyId?: string): Promise<string> {
  trust.sources.setEvidence(domain, aGoodHost(SECONDS))
  const text = `mutation ($input: WatchDomainInput!) { result: watchDomain(input: $input) { ... on WatchDomainSuccess { watch { id } } } }`
  const { data } = await trust.ask(text, { input: { domain, keyId } }, caller)
  await watcher.checkWatched()
  return data.result.watch.id
}
/** Changes verdicts, and assesses all that is due. */
async function change(...domains: string[]): Promise<void> {
  for (const domain of domains) trust.sources.setEvidence(domain, aBadHost(SECONDS))
  at = new Date(at.getTime() + 6 * HOURS_MS)
  await watcher.checkWatched()
}
const domainOf = ({ value }: { value: Data }): string => value.data.domainVerdictChanged.watch.domain

test('a change arrives with its domain; the first assessment does not', async () => {
  const events = await open(key.caller)
  const id = await watch('a.example.com', key.caller)
  await change('a.example.com')
  expect((await events.next()).value.data.domainVerdictChanged).toEqual({
    watch: { id, domain: 'a.example.com', verdict: { action: 'DENY' } },
    change: { previousAction: 'PROCEED', verdict: { action: 'DENY' } },
  })
})

test('only the changes of the own key arrive, and with watchId only those of one domain', async () => {
  const other = await trust.aKey()
  const [all, foreign] = [await open(key.caller), await open(other.caller)]
  await watch('a.example.com', key.caller)
  const b = await watch('b.example.com', key.caller)
  await watch('foreign.example.com', other.caller)
  const one = await open(key.caller, { watchId: b })
  await change('a.example.com', 'b.example.com', 'foreign.example.com')
  expect([domainOf(await all.next()), domainOf(await all.next())].toSorted()).toEqual(['a.example.com', 'b.example.com'])
  expect([domainOf(await one.next()), domainOf(await foreign.next())]).toEqual(['b.example.com', 'foreign.example.com'])
})

test('it is refused without a key, for domains and keys of others, and for a wrong id', async () => {
  const id = await watch('a.example.com', key.caller)
  const other = await trust.aKey()
  const user = await tokenOf('7')
  expect([
    await codeOf(open(ANONYMOUS)),
    await codeOf(open(other.caller, { watchId: id })),
    await codeOf(open(key.caller, { watchId: 'x' })),
    await codeOf(open(user)),
    await codeOf(open(user, { keyId: encodeId('ApiKey', key.row) })),
    await codeOf(open(key.caller, { keyId: encodeId('ApiKey', key.row) })),
  ]).toEqual(['UNAUTHENTICATED', 'NOT_FOUND', 'NOT_FOUND', 'UNAUTHENTICATED', 'FORBIDDEN', 'UNAUTHENTICATED'])
})

test.each([
  ['the key is revoked', (row: string) => trust.sql('UPDATE api_key SET revoked_at = now() WHERE id = $1', [row])],
  ['its secret is replaced', (row: string) => trust.sql('UPDATE api_key_secret SET ends_at = $2 WHERE key_id = $1', [row, NOON])],
])('when %s, the subscription ends instead of the next change', async (_, end) => {
  const events = await open(key.caller)
  await watch('a.example.com', key.caller)
  // The assessment has begun when the credentials end.
  const { evidenceFor } = trust.sources
  Object.assign(trust.sources, {
    async evidenceFor(...given: Parameters<typeof evidenceFor>) {
      await end(key.row)
      return evidenceFor(...given)
    },
  })
  await change('a.example.com')
  Object.assign(trust.sources, { evidenceFor })
  expect(await codeOf(events.next())).toBe('UNAUTHENTICATED')
  expect((await events.next()).done).toBe(true)
  expect(await trust.sql(`SELECT count(*) FROM event WHERE topic = $1`, [`verdicts of key ${key.row}`])).toEqual([{ count: '1' }])
})

test('a signed-in user gets changes of own keys, until the session or the key ends', async () => {
  const user = await tokenOf('9')
  const made = await trust.ask(
    'mutation { r: createTrustKey(name: "k") { ... on CreateTrustKeySuccess { key { id } } } }',
    {},
    user,
  )
  const keyId: string = made.data.r.key.id
  const [first, second] = [await open(user, { keyId }), await open(user, { keyId })]
  await watch('a.example.com', user, keyId)
  await watch('b.example.com', user, keyId)
  await change('a.example.com')
  expect(domainOf(await first.next())).toBe('a.example.com')
  await change('b.example.com')
  isSessionOpen = false
  expect(await codeOf(first.next())).toBe('UNAUTHENTICATED')
  isSessionOpen = true
  expect(domainOf(await second.next())).toBe('a.example.com')
  await trust.sql('UPDATE api_key SET revoked_at = now() WHERE owner_id IS NOT NULL')
  expect(await codeOf(second.next())).toBe('FORBIDDEN')
})

test('a change is an event if and only if it is stored', async () => {
  await watch('a.example.com', key.caller)
  await trust.sql('ALTER TABLE event ADD CONSTRAINT never CHECK (false) NOT VALID')
  await change('a.example.com').catch(() => {})
  expect(await trust.sql('SELECT action FROM verdict_change')).toEqual([{ action: 'proceed' }])
  await trust.sql('ALTER TABLE event DROP CONSTRAINT never')
  const events = await open(key.caller)
  await change('a.example.com')
  expect(domainOf(await events.next())).toBe('a.example.com')
})

test('a subscriber whose process died continues where it was, in another process', async () => {
  await watch('a.example.com', key.caller)
  const events = await open(key.caller)
  await expect
    .poll(() => trust.sql(`SELECT listener FROM event_listener WHERE topic = $1`, [`verdicts of key ${key.row}`]))
    .toHaveLength(1)
  const [row] = await trust.sql('SELECT * FROM event_listener WHERE topic = $1', [`verdicts of key ${key.row}`])
  await events.return?.()
  // What a process that is killed leaves behind: its rows, without its lock.
  const dead = '00000000-0000-4000-8000-000000000000'
  await trust.sql('INSERT INTO event_process (id, seen_at) VALUES ($1, now()) ON CONFLICT DO NOTHING', [dead])
  await trust.sql('INSERT INTO event_listener (id, process, topic, listener, number) VALUES (gen_random_uuid(), $1, $2, $3, 0)', [
    dead,
    `verdicts of key ${key.row}`,
    row?.listener,
  ])
  await change('a.example.com')
  const again = await open(key.caller)
  expect(domainOf(await again.next())).toBe('a.example.com')
})

test('it works over a WebSocket of the gateway with the key as connection parameter', async () => {
  const stack = await startTrustStack()
  const log = pino({ level: 'silent' })
  const copy = createTrustParts({ connection: stack.database.connection, log, sources: stack.sources })
  const app: FastifyInstance = createHttpServer({ log })
  serveWebSockets(app, stack.gateway)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const url = `ws://127.0.0.1:${(app.server.address() as AddressInfo).port}/graphql`
  const { secret, caller } = await stack.aKey()
  const connectionParams = { 'x-api-key': secret }
  const client: Client = createClient({ url, webSocketImpl: WebSocket, connectionParams, retryAttempts: 0 })
  const received: Data[] = []
  const noted = (each: Data) => void received.push(each)
  client.subscribe({ query: SUBSCRIPTION }, { next: noted, error: noted, complete: () => {} })
  await expect.poll(() => stack.subgraph.listeners?.()).toBe(1)
  stack.sources.setEvidence('a.example.com', aGoodHost())
  await stack.ask('mutation { watchDomain(input: { domain: "a.example.com" }) { __typename } }', {}, caller)
  await copy.checkWatched()
  stack.sources.setEvidence('a.example.com', aBadHost())
  await stack.sql('UPDATE watched_domain SET next_check_at = now()')
  await copy.checkWatched()
  await expect.poll(() => received.map(({ data }) => data?.domainVerdictChanged.watch.domain)).toEqual(['a.example.com'])
  await client.dispose()
  await app.close()
  await copy.close()
  await stack.close()
})
