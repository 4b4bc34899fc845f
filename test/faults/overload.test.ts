import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { balancerConfig } from '../../composition/cluster/balancer.ts'
import { type Atrium, startAtrium } from '../security/support/atrium.ts'
import { type Program, startProgram, unusedPort } from '../support/program.ts'
import { isLong } from './support/fault.ts'
import { openLoop, type Reply, replyTo } from './support/open-loop.ts'

const SECONDS = 10
/**
 * Times of what the process can; over connections that are kept, or a new one for each request, to
 * it or to a balancer before it; and what refusing may leave of its speed. Ten times over new
 * connections to itself is not here: taking them needs more than half of the processor, and they
 * wait for it in the system's queue.
 */
const OVERLOADS = [
  { times: 2, connections: 'kept', to: 'the process', left: 1 / 2 },
  { times: 2, connections: 'new', to: 'the process', left: 1 / 2 },
  { times: 10, connections: 'kept', to: 'the process', left: 1 / 3 },
  { times: 10, connections: 'new', to: 'a balancer', left: 1 / 3 },
] as const
/** Requests that a process takes on at once; when they wait for its processor, it must be fewer. */
const LOAD_LIMIT = 1_000

const PART = 'mcpServers(first: 100) { totalCount edges { node { id name } } }'
const bodyOf = (parts: number) =>
  JSON.stringify({ query: `{ ${Array.from({ length: parts }, (_, index) => `a${index}: ${PART}`).join(' ')} }` })
/**
 * Some ten milliseconds of processor time, so that the client, which is one process as well, can
 * ask for ten times as much, over a connection each.
 */
const BODY = bodyOf(48)

let atrium: Atrium
/**
 * The answer, and how many of them there are in a second of processor time: all that a process can.
 */
let answer: string
let perProcessorSecond: number
let balancer: Program
let folder: string

beforeAll(async () => {
  atrium = await startAtrium({ RESPONSE_CACHE_BYTES: '0', COST_LIMIT: '0', LOG_LEVEL: 'error' })
  answer = (await replyTo(atrium.port, BODY)).text
  expect(JSON.parse(answer).errors).toBeUndefined()
  // Compiled code is a few times as fast.
  await closedLoop(2)
  const before = await figure('process_cpu_seconds_total')
  const answered = await closedLoop(2)
  perProcessorSecond = answered / ((await figure('process_cpu_seconds_total')) - before)
})
afterAll(async () => {
  await balancer?.kill()
  if (folder) rmSync(folder, { recursive: true })
  await atrium?.stop()
})

/** The one of a cluster, with the process as its only gateway. */
async function startBalancer(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'atrium-balancer-'))
  const file = join(folder, 'haproxy.cfg')
  balancer = await startProgram(
    async (port) => {
      const gateway = { name: 'gateway', port, isPublic: true, servers: [{ name: 'gateway-1', port: atrium.port }] }
      writeFileSync(file, balancerConfig([gateway], null, { host: '127.0.0.1', statusPort: await unusedPort() }))
      return ['haproxy', ['-db', '-f', file]]
    },
    async ({ port }) => (await replyTo(port, BODY)).status === 200,
  )
}

/** Eight clients, each of which waits for its answer; how many there were in so many seconds. */
async function closedLoop(seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1000
  let answered = 0
  const client = async () => {
    while (performance.now() < end) {
      expect((await replyTo(atrium.port, BODY)).status).toBe(200)
      answered++
    }
  }
  await Promise.all(Array.from({ length: 8 }, client))
  return answered
}

async function figure(name: string): Promise<number> {
  const { status, text } = await atrium.ask('/metrics')
  expect(status).toBe(200)
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

test.runIf(isLong)(
  '500 requests at once are all answered',
  async () => {
    await expect.poll(() => figure('atrium_requests_most'), { timeout: 30_000 }).toBe(LOAD_LIMIT)
    const light = bodyOf(8)
    const { text: answer } = await replyTo(atrium.port, light)
    const replies = await Promise.all(Array.from({ length: 500 }, () => replyTo(atrium.port, light)))
    expect(replies.filter(({ status, text }) => status !== 200 || text !== answer)).toEqual([])
  },
  120_000,
)

test.runIf(isLong).each(OVERLOADS)(
  '$times times the capacity, over $connections connections to $to, is answered or rejected with Retry-After',
  async ({ times, connections, to, left }) => {
    if (to === 'a balancer') await startBalancer()
    const { port } = to === 'a balancer' ? balancer : atrium
    const before = await figure('process_cpu_seconds_total')
    let isOver = false
    const probes: number[] = []
    const probing = (async () => {
      while (!isOver) probes.push((await atrium.ask('/ready')).status)
    })()
    const replies = await openLoop(port, BODY, {
      perSecond: times * perProcessorSecond,
      seconds: SECONDS,
      connections,
    })
    isOver = true
    await probing
    const spent = (await figure('process_cpu_seconds_total')) - before

    const answered = replies.filter(({ status }) => status === 200)
    const refused = replies.filter(({ status }) => status === 503)
    const [alone, now] = [Math.round(perProcessorSecond), Math.round(answered.length / spent)]
    const { milliseconds, ahead } = waitOf(answered)
    console.log(
      `${times} times what it can, ${connections} connections to ${to}: ${answered.length} answered, ${refused.length} refused; ${now} answers in a second of processor time, ${alone} without overload; at last 95 of 100 waited for less than ${milliseconds} ms, behind ${ahead} others`,
    )
    expect(replies.filter(({ status }) => status !== 200 && status !== 503)).toEqual([])
    expect(answered.filter(({ text }) => text !== answer)).toEqual([])
    expect(refused.length).toBeGreaterThan(0)
    const isComplete = ({ retryAfter = '', text }: Reply) => /^[2-5]$/.test(retryAfter) && text.includes('"UNAVAILABLE"')
    expect(refused.filter((each) => !isComplete(each))).toEqual([])
    expect(new Set(probes)).toEqual(new Set([200]))

    // By processor time, of which others on this machine take what they like.
    expect(now).toBeGreaterThan(alone * left)
    expect(ahead).toBeLessThan(LOAD_LIMIT / 2)

    await expect.poll(() => figure('atrium_requests_most'), { timeout: 30_000 }).toBe(LOAD_LIMIT)
    expect((await replyTo(atrium.port, BODY)).text).toBe(answer)
  },
  300_000,
)

/**
 * Of the last third of these answers: how long 95 of 100 took at most, and how many others were
 * answered in this time, which is how many they waited behind.
 */
function waitOf(answered: readonly Reply[]): { readonly milliseconds: number; readonly ahead: number } {
  const last = answered.slice((answered.length * 2) / 3)
  const ends = last.map(({ sentAt, took }) => sentAt + took)
  const times = last.map(({ took }) => took).sort((one, other) => one - other)
  const milliseconds = times[Math.floor(times.length * 0.95)] ?? Number.NaN
  const perMillisecond = last.length / (Math.max(...ends) - Math.min(...ends))
  return { milliseconds: Math.round(milliseconds), ahead: Math.round(milliseconds * perMillisecond) }
}
