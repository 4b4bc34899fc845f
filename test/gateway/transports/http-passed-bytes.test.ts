import { parse } from 'graphql'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createGateway } from '../../../gateway/library/create-gateway.ts'
import { compose } from '../../../gateway/planning/composition.ts'
import { recordingLog } from '../support/graph.ts'
import { type SourceServer, startSourceServer } from '../support/source-server.ts'
import { openTransports, type Transports } from '../support/transports.ts'

const TYPES = parse(`extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
type Query { books: [Book!]! }
type Book { id: ID! title: String }`)
const BOOKS = Array.from({ length: 3_000 }, (_, index) => ({
  id: `b${index}`,
  title: `Book “${index}”, with a title of some length`,
}))
const ANSWER = { data: { books: BOOKS } }
const QUERY = '{ books { id title } }'
const LARGE = 100_000

let shelf: SourceServer
let gateway: Awaited<ReturnType<typeof createGateway>>
let transports: Transports
let body = JSON.stringify(ANSWER)

beforeAll(async () => {
  shelf = await startSourceServer(({ response }) => void response.setHeader('content-type', 'application/json').end(body))
  const supergraph = compose([{ name: 'shelf', url: shelf.url, typeDefs: TYPES }])
  gateway = await createGateway({ supergraph, log: recordingLog().log })
  transports = await openTransports(gateway.gateway)
})
afterAll(async () => {
  await transports?.close()
  await gateway?.close()
  shelf?.close()
})

const send = (headers: Record<string, string> = {}, payload: unknown = { query: QUERY }) =>
  fetch(`${transports.base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(payload),
  })

test('a large answer of one remote subgraph is passed on without being parsed or written again', async () => {
  const [parsing, writing] = [vi.spyOn(JSON, 'parse'), vi.spyOn(JSON, 'stringify')]
  const response = await send({ 'accept-encoding': 'identity' })
  const text = await response.text()
  const large = [
    ...parsing.mock.calls.filter(([each]) => each.length > LARGE),
    ...writing.mock.results.filter(({ value }) => String(value).length > LARGE),
  ]
  parsing.mockRestore()
  writing.mockRestore()
  expect(large).toEqual([])
  expect([response.status, text]).toEqual([200, body])
  expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(body)))
})

test.each(['gzip', 'br'])('it is compressed for clients that take %s', async (coding) => {
  const response = await send({ 'accept-encoding': coding })
  expect([response.headers.get('content-encoding'), response.headers.get('vary')]).toEqual([coding, 'Accept, Accept-Encoding'])
  expect(await response.json()).toEqual(ANSWER)
})

test('it arrives at every other transport: WebSocket, event stream, Fetch API, and with its cost', async () => {
  const socket = await transports.socket()
  expect(await socket.ask({ query: QUERY })).toEqual([{ type: 'next', payload: ANSWER }, { type: 'complete' }])
  const events = await (await send({ accept: 'text/event-stream' })).text()
  expect(JSON.parse(/^data: (.*)$/m.exec(events)?.[1] ?? '')).toEqual(ANSWER)
  const request = new Request('http://host.example/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: QUERY }),
  })
  expect(await (await gateway.fetch(request)).json()).toEqual(ANSWER)
  const { body: withCost } = await transports.post({ query: QUERY }, { 'graphql-cost': 'report' })
  expect([withCost.data, typeof withCost.extensions.cost.actual]).toEqual([ANSWER.data, 'number'])
})

test('clients that ask for type names last, as their libraries do, get the bytes as well', async () => {
  const typed = JSON.stringify({ data: { books: BOOKS.map((book) => ({ ...book, __typename: 'Book' })) } })
  const before = body
  body = typed
  const parsing = vi.spyOn(JSON, 'parse')
  const answer = await (await send({}, { query: '{ books { id title __typename } }' })).text()
  const large = parsing.mock.calls.filter(([each]) => each.length > LARGE)
  parsing.mockRestore()
  body = before
  expect([answer, large]).toEqual([typed, []])
  expect(JSON.parse(shelf.requests.at(-1)?.body ?? '{}').query).toBe('{books{id title __typename}}')
})

test('a response with more fields than were selected is not passed on', async () => {
  const before = body
  body = body.replace('"title"', '"secret":"x","title"')
  const answer = await (await send()).json()
  body = before
  expect(answer).toEqual(ANSWER)
})

/** Lengths of the buffers that are freed while `run` does something. */
async function freedBy(run: () => Promise<void>): Promise<number[]> {
  const lengths: number[] = []
  const { transfer } = ArrayBuffer.prototype
  const freeing = vi.spyOn(ArrayBuffer.prototype, 'transfer').mockImplementation(function (this: ArrayBuffer, length) {
    lengths.push(this.byteLength)
    return transfer.call(this, length)
  })
  await run()
  // Chunks are freed after their last use.
  await new Promise((resolve) => setImmediate(resolve))
  freeing.mockRestore()
  return lengths
}

test('the memory of an answer is freed as soon as it is sent', async () => {
  const freed = await freedBy(async () => {
    expect(await (await send({ 'accept-encoding': 'identity' })).text()).toBe(body)
  })
  expect(freed).toContain(Buffer.byteLength(body))
})

test('answers at the same time, of slow clients and of such that leave, do not mix', async () => {
  const before = body
  let number = 0
  const numbered = (index: number) =>
    JSON.stringify({ data: { books: [{ id: `number ${index}`, title: String(index).repeat(400_000) }] } })
  shelf.answer = ({ response }) => void response.setHeader('content-type', 'application/json').end(numbered(number++ % 10))
  const clients = Array.from({ length: 40 }, async (_, index) => {
    const leaving = new AbortController()
    const response = await fetch(`${transports.base}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(index % 3 !== 0 && { 'accept-encoding': 'identity' }) },
      body: JSON.stringify({ query: QUERY }),
      signal: leaving.signal,
    })
    if (index % 4 === 0) {
      leaving.abort()
      return 'left'
    }
    await new Promise((resolve) => setTimeout(resolve, index * 5))
    const text = await response.text()
    return text === numbered(Number(/number (\d)/.exec(text)?.[1])) ? 'right' : text.slice(0, 100)
  })
  const ends = await Promise.all(clients)
  shelf.answer = ({ response }) => void response.setHeader('content-type', 'application/json').end(body)
  expect(new Set(ends)).toEqual(new Set(['left', 'right']))
  expect(body).toBe(before)
})

test('an answer that is compared with that of a candidate afterwards is kept for it', async () => {
  const supergraph = compose([{ name: 'shelf', url: shelf.url, typeDefs: TYPES }])
  const shadow = { supergraph, percent: 100, compare: true }
  const compared = await createGateway({ supergraph, shadow, log: recordingLog().log })
  const opened = await openTransports(compared.gateway)
  expect((await opened.post({ query: QUERY })).body).toEqual(ANSWER)
  await expect.poll(() => compared.shadowReport()?.verdicts).toMatchObject({ same: 1, failed: 0 })
  await opened.close()
  await compared.close()
})
