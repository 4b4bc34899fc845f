import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { graphql } from 'graphql'
import { createHandler } from 'graphql-sse/lib/use/http'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Gateway, startGateway } from '../../../gateway/gateway.ts'
import { DEFAULT_LIMITS } from '../../../gateway/limits/limits.ts'
import type { SubgraphSubscriptionOptions } from '../../../gateway/options/subgraph-options.ts'
import { createRemoteLink, type RemoteLink } from '../../../gateway/subgraph-client/remote-subgraph.ts'
import type { Running } from '../../../gateway/subscriptions/subscribe.ts'
import type { Subgraph } from '../../../platform/graphql/subgraph.ts'
import { recordingLog } from '../support/graph.ts'
import { type Followed, followed } from '../support/subscription-reader.ts'
import { startTicker, type Ticker } from '../support/ticker.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
type Data = any

let ticker: Ticker
let gateway: Gateway
let links: RemoteLink[]
const servers: Server[] = []
const opened: Running[] = []
/** Streams that the ticking subgraph was asked for. */
let streams = 0

/**
 * A subgraph as another process would serve it: JSON, and event streams by the reference
 * implementation of their protocol.
 */
async function serve(subgraph: Subgraph): Promise<string> {
  const server = createServer(async (request, response) => {
    const { authorization = '' } = request.headers
    const contextValue = subgraph.context({ requestId: '', address: '', credentials: { authorization } })
    if (request.headers.accept === 'text/event-stream') {
      streams++
      return createHandler({ schema: subgraph.schema, context: () => contextValue as never })(request, response)
    }
    let body = ''
    for await (const chunk of request) body += chunk
    const { query, variables } = JSON.parse(body)
    const answer = await graphql({ schema: subgraph.schema, source: query, variableValues: variables, contextValue })
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`
}

beforeAll(async () => {
  ticker = await startTicker()
  links = await Promise.all(
    ticker.subgraphs.map(async (subgraph) => createRemoteLink({ name: subgraph.name, url: await serve(subgraph) })),
  )
  const { supergraphSdl } = ticker
  gateway = await startGateway({ supergraphSdl, links, limits: DEFAULT_LIMITS, log: recordingLog().log })
})
afterEach(async () => {
  for (const running of opened.splice(0)) running.return()
  while (ticker.listening() > 0) await new Promise((resolve) => setTimeout(resolve, 5))
  streams = 0
})
afterAll(async () => {
  await Promise.all(links.map((link) => link.close()))
  for (const server of servers) server.close().closeAllConnections()
})

async function subscribe(query: string, authorization?: string, variables: Record<string, unknown> = {}) {
  const prepared = gateway.prepareText(query, undefined)
  if (prepared.kind === 'rejected') throw new Error(JSON.stringify(prepared.errors))
  const caller = { requestId: 'r', address: '127.0.0.1', credentials: authorization ? { authorization } : {} }
  const begun = await prepared.subscribe?.(variables, { caller, signal: new AbortController().signal })
  if (begun?.kind === 'open') opened.push(begun.source)
  return begun
}
async function running(query: string, authorization?: string, variables?: Record<string, unknown>): Promise<Followed> {
  const begun = await subscribe(query, authorization, variables)
  if (begun?.kind !== 'open') throw new Error(JSON.stringify(begun))
  return followed(begun.source)
}
async function read(source: Followed, count: number): Promise<Data[]> {
  const results: Data[] = []
  while (results.length < count) results.push(await source.next())
  return JSON.parse(JSON.stringify(results))
}

test('events of one service are completed with fields of another, all of them, in order', async () => {
  const source = await running('subscription { ticked { number thing { label } } }')
  const first = ticker.tick()
  for (let count = 1; count < 500; count++) ticker.tick()
  const results = await read(source, 500)
  expect(results.map(({ data }) => [data.ticked.number, data.ticked.thing.label])).toEqual(
    Array.from({ length: 500 }, (_, index) => [first + index, `Label ${first + index}`]),
  )
})

test('equal requests share one stream, and the work; other credentials have their own', async () => {
  const query = 'subscription { ticked { number mine thing { label } } }'
  const before = ticker.worked.label
  const all = [...(await Promise.all(['ann', 'ann', 'ann'].map((name) => running(query, name)))), await running(query, 'ben')]
  expect([streams, ticker.listening()]).toEqual([2, 2])
  ticker.tick()
  const results = (await Promise.all(all.map((source) => read(source, 1)))).map(([result]) => result.data.ticked.mine)
  expect(results).toEqual(['ann', 'ann', 'ann', 'ben'])
  expect(ticker.worked.label - before).toBe(2)

  all[0]?.return()
  all[1]?.return()
  expect(ticker.listening()).toBe(2)
  all[2]?.return()
  while (ticker.listening() > 1) await new Promise((resolve) => setTimeout(resolve, 5))
})

test('subscribers of a shared stream with different other fields get their own fields only', async () => {
  const query = 'subscription ($language: String!) { ticked { thing { described(language: $language) { text } } } }'
  const languages = ['en', 'none', 'pt', 'none']
  const all = await Promise.all(languages.map((language) => running(query, 'ann', { language })))
  expect(streams).toBe(1)
  ticker.tick()
  const results = (await Promise.all(all.map((source) => read(source, 1)))).map(([{ data }]) => data.ticked.thing.described)
  expect(results).toEqual([{ text: 'en' }, null, { text: 'pt' }, null])
})

test('a rejection by the service reaches the subscriber with its code', async () => {
  const begun = await subscribe('subscription { refused { number } }')
  const received = begun?.kind === 'open' ? (await read(followed(begun.source), 1))[0] : begun
  expect(received.errors).toMatchObject([{ message: 'Expected a better day.', extensions: { code: 'FORBIDDEN' } }])
})

test('a service that dies ends its subscriptions with a code, and a later one fails at once', async () => {
  const source = await running('subscription { ticked { number } }')
  const waiting = source.next()
  servers[0]?.closeAllConnections()
  const received = await waiting
  expect(received).toMatchObject({ ended: [{ extensions: { code: 'SUBGRAPH_UNAVAILABLE', requestId: 'r' } }] })
  expect(JSON.stringify(received)).not.toContain('127.0.0.1')
  // It is back: the next one gets a stream of its own.
  const again = await running('subscription { ticked { number } }')
  ticker.tick()
  expect((await read(again, 1))[0].errors).toBeUndefined()
})

describe('events with an id', () => {
  type Stream = { readonly lastId: string | undefined; readonly response: ServerResponse }
  /** What the subgraph does with each stream in turn; the last one with all further ones. */
  async function aSubgraph(options: number | SubgraphSubscriptionOptions, ...answers: ((response: ServerResponse) => void)[]) {
    const subscriptions = typeof options === 'number' ? { reconnectAttempts: options } : options
    const streams: Stream[] = []
    const server = createServer((request, response) => {
      const answer = answers[Math.min(streams.length, answers.length - 1)]
      streams.push({ lastId: request.headers['last-event-id'] as string | undefined, response })
      answer?.(response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const link = createRemoteLink({ name: 'ticks', url: `http://127.0.0.1:${port}/`, subscriptions })
    onTestFinished(async () => {
      await link.close()
      server.close().closeAllConnections()
    })
    const context = { caller: { requestId: 'r', address: '', credentials: {} }, signal: new AbortController().signal }
    const begun = await link.subscribe?.({ query: 'subscription { tick }', variables: {}, operationName: undefined }, context)
    if (begun?.kind !== 'open') throw new Error('refused')
    const { source } = begun
    const tick = async () => {
      const { value, done } = await source.next()
      return done ? 'complete' : ((await source.resolve(value, context)) as Data).data.tick
    }
    return { streams, tick }
  }
  const sends =
    (text: string, isCut = true) =>
    (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(text, () => isCut && response.destroy())
    }
  const tickEvent = (number: number, id: string) => `${id && `id: ${id}\n`}event: next\ndata: {"data":{"tick":${number}}}\n\n`
  const COMPLETE = 'event: complete\ndata:\n\n'
  const unavailable = { code: 'SUBGRAPH_UNAVAILABLE' }

  test('a broken stream resumes after the last event by Last-Event-ID, without loss', async () => {
    const { streams, tick } = await aSubgraph(
      5,
      sends(tickEvent(1, 'a-1') + tickEvent(2, 'a-2')),
      (response) => void response.writeHead(503).end(),
      sends(tickEvent(3, 'a-3')),
      sends(tickEvent(4, 'a-4') + COMPLETE),
    )
    expect([await tick(), await tick(), await tick(), await tick(), await tick()]).toEqual([1, 2, 3, 4, 'complete'])
    expect(streams.map(({ lastId }) => lastId)).toEqual([undefined, 'a-2', 'a-2', 'a-3'])
  })

  test('a silent stream is replaced after three heartbeats, where they are configured; comments keep one', async () => {
    const options = { reconnectAttempts: 5, heartbeatSeconds: 1 }
    const timers: NodeJS.Timeout[] = []
    onTestFinished(() => {
      for (const timer of timers) clearInterval(timer)
    })
    const { streams, tick } = await aSubgraph(options, sends(tickEvent(1, 'a-1'), false), (response) => {
      sends(tickEvent(2, 'a-2'), false)(response)
      timers.push(setInterval(() => response.write(':\n\n'), 500))
      setTimeout(() => response.write(tickEvent(3, 'a-3') + COMPLETE), 7_000)
    })
    expect([await tick(), await tick(), await tick(), await tick()]).toEqual([1, 2, 3, 'complete'])
    expect(streams.map(({ lastId }) => lastId)).toEqual([undefined, 'a-1'])

    const patient = await aSubgraph(5, sends(tickEvent(1, 'a-1'), false))
    expect(await patient.tick()).toBe(1)
    await sleep(5_000)
    expect(patient.streams).toHaveLength(1)
  }, 30_000)

  test('a broken stream without ids ends: the missed events are unknown', async () => {
    const { streams, tick } = await aSubgraph(5, sends(tickEvent(1, '')))
    expect(await tick()).toBe(1)
    await expect(tick()).rejects.toMatchObject(unavailable)
    expect(streams).toHaveLength(1)
  })

  test('a broken stream ends after the last attempt, and at once when the subgraph rejects it or sends garbage', async () => {
    const usedUp = await aSubgraph(2, sends(tickEvent(1, '1')), (response) => void response.destroy())
    expect(await usedUp.tick()).toBe(1)
    await expect(usedUp.tick()).rejects.toMatchObject(unavailable)
    expect(usedUp.streams).toHaveLength(3)

    const refusal = '{"errors":[{"message":"Expected a member.","extensions":{"code":"FORBIDDEN"}}]}'
    const refused = await aSubgraph(5, sends(tickEvent(1, '1')), (response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(refusal)
    })
    expect(await refused.tick()).toBe(1)
    await expect(refused.tick()).rejects.toMatchObject({ message: 'Expected a member.', extensions: { code: 'FORBIDDEN' } })
    expect(refused.streams).toHaveLength(2)

    const garbage = await aSubgraph(5, sends(`${tickEvent(1, '1')}id: 2\nevent: next\ndata: {"da\n\n`, false))
    expect(await garbage.tick()).toBe(1)
    await expect(garbage.tick()).rejects.toMatchObject(unavailable)
    expect(garbage.streams).toHaveLength(1)
  })
})
