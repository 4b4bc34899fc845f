import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'graphql'
import { createClient as createEventClient } from 'graphql-sse'
import { createClient } from 'graphql-ws'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { watchFile } from '../../../gateway/planning/watched-file.ts'
import { composeOnce } from '../support/compose.ts'
import { type GatewayProgram, type ServedSubgraph, serveSubgraph, startProgram } from '../support/program.ts'
import { LABEL_SDL, startTicker, TICKER_SDL, type Ticker } from '../support/ticker.ts'

let folder: string
let file: string
let ticker: Ticker
let ticking: ServedSubgraph
let labels: ServedSubgraph
let program: GatewayProgram

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'atrium-swap-'))
  file = join(folder, 'supergraph.graphql')
  ticker = await startTicker()
  const [one, other] = ticker.subgraphs
  if (!one || !other) throw new Error('Expected two subgraphs.')
  ticking = await serveSubgraph(one)
  labels = await serveSubgraph(other)
  writeFileSync(file, both())
  program = await startProgram({ SUPERGRAPH_FILE: file })
})
afterEach(async () => {
  for (const { server } of [ticking, labels]) server.close().closeAllConnections()
  await program.stop()
  rmSync(folder, { recursive: true })
})

const both = () =>
  composeOnce([
    { name: 'ticking', typeDefs: parse(TICKER_SDL), url: ticking.url },
    { name: 'labels', typeDefs: parse(LABEL_SDL), url: labels.url },
  ])
const one = () => composeOnce([{ name: 'ticking', typeDefs: parse(TICKER_SDL), url: ticking.url }])

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5))
}
const replaced = (times: number) => until(() => program.said('the supergraph was replaced').length >= times)
async function ask(query: string): Promise<{ data?: Record<string, unknown>; errors?: unknown[] }> {
  const answer = await fetch(`${program.base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  return (await answer.json()) as never
}
// This process reads it, so that its last piece comes in time however busy the machine is.
test('a file that is written in pieces is read when it is whole', async () => {
  const own = join(folder, 'own.graphql')
  writeFileSync(own, 'first')
  const texts: string[] = []
  const watched = watchFile(own, 'first', async (text) => void texts.push(text))
  writeFileSync(own, '')
  writeFileSync(own, 'wh')
  setTimeout(() => writeFileSync(own, 'whole'), 50)
  await expect.poll(() => texts.length).toBeGreaterThan(0)
  await watched.close()
  expect(texts).toEqual(['whole'])
})

const requestCountOf = ({ headers }: ServedSubgraph) => headers.length
const connectionsOf = ({ server }: ServedSubgraph) =>
  new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))

describe('a new supergraph in the file', () => {
  test('serves what begins from now on, while what runs ends on the old one; the link to what is gone is closed after that', async () => {
    await ask('{ labels }')
    expect(await connectionsOf(labels)).toBe(1)
    const release = ticking.hold()
    const running = ask('{ now labels }')
    await until(() => requestCountOf(ticking) === 1 && requestCountOf(labels) === 2)
    writeFileSync(file, one())
    await replaced(1)
    expect(await ask('{ labels }')).toMatchObject({ errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] })
    expect(await connectionsOf(labels)).toBe(1)

    release()
    expect(await running).toEqual({ data: { now: 0, labels: 0 } })
    await until(async () => (await connectionsOf(labels)) === 0)
    expect(await ask('{ now }')).toHaveProperty('data')
  })

  test.each<{ how: string; put: (text: string) => void }>([
    { how: 'moved over the old file', put: moved },
    { how: 'as another file that a link leads to', put: linked },
  ])('is found when it is put there $how', async ({ put }) => {
    put(one())
    await replaced(1)
    expect(await ask('{ labels }')).toHaveProperty('errors')
    put(both())
    await replaced(2)
    expect(await ask('{ labels }')).toEqual({ data: { labels: 0 } })
    expect(program.said('refused')).toEqual([])
  })
  function moved(text: string): void {
    writeFileSync(`${file}.new`, text)
    renameSync(`${file}.new`, file)
  }
  function linked(text: string): void {
    const target = join(folder, `..${Math.random()}`)
    writeFileSync(target, text)
    symlinkSync(target, `${file}.new`)
    renameSync(`${file}.new`, file)
  }

  test.each([
    ['half of one', () => both().slice(0, both().length / 2)],
    ['another schema', () => 'type Query { a: Int }'],
    ['nothing', () => ''],
    ['one whose subgraph has no address', () => one().replace(ticking.url, 'ftp://x')],
  ])('is rejected when it is %s, and the old one stays; the next valid one is served', async (_, text) => {
    writeFileSync(file, text())
    await until(() => program.said('a new supergraph was refused').length === 1)
    expect(program.said('a new supergraph was refused')).toMatchObject([{ level: 50, file, reason: expect.any(String) }])
    expect(await ask('{ labels now }')).toHaveProperty('data.labels')
    writeFileSync(file, one())
    await replaced(1)
    expect(await ask('{ labels }')).toHaveProperty('errors')
  })

  test('a file that is gone changes nothing', async () => {
    rmSync(file)
    program.child.kill('SIGHUP')
    expect(await ask('{ labels }')).toEqual({ data: { labels: 0 } })
    writeFileSync(file, one())
    await replaced(1)
    expect(program.said('refused')).toEqual([])
  })

  test('SIGHUP takes the file anew, also when it is the same', async () => {
    program.child.kill('SIGHUP')
    await replaced(1)
    expect(await ask('{ labels }')).toEqual({ data: { labels: 0 } })
  })
})

describe('open sockets are closed with a reason', () => {
  /** Ticks until somebody who comes back hears of it. */
  async function untilNotified(next: Promise<unknown>): Promise<void> {
    let isNotified = false
    const received = next.then((event) => {
      isNotified = true
      return event
    })
    await until(() => {
      ticker.tick()
      return isNotified
    })
    expect(await received).toMatchObject({ value: { data: { ticked: { number: expect.any(Number) } } } })
  }

  test('a client reconnects by itself; its open operation is answered first', async () => {
    const closes: number[] = []
    const client = createClient({
      url: `${program.base.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      retryAttempts: 5,
      retryWait: async () => {},
      lazy: false,
      on: { closed: (event) => closes.push((event as { code: number }).code) },
    })
    const events = client.iterate({ query: 'subscription { ticked { number } }' })
    const first = events.next()
    await until(() => ticker.listening() === 1)
    ticker.tick()
    await first
    const release = ticking.hold()
    const question = client.iterate({ query: '{ now }' }).next()
    await until(() => requestCountOf(ticking) === 2)

    const next = events.next()
    writeFileSync(file, one())
    await replaced(1)
    expect(closes).toEqual([])
    release()
    expect(await question).toMatchObject({ value: { data: { now: 1 } } })
    await untilNotified(next)
    expect(closes).toEqual([1012])
    await client.dispose()
  })

  test('an event stream ends without "complete", so its client reconnects', async () => {
    const client = createEventClient({
      url: `${program.base}/graphql`,
      retryAttempts: 5,
      retry: async () => {},
    })
    const events = client.iterate({ query: 'subscription { ticked { number } }' })
    const first = events.next()
    await until(() => ticker.listening() === 1)
    ticker.tick()
    await first
    const next = events.next()
    const before = requestCountOf(ticking)
    writeFileSync(file, one())
    await until(() => requestCountOf(ticking) > before)
    await untilNotified(next)
    await events.return?.()
    client.dispose()
  })
})
