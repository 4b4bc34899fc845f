import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { buildSchema, execute, subscribe } from 'graphql'
import { useServer as serveGraphqlWs } from 'graphql-ws/use/ws'
import { SubscriptionServer } from 'subscriptions-transport-ws'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { startGateway } from '../../../gateway/gateway.ts'
import { DEFAULT_LIMITS } from '../../../gateway/limits/limits.ts'
import type { SubgraphSubscriptionOptions } from '../../../gateway/options/subgraph-options.ts'
import { maskErrors } from '../../../gateway/subgraph-client/error-masking.ts'
import type { EventSource } from '../../../gateway/subgraph-client/link.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import { createRemoteLink } from '../../../gateway/subgraph-client/remote-subgraph.ts'
import { recordingLog } from '../support/graph.ts'
import { followed } from '../support/subscription-reader.ts'
import { startTicker } from '../support/ticker.ts'

const SCHEMA = buildSchema('type Query { a: Int } type Subscription { counted(to: Int!): Int who: String never: Int }')
const CLIENTS = ['graphql-transport-ws', 'subscriptions-transport-ws'] as const
type Protocol = (typeof CLIENTS)[number]

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0).reverse()) close()
})

/** A server on loopback for WebSockets, with what was seen of each connection. */
async function serve(attach: (server: ReturnType<typeof createServer>) => void) {
  const server = createServer()
  const sockets = new Set<Socket>()
  const upgrades: IncomingHttpHeaders[] = []
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('upgrade', ({ headers }) => void upgrades.push(headers))
  attach(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  closers.push(() => {
    cut()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`, upgrades, sockets, cut, server }
}

/** A subgraph by the reference implementation of each protocol. */
async function aSubgraph(protocol: Protocol) {
  const params: unknown[] = []
  let open = 0
  async function* never() {
    open++
    try {
      await new Promise(() => {})
      yield { never: 1 }
    } finally {
      open--
    }
  }
  const rootValue = {
    async *counted({ to }: { to: number }) {
      for (let number = 1; number <= to; number++) yield { counted: number }
    },
    async *who() {
      yield { who: String((params.at(-1) as Record<string, string>).authorization) }
      await new Promise(() => {})
    },
    never,
  }
  const served = await serve((server) => {
    if (protocol === 'graphql-transport-ws') {
      const onConnect = ({ connectionParams }: { connectionParams?: unknown }) => void params.push(connectionParams)
      serveGraphqlWs({ schema: SCHEMA, roots: { subscription: rootValue }, onConnect }, new WebSocketServer({ server }))
    } else {
      const onConnect = (connectionParams: unknown) => void params.push(connectionParams)
      SubscriptionServer.create({ schema: SCHEMA, rootValue, execute, subscribe, onConnect } as never, {
        server,
        path: '/graphql',
      })
    }
  })
  return { ...served, params, open: () => open }
}

/** A subgraph that answers each message of a connection as it is told to. */
async function aScript(script: (socket: WebSocket, message: { type: string; id: string }, connection: number) => void) {
  let connections = 0
  return serve((server) => {
    const sockets = new WebSocketServer({ server, handleProtocols: (offered) => [...offered][0] ?? false })
    sockets.on('connection', (socket) => {
      const connection = ++connections
      socket.on('message', (data) => script(socket, JSON.parse(String(data)), connection))
    })
  })
}

const say = (socket: WebSocket, ...messages: unknown[]) => {
  for (const message of messages) socket.send(typeof message === 'string' ? message : JSON.stringify(message))
}
/** Acknowledges, and calls `then` for each operation. */
const acknowledging =
  (then: (socket: WebSocket, id: string, connection: number) => void) =>
  (socket: WebSocket, { type, id }: { type: string; id: string }, connection: number) => {
    if (type === 'connection_init') say(socket, { type: 'connection_ack' })
    if (type === 'subscribe') then(socket, id, connection)
  }
const next = (id: string, counted: number) => ({ type: 'next', id, payload: { data: { counted } } })

function linkTo(url: string, subscriptions: SubgraphSubscriptionOptions = {}, timeoutMilliseconds = 5_000) {
  const { log, lines } = recordingLog()
  const remote = createRemoteLink({
    name: 'counting',
    url,
    timeoutMilliseconds,
    subscriptions: { protocol: 'graphql-transport-ws', ...subscriptions },
  })
  closers.push(() => void remote.close())
  const link = maskErrors(remote, log)
  const begin = (query: string, credentials: Record<string, string> = {}, signal = new AbortController().signal) =>
    link.subscribe?.(
      { query, variables: {}, operationName: undefined },
      {
        caller: { requestId: 'r', address: '127.0.0.1', credentials },
        signal,
      },
    )
  async function open(query: string, credentials?: Record<string, string>): Promise<EventSource> {
    const result = await begin(query, credentials)
    if (result?.kind !== 'open') throw new Error(JSON.stringify(result))
    closers.push(result.source.return)
    return result.source
  }
  return { begin, open, lines }
}

const caller = { requestId: 'r', address: '127.0.0.1', credentials: {} }
/** The next result; the code of the error, or "done", where there is none. */
async function read(source: EventSource): Promise<unknown> {
  try {
    const { done, value } = await source.next()
    if (done) return 'done'
    const { data, errors } = await source.resolve(value, { caller, signal: new AbortController().signal })
    return errors ? errors[0]?.message : { ...data }
  } catch (error) {
    return source.maskError?.(error).extensions.code
  }
}
const readAll = async (source: EventSource): Promise<unknown[]> => {
  const all: unknown[] = []
  do all.push(await read(source))
  while (typeof all.at(-1) === 'object')
  return all
}

describe.each(CLIENTS)('with a server of %s', (protocol) => {
  test('events arrive in order, and the end', async () => {
    const { url } = await aSubgraph(protocol)
    const source = await linkTo(url, { protocol }).open('subscription { counted(to: 3) }')
    expect(await readAll(source)).toEqual([{ counted: 1 }, { counted: 2 }, { counted: 3 }, 'done'])
  })

  test('credentials are in connection_init and in the upgrade; equal ones share a socket', async () => {
    const { url, params, upgrades } = await aSubgraph(protocol)
    const { open } = linkTo(url, { protocol })
    expect(await read(await open('subscription { who }', { authorization: 'ann' }))).toEqual({ who: 'ann' })
    await open('subscription { never }', { authorization: 'ann' })
    expect([params, upgrades.map(({ authorization }) => authorization)]).toEqual([[{ authorization: 'ann' }], ['ann']])
    expect(await read(await open('subscription { who }', { authorization: 'bob' }))).toEqual({ who: 'bob' })
    expect(params).toHaveLength(2)
  })

  test('identical subscriptions are one, which ends with its last subscriber', async () => {
    const { url, open: running, sockets } = await aSubgraph(protocol)
    const { open } = linkTo(url, { protocol })
    const both = [await open('subscription { never }'), await open('subscription { never }')]
    await expect.poll(running).toBe(1)
    both[0]?.return()
    expect(sockets.size).toBe(1)
    both[1]?.return()
    await expect.poll(() => sockets.size).toBe(0)
  })

  test('a socket per subscription, when configured', async () => {
    const { url, sockets } = await aSubgraph(protocol)
    const { open } = linkTo(url, { protocol, socketPer: 'subscription' })
    await open('subscription { never }')
    await open('subscription { who }')
    await expect.poll(() => sockets.size).toBe(2)
  })

  test('an operation that the subgraph refuses ends with its error', async () => {
    const { url } = await aSubgraph(protocol)
    const source = await linkTo(url, { protocol }).open('subscription { nope }')
    // The older one says it in an event.
    const said = await source.next().then(
      ({ value }) => (value as { errors: readonly Error[] }).errors[0]?.message,
      (error: Error) => error.message,
    )
    expect(said).toContain('Cannot query field "nope"')
  })

  test('continues over a new connection after a broken one', async () => {
    const { url, cut, params } = await aSubgraph(protocol)
    const source = await linkTo(url, { protocol }).open('subscription { who }', { authorization: 'ann' })
    expect(await read(source)).toEqual({ who: 'ann' })
    cut()
    expect(await read(source)).toEqual({ who: 'ann' })
    expect(params).toHaveLength(2)
  })
})

describe('a subgraph at fault', () => {
  test('one that is not there refuses the subscription', async () => {
    const { url, server } = await aScript(() => {})
    server.close()
    expect(await linkTo(url).begin('subscription { never }')).toMatchObject({
      kind: 'refused',
      errors: [{ extensions: { code: 'SUBGRAPH_UNAVAILABLE' } }],
    })
  })

  test('one that dies for good ends the subscription with a typed error, after its attempts', async () => {
    const { url, upgrades, cut, server } = await aScript(acknowledging((socket, id) => say(socket, next(id, 1))))
    const source = await linkTo(url, { reconnectAttempts: 2 }).open('subscription { never }')
    expect(await read(source)).toEqual({ counted: 1 })
    server.close()
    cut()
    expect([await read(source), upgrades.length]).toEqual(['SUBGRAPH_UNAVAILABLE', 1])
  })

  test('without retries a broken connection ends the subscription at once', async () => {
    const { url, cut } = await aScript(acknowledging((socket, id) => say(socket, next(id, 1))))
    const source = await linkTo(url, { reconnectAttempts: 0 }).open('subscription { never }')
    await read(source)
    cut()
    expect(await read(source)).toBe('SUBGRAPH_UNAVAILABLE')
  })

  test('one that hangs without closing is found by its missing pongs', async () => {
    const { url, upgrades } = await aScript((socket, { type, id }, connection) => {
      if (type === 'connection_init') say(socket, { type: 'connection_ack' })
      if (type !== 'subscribe') return
      say(socket, next(id, connection))
      // It reads nothing more, so it answers no ping.
      if (connection === 1) socket.pause()
    })
    const source = await linkTo(url, { heartbeatSeconds: 1 }).open('subscription { never }')
    expect([await read(source), await read(source), upgrades.length]).toEqual([{ counted: 1 }, { counted: 2 }, 2])
  })

  test('one that never acknowledges refuses the subscription when its time is up', async () => {
    const { url } = await aScript(() => {})
    const result = await linkTo(url, {}, 300).begin('subscription { never }')
    expect(result).toMatchObject({ kind: 'refused', errors: [{ extensions: { code: 'SUBGRAPH_UNAVAILABLE' } }] })
  })

  test.each([
    [4403, 'FORBIDDEN'],
    [4401, 'UNAUTHENTICATED'],
  ])('one that refuses connection_init with %i refuses the subscription, once', async (code, expected) => {
    const { url, upgrades } = await aScript((socket) => socket.close(code))
    const result = await linkTo(url).begin('subscription { never }')
    expect(result).toMatchObject({ kind: 'refused', errors: [{ extensions: { code: expected } }] })
    expect(upgrades).toHaveLength(1)
  })

  test('the older protocol refuses with connection_error', async () => {
    const { url } = await aScript((socket) => say(socket, { type: 'connection_error', payload: { message: 'no' } }))
    const result = await linkTo(url, { protocol: 'subscriptions-transport-ws' }).begin('subscription { never }')
    expect(result).toMatchObject({ kind: 'refused', errors: [{ extensions: { code: 'FORBIDDEN' } }] })
  })

  test.each<[string, (id: string) => unknown]>([
    ['no JSON', () => '{'],
    ['a list', () => []],
    ['an unknown type', () => ({ type: 'constructor', id: '1' })],
    ['no id', () => ({ type: 'next', payload: { data: {} } })],
    ['a payload that is no response', (id) => ({ type: 'next', id, payload: 'x' })],
    ['a payload without data and errors', (id) => ({ type: 'next', id, payload: {} })],
    ['two acknowledgements', () => ({ type: 'connection_ack' })],
  ])('garbage ends the subscription with a typed error, without another attempt: %s', async (_, garbage) => {
    const { url, upgrades } = await aScript(acknowledging((socket, id) => say(socket, next(id, 1), garbage(id))))
    const { open, lines } = linkTo(url)
    const source = await open('subscription { never }')
    expect([await read(source), await read(source), upgrades.length]).toEqual([{ counted: 1 }, 'SUBGRAPH_UNAVAILABLE', 1])
    expect(lines.length).toBeGreaterThan(0)
  })

  test('events of unknown operations, and after the end, are ignored; a second end is ignored', async () => {
    const { url } = await aScript(
      acknowledging((socket, id) => {
        say(socket, next('999', 7), { type: 'complete', id: '999' }, { type: 'ping' }, next(id, 1))
        say(socket, { type: 'complete', id }, { type: 'complete', id }, next(id, 2), { type: 'error', id, payload: [{}] })
      }),
    )
    expect(await readAll(await linkTo(url).open('subscription { never }'))).toEqual([{ counted: 1 }, 'done'])
  })

  test('more events than a reader takes end its subscription with SLOW_READER', async () => {
    const { url } = await aScript(
      acknowledging((socket, id) => {
        for (let number = 0; number < 2_000; number++) say(socket, next(id, number))
      }),
    )
    const { open, lines } = linkTo(url)
    const source = await open('subscription { never }')
    const other = await open('subscription { other }')
    // The other one is read, and goes on.
    expect(await read(other)).toEqual({ counted: 0 })
    await expect.poll(async () => read(source)).toBe('SLOW_READER')
    expect(lines).toEqual([])
  })

  test('a message above the bound ends the connection', async () => {
    const { url } = await aScript(acknowledging((socket, id) => say(socket, next(id, 1), 'x'.repeat(10_000_001))))
    const source = await linkTo(url, { reconnectAttempts: 0 }).open('subscription { never }')
    expect([await read(source), await read(source)]).toEqual([{ counted: 1 }, 'SUBGRAPH_UNAVAILABLE'])
  })

  test('a client that leaves while the connection opens leaves nothing behind', async () => {
    const { url, sockets } = await aScript(() => {})
    const left = new AbortController()
    const opening = linkTo(url).begin('subscription { never }', {}, left.signal)
    await expect.poll(() => sockets.size).toBe(1)
    left.abort()
    expect(await opening).toMatchObject({ kind: 'refused', errors: [{ extensions: { code: 'TIMEOUT' } }] })
    await expect.poll(() => sockets.size).toBe(0)
  })
})

test('an event is completed with fields of other subgraphs', async () => {
  const ticker = await startTicker()
  const [ticking, labels] = ticker.subgraphs
  if (!ticking || !labels) throw new Error('Expected two subgraphs.')
  const { url } = await serve((server) => {
    serveGraphqlWs({ schema: ticking.schema, context: () => ticking.context(caller) as never }, new WebSocketServer({ server }))
  })
  const link = createRemoteLink({ name: 'ticking', url, subscriptions: { protocol: 'graphql-transport-ws' } })
  onTestFinished(() => link.close())
  const gateway = await startGateway({
    supergraphSdl: ticker.supergraphSdl,
    links: [link, createLocalLink(labels)],
    limits: DEFAULT_LIMITS,
    log: recordingLog().log,
  })
  const prepared = gateway.prepareText('subscription { ticked { number thing { label } } }', undefined)
  if (prepared.kind === 'rejected') throw new Error(JSON.stringify(prepared.errors))
  const begun = await prepared.subscribe?.({}, { caller, signal: new AbortController().signal })
  if (begun?.kind !== 'open') throw new Error(JSON.stringify(begun))
  const reader = followed(begun.source)
  closers.push(reader.return)
  await expect.poll(ticker.listening).toBe(1)
  ticker.tick()
  expect(await reader.next()).toEqual({ data: { ticked: { number: 1, thing: { label: 'Label 1' } } } })
})
