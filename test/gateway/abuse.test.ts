import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { BEFORE_INIT, FRAMES, frame, handshake, MESSAGES } from './abuse/frames.ts'
import { type Abuse, OPERATIONS, type Sent, SUBSCRIPTIONS } from './abuse/operations.ts'
import { REQUESTS, UNFINISHED } from './abuse/requests.ts'
import { type Answer, startTarget, type Target, textOf } from './abuse/target.ts'
import type { Data } from './support/transports.ts'

let target: Target
let memoryBefore: number
let growth = Number.NaN
const times: { what: string; milliseconds: number }[] = []
const recoveries: number[] = []

beforeAll(async () => {
  target = await startTarget()
  await normal()
  memoryBefore = await target.memory()
})
afterAll(async () => {
  const slowest = times.sort((one, other) => other.milliseconds - one.milliseconds).slice(0, 5)
  const worst = Math.round(Math.max(...recoveries))
  const report = slowest.map(({ what, milliseconds }) => `${Math.round(milliseconds)} ms ${what}`).join('\n  ')
  console.log(
    `${times.length} hostile requests; the slowest:\n  ${report}\nthe next normal query took at most ${worst} ms; memory grew by ${Math.round(growth / 1e6)} MB`,
  )
  await target?.stop()
})
/** Whatever was done, everybody else is served as before. */
afterEach(async () => {
  const began = performance.now()
  await normal()
  recoveries.push(performance.now() - began)
})

async function normal(): Promise<void> {
  const { status, body } = await target.post({ query: '{ product(id: "a") { name } }' })
  expect([target.isAlive(), status, body]).toEqual([true, 200, { data: { product: { name: 'Product a' } } }])
}

async function timed<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const began = performance.now()
  const result = await work()
  times.push({ what, milliseconds: performance.now() - began })
  return result
}

/**
 * Whether a door can carry it, and what it makes of it: a code, the code of a closed socket, or
 * null for an answer without errors.
 */
type Transport = { readonly name: string; readonly mutationResult: (sent: Sent) => Promise<CaseResult> | null }
type CaseResult = { readonly code: unknown; readonly status?: number; readonly length: number }

const ofAnswer = ({ status, body, text }: Answer): CaseResult => ({
  code: body?.errors?.[0]?.extensions?.code ?? null,
  status,
  length: text.length,
})

const POST: Transport = { name: 'POST', mutationResult: (sent) => target.post(sent).then(ofAnswer) }
const GET: Transport = {
  name: 'GET',
  mutationResult(sent) {
    if ('text' in sent || typeof sent.query !== 'string' || sent.query.startsWith('mutation') || sent.extensions) return null
    const { query, variables, operationName } = sent
    if (operationName !== undefined && typeof operationName !== 'string') return null
    const search = new URLSearchParams({
      query: query.toWellFormed(),
      ...(variables !== undefined && { variables: JSON.stringify(variables) }),
      ...(operationName !== undefined && { operationName }),
    })
    return `${search}`.length > 12_000 ? null : target.get(`?${search}`).then(ofAnswer)
  },
}
const EVENTS: Transport = {
  name: 'event stream',
  async mutationResult(sent) {
    const { port } = target
    const client = new AbortController()
    const answer = await fetch(`http://127.0.0.1:${port}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: textOf(sent),
      signal: AbortSignal.any([client.signal, AbortSignal.timeout(15_000)]),
    })
    let text = ''
    for await (const chunk of answer.body ?? []) {
      text += Buffer.from(chunk).toString()
      if (/^data: \{.*\}$/m.test(text) || (!answer.ok && text.endsWith('}'))) break
    }
    client.abort()
    const payload = JSON.parse(/^data: (\{.*\})$/m.exec(text)?.[1] ?? text)
    return { code: payload.errors?.[0]?.extensions?.code ?? null, length: text.length }
  },
}
const SOCKET: Transport = {
  name: 'WebSocket',
  async mutationResult(sent) {
    const client = await target.socket()
    const isSubscription = 'query' in sent && String(sent.query).startsWith('subscription')
    const payload = textOf(sent)
    client.socket.send(`{"id":"a","type":"subscribe","payload":${payload}}`)
    const message: Data = await client.next('a')
    // The socket is as good as before, whatever was wrong with the operation.
    if (message.type !== 'closed' && !isSubscription) {
      const [after] = await client.ask({ query: '{ bells }' })
      expect(after.payload).toEqual({ data: { bells: 1 } })
    }
    client.socket.terminate()
    const code = message.type === 'closed' ? message.code : (message.payload.errors ?? message.payload)?.[0]?.extensions?.code
    return { code: code ?? null, length: JSON.stringify(message).length }
  },
}

/** What is refused is not sent back: a refusal is short, however long the request was. */
const REFUSAL_CHARACTERS = 20_000

async function judge({ why, hostile, code, overSocket, harmless }: Abuse, transports: readonly Transport[]): Promise<void> {
  for (const transport of transports) {
    const answering = transport.mutationResult(hostile)
    if (answering) {
      const mutationResult = await timed(`${why} (${transport.name})`, () => answering)
      const expected = transport === SOCKET && overSocket !== undefined ? overSocket : (code ?? null)
      const actual = expected instanceof RegExp ? String(mutationResult.code) : mutationResult.code
      expect([transport.name, actual]).toEqual([
        transport.name,
        expected instanceof RegExp ? expect.stringMatching(expected) : expected,
      ])
      if (mutationResult.status !== undefined && expected !== null) {
        const isStatus =
          mutationResult.code === 'PERSISTED_QUERY_NOT_FOUND'
            ? mutationResult.status === 200
            : mutationResult.status >= 400 && mutationResult.status < 500
        expect([transport.name, mutationResult.status, isStatus]).toEqual([transport.name, mutationResult.status, true])
      }
      if (expected !== null) expect(mutationResult.length).toBeLessThan(REFUSAL_CHARACTERS)
    }
    const accepting = harmless && transport.mutationResult(harmless)
    if (accepting) expect([transport.name, 'harmless', (await accepting).code]).toEqual([transport.name, 'harmless', null])
  }
}

describe('hostile operations, over every transport', () => {
  for (const [group, abuses] of Object.entries(OPERATIONS)) {
    describe(group, () => {
      test.each(abuses)('$why', (abuse) => judge(abuse, [POST, GET, EVENTS, SOCKET]))
    })
  }
})

describe('hostile subscriptions', () => {
  test.each(SUBSCRIPTIONS)('$why', (abuse) => judge(abuse, [EVENTS, SOCKET]))

  test.each(SUBSCRIPTIONS)('$why, where there are no subscriptions', async ({ hostile, harmless }) => {
    for (const sent of [hostile, harmless]) {
      if (!sent) continue
      const { status, body } = await timed('a subscription over POST', () => target.post(sent))
      expect([status, body.errors[0].extensions.code]).toEqual([400, 'SUBSCRIPTIONS_NOT_SUPPORTED'])
    }
  })
})

/** The statuses of all answers in these bytes. */
const statusesIn = (bytes: string): number[] =>
  [...bytes.matchAll(/HTTP\/1\.[01] (\d{3}) [A-Z]/g)].map(([, status]) => Number(status))

describe('requests that mean harm', () => {
  for (const [group, abuses] of Object.entries(REQUESTS)) {
    describe(group, () => {
      test.each(abuses)('$why', async ({ why, hostile, statuses, mayEndEarly, harmless, accepted = [200] }) => {
        const bytes = await timed(`${why} (raw)`, () => target.raw(hostile))
        const found = statusesIn(bytes)
        for (const [index, status] of found.entries()) expect(statuses[index] ?? []).toContain(status)
        if (!mayEndEarly) expect(found).toHaveLength(statuses.length)
        // Every refusal is JSON, and none tells of the inside.
        const refusals = found.filter((status) => status >= 400).length
        expect(bytes.match(/content-type: application\/json/gi)?.length ?? 0).toBeGreaterThanOrEqual(refusals)
        expect(bytes).not.toMatch(/node_modules|node:internal|at .*\.ts:/)
        if (!harmless) return
        const answer = await target.raw(harmless)
        expect([statusesIn(answer), /"errors"/.test(answer)]).toEqual([accepted, false])
      })
    })
  }
})

/** Bounded by timeouts, so that they take as long as those. */
describe.concurrent('connections with unfinished requests', () => {
  test.each(UNFINISHED)('$why: 50 of them delay no other client, and are closed', async ({ begin }) => {
    const ending = Promise.all(Array.from({ length: 50 }, () => target.raw(begin)))
    await normal()
    for (const bytes of await ending) expect([[], [408]]).toContainEqual(statusesIn(bytes))
  })

  test('a WebSocket without connection_init', async () => {
    const socket = target.openSocket()
    expect(await new Promise((resolve) => socket.once('close', resolve))).toBe(4408)
  })

  test('clients that hang up in the middle leave nothing behind', async () => {
    await Promise.all(
      Array.from({ length: 200 }, () =>
        target.raw((socket) => {
          socket.write(
            'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"query"',
          )
          setTimeout(() => socket.destroy(), 5)
        }),
      ),
    )
  })
})

describe('WebSockets that mean harm', () => {
  test.each([
    { why: 'another protocol', protocol: 'graphql-ws', code: 4406 },
    { why: 'no protocol', protocol: [], code: 4406 },
  ])('$why', async ({ protocol, code }) => {
    const socket = target.openSocket(protocol)
    const closed = await new Promise((resolve) => socket.once('close', resolve).once('error', () => resolve('refused')))
    // A client that named a protocol which is not chosen breaks off by itself.
    expect([code, 'refused']).toContain(closed)
  })

  describe('frames', () => {
    test.each(FRAMES)('$why', ({ why, hostile, codes, harmless }) => judgeFrames(why, hostile, codes, harmless, 'acknowledged'))
  })
  describe('messages', () => {
    test.each(MESSAGES)('$why', ({ why, hostile, codes, harmless }) => judgeFrames(why, hostile, codes, harmless, 'acknowledged'))
  })
  describe('before connection_init', () => {
    test.each(BEFORE_INIT)('$why', ({ why, hostile, codes, harmless }) => judgeFrames(why, hostile, codes, harmless, 'silent'))
  })

  async function judgeFrames(
    why: string,
    hostile: readonly (Buffer | string)[],
    codes: readonly number[] | null,
    harmless: readonly (Buffer | string)[] | undefined,
    beginning: 'acknowledged' | 'silent',
  ): Promise<void> {
    const mutationResult = await timed(`${why} (WebSocket)`, () => written(hostile, beginning))
    expect(codes ?? ['answered']).toContain(mutationResult)
    if (harmless) expect(await written(harmless, beginning)).toBe('answered')
  }

  /**
   * Writes frames, texts as frames of text, then an operation; the code of the close that comes
   * back, or that the operation was answered.
   */
  async function written(
    frames: readonly (Buffer | string)[],
    beginning: 'acknowledged' | 'silent',
  ): Promise<number | 'answered'> {
    const bytes = frames.map((one) => (typeof one === 'string' ? frame(1, one) : one))
    const last = frame(1, '{"id":"last one","type":"subscribe","payload":{"query":"{ bells }"}}')
    let mutationResult: number | 'answered' | undefined
    await target.raw((socket) => {
      let got: Buffer = Buffer.alloc(0)
      let state: 'shaking' | 'beginning' | 'waiting' | 'done' = 'shaking'
      const say = (...frames: readonly Buffer[]) => socket.write(Buffer.concat(frames))
      socket.setEncoding('latin1')
      socket.on('data', (chunk: string) => {
        if (state === 'done') return
        got = Buffer.concat([got, Buffer.from(chunk, 'latin1')])
        if (state === 'shaking' && got.includes('\r\n\r\n')) {
          state = 'beginning'
          got = got.subarray(got.indexOf('\r\n\r\n') + 4)
          say(...(beginning === 'silent' ? bytes : [frame(1, '{"type":"connection_init"}')]))
        }
        // Whoever does not wait for the acknowledgement breaks the protocol.
        if (state === 'beginning' && got.includes('connection_ack')) {
          state = 'waiting'
          say(...(beginning === 'silent' ? [] : bytes), last)
        }
        if (state === 'shaking') return
        const read = readFrames(got)
        got = read.rest
        mutationResult = read.mutationResult
        if (mutationResult === undefined) return
        state = 'done'
        socket.destroy()
      })
      handshake(socket)
    })
    return mutationResult ?? CUT_OFF
  }
})

/** What RFC 6455 §7.1.5 calls the end of a connection without a goodbye. */
const CUT_OFF = 1006

/**
 * Reads frames of a server up to the code of a close, or up to what became of the operation `last
 * one`: answered, or refused for being one too many.
 */
function readFrames(bytes: Buffer): { readonly mutationResult?: number | 'answered'; readonly rest: Buffer } {
  let at = 0
  while (at + 2 <= bytes.length) {
    const [first = 0, second = 0] = bytes.subarray(at, at + 2)
    const start = at + (second === 126 ? 4 : second === 127 ? 10 : 2)
    if (start > bytes.length) break
    const length = second < 126 ? second : second === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
    if (start + length > bytes.length) break
    const payload = bytes.subarray(start, start + length)
    at = start + length
    const rest = bytes.subarray(at)
    if ((first & 15) === 8) return { mutationResult: payload.readUInt16BE(0), rest }
    if (payload.includes('"last one"') && /"bells":1|TOO_MANY_OPERATIONS/.test(String(payload)))
      return { mutationResult: 'answered', rest }
  }
  return { rest: bytes.subarray(at) }
}

/**
 * Caches of documents and of compiled code fill up, and the allocator keeps what it had; a leak of
 * what was sent here would be a gigabyte.
 */
test('memory is bounded', async () => {
  growth = (await target.memory()) - memoryBefore
  expect(growth).toBeLessThan(300_000_000)
})
