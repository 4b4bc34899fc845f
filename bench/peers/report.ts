import type { Missing } from './contenders.ts'
import { PEER_QUERIES, type PeerQuery } from './shapes.ts'

/** One turn of a contender with a query. */
export type Turn = {
  readonly contender: string
  readonly query: PeerQuery
  readonly round: number
  readonly requests: number
  /** Processor time of its processes, in milliseconds per request. */
  readonly cpuMs: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly subgraphRequests: number
  /** Share of one core that the process of the subgraphs used. */
  readonly subgraphsBusy: number
  /** Share of its time in which the event loop of the clients was not idle. */
  readonly clientsBusy: number
}

type Memory = Readonly<Record<string, { readonly startBytes: number; readonly loadedBytes: number }>>

/** Ratios of processor time that were aimed at, over HTTP. */
const AIMS: readonly {
  readonly what: string
  readonly query: PeerQuery
  readonly isReached: (ratioOf: RatioOf) => boolean | null
}[] = [
  {
    what: 'at most an eighth of Apollo Gateway, reviews',
    query: 'reviews',
    isReached: (ratioOf) => isWithin(ratioOf('Apollo Gateway'), 1 / 8),
  },
  { what: 'less than Cosmo Router, reviews', query: 'reviews', isReached: (ratioOf) => isWithin(ratioOf('Cosmo Router'), 1) },
  {
    what: 'at most 1.5 times Hive Router, reviews',
    query: 'reviews',
    isReached: (ratioOf) => isWithin(ratioOf('Hive Router'), 1.5),
  },
  {
    what: 'less than Hive Router, one fetch (payload)',
    query: 'payload',
    isReached: (ratioOf) => isWithin(ratioOf('Hive Router'), 1),
  },
]
/** Processor time of Atrium per request, divided by that of another; null where it was not measured. */
type RatioOf = (other: string) => Ratio | null
type Ratio = { readonly median: number; readonly least: number; readonly largest: number }

const isWithin = (ratio: Ratio | null, bound: number): boolean | null => (ratio ? ratio.median <= bound : null)

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN

/** Prints a table for each query, ratios by the turns of each round, and which aims are reached. */
export function report({
  turns,
  memory,
  missing,
}: {
  readonly turns: readonly Turn[]
  readonly memory: Memory
  readonly missing: readonly Missing[]
}): void {
  const names = [...new Set(turns.map(({ contender }) => contender))]
  const queries = Object.keys(PEER_QUERIES) as PeerQuery[] // of this table
  const of = (contender: string, query: PeerQuery) => turns.filter((turn) => turn.contender === contender && turn.query === query)
  const ratio = (contender: string, base: string, query: PeerQuery): Ratio | null => {
    const ratios = of(contender, query).flatMap(({ round, cpuMs }) =>
      of(base, query).flatMap((other) => (other.round === round ? [cpuMs / other.cpuMs] : [])),
    )
    return ratios.length === 0 ? null : { median: median(ratios), least: Math.min(...ratios), largest: Math.max(...ratios) }
  }
  console.log('CPU: times that of Atrium in the same round, median (least to largest)')
  for (const query of queries) {
    console.log(
      `\n${query.padEnd(32)}${'CPU'.padStart(20)} ms/req req/core-s   req/s  p50 ms  p99 ms subgraph req subgraphs clients`,
    )
    for (const name of names) {
      const found = of(name, query)
      const at = (figure: 'cpuMs' | 'perSecond' | 'p50Ms' | 'p99Ms' | 'subgraphRequests' | 'subgraphsBusy' | 'clientsBusy') =>
        median(found.map((turn) => turn[figure]))
      const cells = [
        textOf(ratio(name, 'Atrium', query)).padStart(20),
        at('cpuMs').toFixed(3).padStart(7),
        (1_000 / at('cpuMs')).toFixed(0).padStart(10),
        at('perSecond').toFixed(0).padStart(8),
        at('p50Ms').toFixed(1).padStart(7),
        at('p99Ms').toFixed(1).padStart(7),
        at('subgraphRequests').toFixed(2).padStart(12),
        `${(at('subgraphsBusy') * 100).toFixed(0)} %`.padStart(9),
        `${(at('clientsBusy') * 100).toFixed(0)} %`.padStart(7),
      ]
      console.log(`${name.padEnd(32)}${cells.join(' ')}`)
    }
  }
  console.log('\nMB resident after the start, and after the run')
  const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(0)
  for (const [name, { startBytes, loadedBytes }] of Object.entries(memory)) {
    console.log(`${name.padEnd(32)} ${megabytes(startBytes)} ${megabytes(loadedBytes)}`)
  }
  for (const { name, why } of missing) console.log(`Not measured: ${name}. ${why}`)
  for (const { what, query, isReached } of AIMS) {
    const reached = isReached((other) => ratio('Atrium', other, query))
    console.log(`${what}: ${reached === null ? 'not measured' : reached ? 'reached' : 'not reached'}`)
  }
}

const textOf = (ratio: Ratio | null): string =>
  ratio ? `${ratio.median.toFixed(2)} (${ratio.least.toFixed(2)}-${ratio.largest.toFixed(2)})` : ''
