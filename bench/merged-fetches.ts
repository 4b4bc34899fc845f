/**
 * What joining the entity fetches of a plan costs and saves: one gateway with `mergeFetches` and one
 * without in this process, in turns, over the subgraphs of `bench/peers.ts` in a process of their
 * own. Prints processor time of this process per request, as medians of the rounds, its ratio, and
 * the requests to subgraphs. `wide` and `deep` have nothing to join.
 *
 *   node bench/merged-fetches.ts
 *   --rounds N (30)      how often each has its turn with each query
 *   --requests N (200)   requests of a turn
 *   --clients N (10)     requests under way at once
 */
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { pino } from 'pino'
import { createGateway } from '../gateway/library/create-gateway.ts'
import { startSubgraphs } from './peers/contenders.ts'
import { PEER_QUERIES, type PeerQuery } from './peers/shapes.ts'
import { peerSupergraph } from './peers/supergraph.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '30' },
    requests: { type: 'string', default: '200' },
    clients: { type: 'string', default: '10' },
  },
})
const [rounds, requests, clients] = [Number(values.rounds), Number(values.requests), Number(values.clients)]

const QUERIES = {
  reviews: PEER_QUERIES.reviews,
  /** Two fetches of equal, two of different selections, each pair ready together. */
  pairs: `{ posts { writer { name city } editor { name city } }
    users { reviews { product { name reviews { product { name weight price } } } } } }`,
  wide: PEER_QUERIES.wide,
  deep: PEER_QUERIES.deep,
} as const satisfies Record<string, string> & { [Name in PeerQuery]?: string }

const subgraphs = await startSubgraphs()
const open = (mergeFetches: boolean) =>
  createGateway({
    supergraph: peerSupergraph(subgraphs.urls),
    allSubgraphs: { mergeFetches },
    limits: { depth: 0, cost: 0 },
    log: pino({ level: 'silent' }),
  })
const gateways = { apart: await open(false), merged: await open(true) }

async function turn(
  gateway: (typeof gateways)['apart'],
  query: string,
): Promise<{ readonly cpuMs: number; readonly sent: number }> {
  await subgraphs.measure()
  const before = process.cpuUsage()
  let left = requests
  const client = async () => {
    while (left-- > 0) JSON.stringify(await gateway.execute({ query }))
  }
  await Promise.all(Array.from({ length: clients }, client))
  const { user, system } = process.cpuUsage(before)
  return { cpuMs: (user + system) / 1_000 / requests, sent: (await subgraphs.measure()).requests / requests }
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN

try {
  console.log('| query | apart, ms | merged, ms | merged : apart | requests apart | merged |\n|---|---|---|---|---|---|')
  for (const [name, query] of Object.entries(QUERIES)) {
    const answers = [await gateways.apart.execute({ query }), await gateways.merged.execute({ query })] as const
    if (answers[0].errors || !isDeepStrictEqual(answers[0], answers[1]))
      throw new Error(`Another answer to ${name}: ${JSON.stringify(answers[1]).slice(0, 300)}`)
    for (let warm = 0; warm < 3; warm++) for (const gateway of Object.values(gateways)) await turn(gateway, query)
    const turns: { readonly [Name in keyof typeof gateways]: Awaited<ReturnType<typeof turn>> }[] = []
    for (let round = 0; round < rounds; round++) {
      // Each goes first in every other round.
      const apart = round % 2 === 0 ? await turn(gateways.apart, query) : null
      const merged = await turn(gateways.merged, query)
      turns.push({ apart: apart ?? (await turn(gateways.apart, query)), merged })
    }
    const of = (kind: keyof typeof gateways) =>
      [median(turns.map((each) => each[kind].cpuMs)), median(turns.map((each) => each[kind].sent))] as const
    const [[apart, apartSent], [merged, mergedSent]] = [of('apart'), of('merged')]
    const ratio = median(turns.map((each) => each.merged.cpuMs / each.apart.cpuMs))
    console.log(`| ${name} | ${apart.toFixed(3)} | ${merged.toFixed(3)} | ${ratio.toFixed(3)} | ${apartSent} | ${mergedSent} |`)
  }
} finally {
  await Promise.all(Object.values(gateways).map((gateway) => gateway.close()))
  subgraphs.stop()
}
