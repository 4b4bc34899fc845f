/**
 * Compares Atrium's gateway over HTTP with other gateways and with compiled routers, on the shapes
 * of two public benchmarks: The Guild's (four subgraphs, an answer of about 88 kB, 50 clients) and
 * Grafbase's four. All contenders are alive, and receive requests in turns, from one set of
 * subgraphs whose answers are computed before. `npm ci --prefix bench/gateway/contenders` first.
 *
 *   node bench/peers.ts --build    builds the compiled routers, in a cache folder: an hour on 2 cores
 *   node bench/peers.ts            measures those that are there, in about six minutes
 *   --rounds N (5)       how often each has its turn with each query
 *   --seconds N (2)      how long a turn is
 *   --warm-up N (3)      seconds of requests of each query before
 *   --clients N (50)     requests under way at once
 *   --query NAME         only this query of bench/peers/shapes.ts; may be repeated
 *   --only TEXT          only contenders with this in their names; may be repeated
 *   --profile            profiles Atrium's process, into peers.cpuprofile of the cache folder
 *   --json FILE          where the results go (bench/peers/results.json)
 */
import { writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { buildASTSchema, execute, parse } from 'graphql'
import { build } from './peers/build.ts'
import { type Contender, startContenders, startSubgraphs } from './peers/contenders.ts'
import { processorTimeOfTree, residentOfTree } from './peers/process-tree.ts'
import { report, type Turn } from './peers/report.ts'
import { ALL_ROOTS, PEER_QUERIES, type PeerQuery } from './peers/shapes.ts'
import { peerSupergraph } from './peers/supergraph.ts'

const { values } = parseArgs({
  options: {
    build: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    'warm-up': { type: 'string', default: '3' },
    clients: { type: 'string', default: '50' },
    query: { type: 'string', multiple: true, default: Object.keys(PEER_QUERIES) },
    only: { type: 'string', multiple: true, default: [] },
    profile: { type: 'boolean', default: false },
    json: { type: 'string', default: join(import.meta.dirname, 'peers/results.json') },
  },
})
const [rounds, seconds, clients] = [Number(values.rounds), Number(values.seconds), Number(values.clients)]

const isQueryName = (name: string): name is PeerQuery => Object.hasOwn(PEER_QUERIES, name)
const QUERY_NAMES = values.query.filter(isQueryName)
if (QUERY_NAMES.length < values.query.length)
  throw new Error(`Expected --query to be one of ${Object.keys(PEER_QUERIES).join(', ')}.`)

const bodyOf = (query: PeerQuery): string => JSON.stringify({ query: PEER_QUERIES[query] })

/** Requests one after the other by each client, until the time is over; milliseconds of each. */
async function load(contender: Contender, query: PeerQuery, forSeconds: number, bytes: number): Promise<number[]> {
  const times: number[] = []
  const body = bodyOf(query)
  const end = performance.now() + forSeconds * 1000
  const client = async () => {
    while (performance.now() < end) {
      const begin = performance.now()
      const received = (await contender.send(body)).byteLength
      // Members may come in another order, but are as many.
      if (Math.abs(received - bytes) > 2) throw new Error(`Expected ${bytes} bytes of ${contender.name}, got ${received}.`)
      times.push(performance.now() - begin)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return times
}

/** The answers that the data have, executed without a gateway. */
async function expectedAnswers(supergraphSdl: string): Promise<ReadonlyMap<PeerQuery, unknown>> {
  const schema = buildASTSchema(parse(supergraphSdl), { assumeValid: true, assumeValidSDL: true })
  const answers = new Map<PeerQuery, unknown>()
  for (const query of QUERY_NAMES) {
    const { data, errors } = await execute({ schema, document: parse(PEER_QUERIES[query]), rootValue: ALL_ROOTS })
    if (errors) throw errors[0]
    answers.set(query, JSON.parse(JSON.stringify(data)))
  }
  return answers
}

/** Compares all answers of a contender; the bytes of each. Throws for a wrong one. */
async function checked(contender: Contender, expected: ReadonlyMap<PeerQuery, unknown>): Promise<Record<PeerQuery, number>> {
  const bytes = {} as Record<PeerQuery, number> // filled below
  for (const query of QUERY_NAMES) {
    const text = Buffer.from(await contender.send(bodyOf(query)))
    const { data, errors } = JSON.parse(text.toString())
    if (errors || !isDeepStrictEqual(data, expected.get(query))) {
      throw new Error(`Another answer to ${query}: ${text.subarray(0, 300)}`)
    }
    bytes[query] = text.length
  }
  return bytes
}

async function takeTurn(contender: Contender, query: PeerQuery, round: number, bytes: number): Promise<Turn> {
  await subgraphs.measure()
  const [spent, begin, loop] = [processorTimeOfTree(contender.pid), performance.now(), performance.eventLoopUtilization()]
  const times = await load(contender, query, seconds, bytes)
  const elapsed = performance.now() - begin
  const cpu = processorTimeOfTree(contender.pid) - spent
  const { requests: subgraphRequests, busy } = await subgraphs.measure()
  times.sort((one, other) => one - other)
  const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? Number.NaN
  return {
    contender: contender.name,
    query,
    round,
    requests: times.length,
    cpuMs: cpu / times.length,
    perSecond: (times.length / elapsed) * 1000,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    subgraphRequests: subgraphRequests / times.length,
    subgraphsBusy: busy,
    clientsBusy: performance.eventLoopUtilization(loop).utilization,
  }
}

if (values.build) {
  build()
  process.exit(0)
}

const loadBefore = loadavg()
const subgraphs = await startSubgraphs()
const supergraphSdl = peerSupergraph(subgraphs.urls)
const expected = await expectedAnswers(supergraphSdl)
const { running, missing } = await startContenders({
  supergraphSdl,
  urls: subgraphs.urls,
  clients,
  only: values.only,
  profile: values.profile,
})
const turns: Turn[] = []
const idle = new Map<string, number>()
try {
  const correct: { readonly contender: Contender; readonly bytes: Record<PeerQuery, number> }[] = []
  for (const contender of running) {
    idle.set(contender.name, residentOfTree(contender.pid))
    try {
      const bytes = await checked(contender, expected)
      for (const query of QUERY_NAMES) await load(contender, query, Number(values['warm-up']), bytes[query])
      correct.push({ contender, bytes })
    } catch (error) {
      missing.push({ name: contender.name, why: error instanceof Error ? error.message : String(error) })
    }
  }
  for (let round = 0; round < rounds; round++) {
    console.error(`Round ${round + 1} of ${rounds}`)
    for (const query of QUERY_NAMES) {
      for (const { contender, bytes } of correct) turns.push(await takeTurn(contender, query, round, bytes[query]))
    }
  }
  const memory = Object.fromEntries(
    correct.map(({ contender: { name, pid } }) => [name, { startBytes: idle.get(name) ?? 0, loadedBytes: residentOfTree(pid) }]),
  )
  const machine = { cores: cpus().length, processor: cpus()[0]?.model ?? '', loadBefore, date: new Date().toISOString() }
  const answers = correct[0]?.bytes ?? {}
  writeFileSync(values.json, `${JSON.stringify({ machine, clients, seconds, answers, missing, memory, turns }, null, 1)}\n`)
  report({ turns, memory, missing })
} finally {
  for (const { stop } of running) await stop()
  subgraphs.stop()
}
