import dgram from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import packet, { type DecodedPacket } from 'dns-packet'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { dnsClient } from '../../../platform/outbound/dns-client.ts'
import { safeNetwork } from '../../../platform/outbound/safe-connect.ts'

type Received = { readonly message: DecodedPacket; readonly from: dgram.RemoteInfo }

let server: dgram.Socket
let received: Received[]
beforeEach(async () => {
  server = dgram.createSocket('udp4')
  received = []
  server.on('message', (bytes, from) => received.push({ message: packet.decode(bytes), from }))
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => server.close())

const nameIn = ({ message }: Received): string => message.questions?.[0]?.name ?? ''

function answer({ message, from }: Received, { name = '', address = '127.0.0.1', id = message.id } = {}): void {
  const [sent] = message.questions ?? []
  const question = { type: 'A' as const, class: 'IN' as const, name: name || (sent?.name ?? '') }
  const bytes = packet.encode({ type: 'response', id, questions: [question], answers: [{ ...question, ttl: 60, data: address }] })
  server.send(bytes, from.port, from.address)
}

/** Queries names at once; resolves with their addresses once `respond` has answered them. */
async function addressesOf(names: readonly string[], respond: (all: readonly Received[]) => void): Promise<unknown[]> {
  const resolvers = [{ address: '127.0.0.1', port: (server.address() as AddressInfo).port }]
  const dns = dnsClient(safeNetwork({ resolvers }))
  const answers = names.map((name) => dns.query(name, 'A', AbortSignal.timeout(5_000)))
  await expect.poll(() => received.length).toBe(names.length)
  respond(received)
  return (await Promise.all(answers)).map(({ records: [record] }) => (record?.type === 'A' ? record.data : null))
}

const HUNDRED = Array.from({ length: 100 }, (_, index) => `host-${index}.test`)
const addressOf = (name: string): string => `192.0.2.${name.match(/\d+/)?.[0]}`

test('a hundred queries at once take four ports, and answers in any order find theirs', async () => {
  const found = await addressesOf(HUNDRED, (all) => {
    for (const each of all.toReversed()) answer(each, { address: addressOf(nameIn(each)) })
  })
  expect(found).toEqual(HUNDRED.map(addressOf))
  const ports = Map.groupBy(received, ({ from }) => from.port)
  expect([...ports.values()].map((all) => all.length)).toEqual([32, 32, 32, 4])
  for (const all of ports.values()) expect(new Set(all.map(({ message }) => message.id)).size).toBe(all.length)
})

test('a query that nothing else waits beside has a port of its own', async () => {
  const resolvers = [{ address: '127.0.0.1', port: (server.address() as AddressInfo).port }]
  const dns = dnsClient(safeNetwork({ resolvers }))
  server.on('message', () => answer(received.at(-1) as Received))
  for (let count = 0; count < 5; count++) await dns.query('one.test', 'A', AbortSignal.timeout(5_000))
  expect(new Set(received.map(({ from }) => from.port)).size).toBeGreaterThan(1)
})

test('an answer counts only for the question of its id', async () => {
  const names = ['one.test', 'two.test']
  const found = await addressesOf(names, (all) => {
    const [first, second] = all as [Received, Received]
    // Each has the id of the other's question.
    answer(first, { name: nameIn(second), address: '203.0.113.66' })
    answer(second, { name: nameIn(first), address: '203.0.113.66' })
    // Nobody waits for this id.
    const unused = [1, 2, 3].find((id) => id !== first.message.id && id !== second.message.id)
    answer(first, { address: '203.0.113.66', id: unused ?? 0 })
    for (const each of all) answer(each, { address: nameIn(each) === 'one.test' ? '192.0.2.1' : '192.0.2.2' })
  })
  expect(found).toEqual(['192.0.2.1', '192.0.2.2'])
})

test('a name that comes back in other letter case is the same question', async () => {
  expect(await addressesOf(['one.test'], ([first]) => first && answer(first, { name: 'oNe.TEST' }))).toEqual(['127.0.0.1'])
})

test('"no such name" counts only with its question, a refusal without one', async () => {
  const bare = ({ message, from }: Received, rcode: number) =>
    server.send(packet.encode({ type: 'response', id: message.id, flags: rcode }), from.port, from.address)
  const found = await addressesOf(['one.test'], ([first]) => {
    if (!first) return
    for (const rcode of [0, 3]) bare(first, rcode)
    answer(first)
  })
  expect(found).toEqual(['127.0.0.1'])

  const resolvers = [{ address: '127.0.0.1', port: (server.address() as AddressInfo).port }]
  const dns = dnsClient(safeNetwork({ resolvers }))
  server.on('message', () => bare(received.at(-1) as Received, 5))
  expect(await dns.query('two.test', 'A', AbortSignal.timeout(5_000))).toMatchObject({ rcode: 'REFUSED' })
})
