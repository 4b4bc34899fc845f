import { type ChildProcess, fork } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Pool } from 'undici'
import { postRequest } from '../../gateway/subgraph-client/http-exchange.ts'
import { startWorld } from '../../test/subgraphs/trust/collectors/support/world.ts'
import { type Handler, json, startHttpServer } from '../../test/support/http-server.ts'
import { processorMilliseconds, STARTED_WITH } from '../server.ts'
import type { Figure } from './figure.ts'
import type { Internet, Lag, Ready } from './service.ts'

/** They share processors with the service, and do as little as they can. */
const CLIENTS = 20
/** Hosts that are known when they are asked about, and hosts that nobody has asked about. */
const WARM = 200
const COLD = 200
const AT_ONCE = 500
/** Names in the list of popular hosts: as few as are believed. */
const RANKED = 100_000
/** Milliseconds: of the requirement. The lag is that of a single task that is still no block. */
const BARS = { warm: 20, cold: 2_500, lag: 50 }

/**
 * Asks a whole Atrium in another process, over HTTP with one key, while this process is the
 * internet that its collectors see: hosts that are known, hosts that nobody knows below registries
 * of which each is dead, one host that everybody wants at once, many hosts at once, and hosts that
 * are known while lists of `lines` names are loaded.
 */
export async function serviceFigures({
  seconds,
  lines,
}: {
  readonly seconds: number
  readonly lines: number
}): Promise<Figure[]> {
  // A registry of its own for each cold host, so that none of them is spared by what others have
  // suffered.
  const hanging = createServer(() => {})
  await new Promise<void>((resolve) => hanging.listen(0, resolve))
  const { port } = hanging.address() as AddressInfo
  const world = await startWorld({
    services: () =>
      Array.from(
        { length: 600 },
        (_, index) => [[`dead${index}`], [`http://127.0.${index >> 8}.${index & 255 || 1}:${port}/`]] as const,
      ),
  })
  // A shorter list would be refused, and evidence that lacks a source is asked for again with each
  // question.
  let ranked = RANKED
  const lists = await startHttpServer({
    '/dns.json': (_, response) =>
      void fetch(`${world.registry.url}/dns.json`).then(async (reply) => json(await reply.json())(_, response)),
    '/urlhaus': streamed(
      200,
      (index) =>
        `"${index}","2026-11-01 10:00:00","http://bad${index}.example/x","online","2026-11-20 10:00:00","malware","","",""`,
    ),
    '/tranco': (request, response) =>
      streamed(ranked, (index) => `${index + 1},popular-${ranked}-${index}.com`)(request, response),
  })
  const { child, ready } = await started({
    dnsPort: world.dns.port,
    tlsPort: world.network.tlsPort,
    authority: world.network.authorities.join('\n'),
    lists: lists.url,
  })
  const pool = new Pool(ready.url, { connections: AT_ONCE, pipelining: 1 })
  const decide = async (domain: string): Promise<number> => {
    const begun = performance.now()
    const reply = await postRequest(pool, {
      path: '/v1/decide',
      headers: { 'content-type': 'application/json', 'x-api-key': ready.key },
      body: JSON.stringify({ domain }),
      // Nobody gives up. Of listeners that one signal has at once, each knows the next, also when
      // it is gone: shared, it would keep all answers (docs/adr/0018).
      signal: new AbortController().signal,
    })
    if ('cause' in reply) throw reply.cause
    if (reply.statusCode !== 200) throw new Error(`${domain} was answered with ${reply.statusCode}: ${reply.bytes}`)
    return performance.now() - begun
  }
  const lag = () => answerOf<Lag>(child, 'lag')

  try {
    const known = Array.from({ length: WARM }, (_, index) => `known-${index}.com`)
    for (const host of known) await decide(host)
    await during(1, known, decide)
    await lag()
    const pid = child.pid ?? 0
    const before = processorMilliseconds(pid)
    const warm = await during(seconds, known, decide)
    const processor = (processorMilliseconds(pid) - before) / warm.length
    const warmLag = await lag()

    const dead = Array.from({ length: COLD }, (_, index) => `cold-${index}.dead${index}`)
    const cold = await clients(dead.values(), decide)
    const coldLag = await lag()

    const queriesBefore = world.dns.queries.length
    const together = await Promise.all(Array.from({ length: AT_ONCE }, () => decide('everybody.com')))
    const questions = world.dns.queries.slice(queriesBefore).filter((each) => each === 'everybody.com A').length
    const togetherLag = await lag()

    const bursting = await Promise.allSettled(Array.from({ length: AT_ONCE }, (_, index) => decide(`burst-${index}.com`)))
    const burst = bursting.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    const burstLag = await lag()

    ranked = Math.max(lines, RANKED)
    let isLoading = true
    const loading = answerOf<'loaded'>(child, 'load').then(() => {
      isLoading = false
    })
    const begun = performance.now()
    const meanwhile = await whileTrue(() => isLoading, known, decide)
    await loading
    const loadSeconds = (performance.now() - begun) / 1000
    const loadLag = await lag()

    return [
      ...times(`warm, ${CLIENTS} clients`, warm, { p99: BARS.warm }),
      { what: `warm, ${CLIENTS} clients`, value: warm.length / seconds, unit: 'requests/s', bar: null },
      { what: 'warm: processor time of the service without its database', value: processor, unit: 'ms/request', bar: null },
      ...lags('warm', warmLag),
      ...times(`cold, a dead registry each, ${CLIENTS} clients`, cold, { p95: BARS.cold }),
      ...lags('cold', coldLag),
      {
        what: `${AT_ONCE} at once about one cold host: collections`,
        value: Math.max(questions, world.handshakes.filter((name) => name === 'everybody.com').length),
        unit: '',
        bar: 1,
      },
      ...times(`${AT_ONCE} at once about one cold host`, together, {}),
      ...lags(`${AT_ONCE} at once about one cold host`, togetherLag),
      ...times(`${AT_ONCE} cold hosts at once`, burst, {}),
      { what: `${AT_ONCE} cold hosts at once: not answered with 200`, value: AT_ONCE - burst.length, unit: '', bar: 0 },
      ...lags(`${AT_ONCE} cold hosts at once`, burstLag),
      { what: `loading a list of ${ranked} names`, value: loadSeconds, unit: 's', bar: null },
      ...times('warm, while a list is loaded', meanwhile, {}),
      ...lags('while a list is loaded', loadLag),
    ]
  } finally {
    child.send('stop')
    await new Promise((resolve) => child.once('exit', resolve))
    await pool.destroy()
    hanging.closeAllConnections()
    hanging.close()
    await Promise.all([world.close(), lists.close()])
  }
}

/** So many lines, written as fast as they are taken. */
const streamed =
  (count: number, line: (index: number) => string): Handler =>
  (_, response) => {
    let next = 0
    const more = () => {
      while (next < count) {
        const until = Math.min(count, next + 2_000)
        let text = ''
        for (; next < until; next++) text += `${line(next)}\n`
        if (!response.write(text)) return
      }
      response.end()
    }
    response.writeHead(200, { 'content-type': 'text/csv' }).on('drain', more)
    more()
  }

async function started(internet: Internet): Promise<{ readonly child: ChildProcess; readonly ready: Ready }> {
  const child = fork(join(import.meta.dirname, 'service.ts'), {
    execArgv: [...STARTED_WITH],
  })
  const ready = new Promise<Ready>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Ready))
    child.once('exit', (code) => reject(new Error(`The service ended with ${code}.`)))
  })
  child.send(internet)
  return { child, ready: await ready }
}

const answerOf = <Answer>(child: ChildProcess, question: string): Promise<Answer> =>
  new Promise((resolve) => {
    child.once('message', (message) => resolve(message as Answer))
    child.send(question)
  })

/** Milliseconds of every request; all clients take from the same hosts. */
async function clients(hosts: Iterator<string>, decide: (host: string) => Promise<number>): Promise<number[]> {
  const all: number[] = []
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (let host = hosts.next(); !host.done; host = hosts.next()) all.push(await decide(host.value))
    }),
  )
  return all
}

function during(seconds: number, hosts: readonly string[], decide: (host: string) => Promise<number>): Promise<number[]> {
  const end = performance.now() + seconds * 1000
  return whileTrue(() => performance.now() < end, hosts, decide)
}

function whileTrue(isOn: () => boolean, hosts: readonly string[], decide: (host: string) => Promise<number>): Promise<number[]> {
  function* endless(): Generator<string> {
    for (let index = 0; isOn(); index++) yield hosts[index % hosts.length] ?? ''
  }
  return clients(endless(), decide)
}

const PERCENTILES = ['p50', 'p95', 'p99'] as const

function times(what: string, all: readonly number[], bars: Partial<Record<(typeof PERCENTILES)[number], number>>): Figure[] {
  const sorted = all.toSorted((a, b) => a - b)
  return PERCENTILES.map((name) => ({
    what: `${what}: ${name}`,
    value: sorted[Math.floor((sorted.length - 1) * (Number(name.slice(1)) / 100))] ?? Number.NaN,
    unit: 'ms',
    bar: bars[name] ?? null,
  }))
}

const lags = (what: string, { p99, max, maxTurn, longTurns }: Lag): Figure[] => [
  { what: `${what}: event loop late, p99`, value: p99, unit: 'ms', bar: BARS.lag },
  { what: `${what}: event loop late, most`, value: max, unit: 'ms', bar: null },
  { what: `${what}: longest turn, processor time`, value: maxTurn, unit: 'ms', bar: null },
  { what: `${what}: turns over ${BARS.lag} ms of processor time`, value: longTurns, unit: '', bar: null },
]
