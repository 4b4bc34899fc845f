import type { Missing } from './contenders.ts'
import type { PeerQuery } from './shapes.ts'

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
  readonly other: string
  readonly isReached: (ratio: Ratio | null) => boolean | null
}[] = (
  [
    ['at most an eighth of Apollo Gateway, reviews', 'reviews', 'Apollo Gateway', 1 / 8],
    ['less than Cosmo Router, reviews', 'reviews', 'Cosmo Router', 1],
    ['at most 1.5 times Hive Router, reviews', 'reviews', 'Hive Router', 1.5],
    ['less than Hive Router, one fetch (payload)', 'payload', 'Hive Router', 1],
  ] as const
).map(([what, query, other, bound]) => ({ what, query, other, isReached: (ratio) => isWithin(ratio, bound) }))
/** Processor time of Atrium per request, divided by that of another. */
type Ratio = { readonly median: number; readonly least: number; readonly largest: number }

const isWithin = (ratio: Ratio | null, bound: number): boolean | null => (ratio ? ratio.median <= bound : null)

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN

/**
 * Prints tables in Markdown: one for each query, with ratios by the turns of each round, memory, and
 * which aims are reached.
 */
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
  const queries = [...new Set(turns.map(({ query }) => query))]
  const of = (contender: string, query: PeerQuery) => turns.filter((turn) => turn.contender === contender && turn.query === query)
  const ratio = (contender: string, base: string, query: PeerQuery): Ratio | null => {
    const ratios = of(contender, query).flatMap(({ round, cpuMs }) =>
      of(base, query).flatMap((other) => (other.round === round ? [cpuMs / other.cpuMs] : [])),
    )
    return ratios.length === 0 ? null : { median: median(ratios), least: Math.min(...ratios), largest: Math.max(...ratios) }
  }
  console.log('CPU: times that of Atrium in the same round, median (least to largest).')
  for (const query of queries) {
    printTable(query, [
      ['contender', 'CPU', 'ms per request', 'requests per core-second', 'requests/s', 'p50, ms', 'p99, ms', ...SUBGRAPH_COLUMNS],
      ...names.map((name) => {
        const found = of(name, query)
        const at = (figure: Exclude<keyof Turn, 'contender' | 'query'>) => median(found.map((turn) => turn[figure]))
        return [
          name,
          textOf(ratio(name, 'Atrium', query)),
          at('cpuMs').toFixed(3),
          (1_000 / at('cpuMs')).toFixed(0),
          at('perSecond').toFixed(0),
          at('p50Ms').toFixed(1),
          at('p99Ms').toFixed(1),
          at('subgraphRequests').toFixed(2),
          `${(at('subgraphsBusy') * 100).toFixed(0)} %`,
          `${(at('clientsBusy') * 100).toFixed(0)} %`,
        ]
      }),
    ])
  }
  printTable('summary: CPU, times that of Atrium', [
    ['contender', ...queries],
    ...names.map((name) => [name, ...queries.map((query) => ratio(name, 'Atrium', query)?.median.toFixed(2) ?? '')]),
  ])
  const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(0)
  printTable('memory', [
    ['contender', 'MB resident after the start', 'after the run'],
    ...Object.entries(memory).map(([name, each]) => [name, megabytes(each.startBytes), megabytes(each.loadedBytes)]),
  ])
  printTable('aims', [
    ['aim, CPU over HTTP', 'measured', ''],
    ...AIMS.map(({ what, query, other, isReached }) => {
      const measured = ratio('Atrium', other, query)
      const reached = isReached(measured)
      return [what, textOf(measured), reached === null ? 'not measured' : reached ? 'reached' : 'not reached']
    }),
  ])
  for (const { name, why } of missing) console.log(`\nNot measured: ${name}. ${why}`)
}

const SUBGRAPH_COLUMNS = ['requests to subgraphs', 'subgraphs busy', 'clients busy'] as const

/** Prints a table in Markdown; its first row is the head. */
function printTable(title: string, [head = [], ...rows]: readonly (readonly string[])[]): void {
  const lines = [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows]
  console.log(`\n### ${title}\n${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}`)
}

const textOf = (ratio: Ratio | null): string =>
  ratio ? `${ratio.median.toFixed(2)} (${ratio.least.toFixed(2)}-${ratio.largest.toFixed(2)})` : ''
