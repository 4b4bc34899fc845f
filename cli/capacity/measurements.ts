/** A figure that the capacity model starts from. */
type Figure = {
  readonly value: number
  /** Meaning, with its unit. */
  readonly meaning: string
  /** Seen in a run, set in the code, or calculated from other figures. */
  readonly basis: 'measured' | 'configured' | 'reckoned'
  /** The command that measures it, or the file that has it. */
  readonly source: string
}

const CLUSTER_BENCH = 'npx node bench/cluster.ts, 2 cores of an AMD EPYC, 22 November 2026'
const GROWTH_TABLE = 'docs/scaling.md: What grows with what'
/** One process of a machine alone × ratios and parts of a busy one, in turns. */
const SPLIT_BENCH = 'npx node bench/cluster.ts, one process of 22 November 2026 × ratios of 26 November'
const measured = { basis: 'measured', source: CLUSTER_BENCH } as const
const reckoned = { basis: 'reckoned', source: SPLIT_BENCH } as const
const pools = { basis: 'configured', source: GROWTH_TABLE } as const

/** What the capacity model starts from. The tables of docs/scaling.md have the same figures. */
export const FIGURES = {
  oneProcessDirectoryMs: { value: 0.17, meaning: 'CPU ms of a directory request (20 items) in one process', ...measured },
  oneProcessCrossMs: { value: 3.79, meaning: 'CPU ms of a request across subgraphs (four fetches) in one process', ...measured },
  directoryMs: { value: 0.29, meaning: 'CPU ms of the same directory request, split', ...reckoned },
  crossMs: { value: 5.65, meaning: 'CPU ms of the same request across subgraphs, split', ...reckoned },
  balancerMs: {
    value: 0.04,
    meaning: 'CPU ms in balancers of an average split request, a tenth of them across subgraphs',
    ...reckoned,
  },
  gatewayMs: { value: 0.26, meaning: 'the same in gateways', ...reckoned },
  subgraphMs: { value: 0.53, meaning: 'the same in subgraphs', ...reckoned },
  usableCore: { value: 0.6, meaning: 'part of a core that is planned with', basis: 'reckoned', source: 'docs/scaling.md' },
  socketsPerGateway: {
    value: 20_000,
    meaning: 'sockets that a gateway accepts',
    basis: 'configured',
    source: 'gateway/limits/limits.ts',
  },
  streamKilobytes: {
    value: 50,
    meaning: 'kB on both sides of the event stream of a socket with credentials',
    basis: 'reckoned',
    source: GROWTH_TABLE,
  },
  directoryConnections: { value: 11, meaning: 'connections to PostgreSQL of a copy of the directory', ...pools },
  socialConnections: { value: 15, meaning: 'the same of social, and of trust', ...pools },
  storeConnections: { value: 25, meaning: 'the same of the store', ...pools },
  redisRequests: { value: 100_000, meaning: 'requests a second of one Redis', basis: 'reckoned', source: GROWTH_TABLE },
} as const satisfies Readonly<Record<string, Figure>>
