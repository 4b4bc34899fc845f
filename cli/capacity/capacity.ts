import { FIGURES } from './measurements.ts'

/** What an installation shall take at its peak. */
type Demand = {
  readonly requestsPerSecond: number
  readonly sockets: number
  /** Requests across subgraphs, in percent of all; the others need the directory only. */
  readonly crossPercent: number
  readonly coresPerMachine: number
}

/** One part of the installation. */
type CapacityPart = {
  readonly part: 'balancers' | 'gateways' | 'subgraphs'
  /** Cores at 60 % load, to a tenth. */
  readonly cores: number
  /**
   * Processes of one core each, and balancers of all cores of a machine; two at least, because one
   * may be lost.
   */
  readonly copies: number
  /** What decides the number of copies. */
  readonly driver: 'requests' | 'sockets' | 'two copies at least'
  /** In percent of the CPU of all parts. */
  readonly cpuPercent: number
}

/** Answer of the capacity model. All numbers in it are reckoned from `FIGURES`. */
export type CapacityPlan = {
  /** Cores that one process for everything would need; more than one cannot be used by it. */
  readonly oneProcessCores: number
  readonly parts: readonly CapacityPart[]
  /** Machines for these parts, without PostgreSQL and Redis. */
  readonly machines: number
  /** Memory of event streams, in GB on each side, when every socket subscribes with credentials. */
  readonly streamGigabytes: number
  /** Connections to PostgreSQL without a pooler. */
  readonly databaseConnections: number
  /** Redis servers by requests alone. */
  readonly redisServers: number
}

/** Part of requests across subgraphs in the run whose CPU is known by part. */
const MEASURED_CROSS_RATIO = 0.1
const MIN_COPIES = 2

/** Reckons machines and cost drivers from stored measurements. */
export function planCapacity({ requestsPerSecond, sockets, crossPercent, coresPerMachine }: Demand): CapacityPlan {
  const of = (one: number, other: number, share: number) => one * (1 - share) + other * share
  const { directoryMs, crossMs, oneProcessDirectoryMs, oneProcessCrossMs, usableCore, socketsPerGateway } = FIGURES
  const share = crossPercent / 100
  // The parts were measured at one mix: others cost as much more or less in each.
  const scale = of(directoryMs.value, crossMs.value, share) / of(directoryMs.value, crossMs.value, MEASURED_CROSS_RATIO)
  const coresFor = (milliseconds: number) => (requestsPerSecond * milliseconds) / 1000 / usableCore.value
  const cores = {
    balancers: coresFor(FIGURES.balancerMs.value * scale),
    gateways: coresFor(FIGURES.gatewayMs.value * scale),
    subgraphs: coresFor(FIGURES.subgraphMs.value * scale),
  }
  const all = cores.balancers + cores.gateways + cores.subgraphs
  const partOf = (part: CapacityPart['part'], least: number, { bySockets = 0, coresPerCopy = 1 } = {}): CapacityPart => {
    // To a tenth: binary fractions of 9 cores are a little more.
    const byRequests = Math.ceil(tenths(cores[part] / coresPerCopy))
    const copies = Math.max(least, byRequests, bySockets)
    const loaded = bySockets > byRequests ? 'sockets' : 'requests'
    return {
      part,
      cores: tenths(cores[part]),
      copies,
      driver: copies > Math.max(byRequests, bySockets) ? 'two copies at least' : loaded,
      cpuPercent: all === 0 ? 0 : Math.round((cores[part] / all) * 100),
    }
  }
  const parts = [
    partOf('balancers', MIN_COPIES, { coresPerCopy: coresPerMachine }),
    partOf('gateways', MIN_COPIES, { bySockets: Math.ceil(sockets / socketsPerGateway.value) }),
    // Two of each of the four.
    partOf('subgraphs', MIN_COPIES * 4),
  ]
  const copiesOfEach = (parts[2]?.copies ?? 0) / 4
  const { directoryConnections, socialConnections, storeConnections } = FIGURES
  const connections = directoryConnections.value + 2 * socialConnections.value + storeConnections.value
  return {
    oneProcessCores: tenths(coresFor(of(oneProcessDirectoryMs.value, oneProcessCrossMs.value, share))),
    parts,
    machines: Math.max(MIN_COPIES, Math.ceil(all / coresPerMachine)),
    streamGigabytes: tenths((sockets * FIGURES.streamKilobytes.value) / 1e6),
    databaseConnections: Math.ceil(copiesOfEach * connections),
    redisServers: Math.max(1, Math.ceil(requestsPerSecond / FIGURES.redisRequests.value)),
  }
}

const tenths = (value: number): number => Math.round(value * 10) / 10
