import type { DirectorySourceHealth, DirectorySourceKind, DirectorySourceProblem } from '#generated/directory/resolvers.ts'
import type { Feed } from '../../../platform/graphql/subgraph.ts'

/** What the directory is kept up to date from, and how it is. */
export type Source = SourceSettings & {
  /** Row id. */
  readonly id: string
  readonly nextRunAt: Date | null
  readonly acceptsDrop: boolean
  readonly lastAttemptAt: Date | null
  readonly lastSuccessAt: Date | null
  readonly lastCompleteAt: Date | null
  readonly problem: DirectorySourceProblem | null
  readonly lastError: string | null
  readonly failures: number
  readonly counts: SourceCounts | null
  readonly etag: string | null
  readonly lastModified: string | null
  readonly requestsSince: Date | null
  readonly requests: number
  readonly pagesSince: Date | null
  readonly arePagesComplete: boolean
}

/** What an administrator chooses. */
export type SourceSettings = {
  readonly name: string
  readonly kind: DirectorySourceKind
  readonly address: string
  readonly repository: string | null
  readonly intervalMinutes: number
  readonly enabled: boolean
}

/** What a run that succeeded did: items, and records that could not be read. */
export type SourceCounts = {
  readonly added: number
  readonly updated: number
  readonly removed: number
  readonly rejected: number
}

/** A broken rule of the settings. */
export type SourceFault = { readonly field: string; readonly message: string }

export const SOURCE_KINDS: readonly DirectorySourceKind[] = [
  'MCP_REGISTRY',
  'DOCKER_CATALOGUE',
  'TOOLHIVE_REGISTRY',
  'PLUGIN_MARKETPLACE',
  'SKILL_REPOSITORY',
  'FILE',
]

/** Sources of an installation: each is a row of the operations page, and of a metric. */
export const MAX_DIRECTORY_SOURCES = 200
/** Published data changes over hours; runs of all sources must fit into the shortest interval. */
const MIN_INTERVAL_MINUTES = 5
const MAX_INTERVAL_MINUTES = 43_200
const MAX_ADDRESS_LENGTH = 500

const NAME = /^[a-z0-9][a-z0-9-]{0,59}$/
const REPOSITORY = /^[A-Za-z0-9][A-Za-z0-9-]{0,38}\/[A-Za-z0-9._-]{1,100}$/

/** The broken rules of these settings, by field; empty for none. */
export function faultsOf({ name, kind, address, repository, intervalMinutes }: SourceSettings): readonly SourceFault[] {
  return [
    ...(NAME.test(name)
      ? []
      : [{ field: 'name', message: `Expected 1 to 60 letters a to z, digits and "-", got ${quoted(name)}.` }]),
    ...addressFaults(address, kind),
    ...(repository === null || REPOSITORY.test(repository)
      ? []
      : [{ field: 'repository', message: `Expected owner/name, got ${quoted(repository)}.` }]),
    ...intervalFaults(intervalMinutes),
  ]
}

export const intervalFaults = (minutes: number): readonly SourceFault[] =>
  Number.isInteger(minutes) && minutes >= MIN_INTERVAL_MINUTES && minutes <= MAX_INTERVAL_MINUTES
    ? []
    : [
        {
          field: 'intervalMinutes',
          message: `Expected ${MIN_INTERVAL_MINUTES} to ${MAX_INTERVAL_MINUTES} minutes, got ${minutes}.`,
        },
      ]

function addressFaults(address: string, kind: DirectorySourceKind): readonly SourceFault[] {
  const fault = (message: string) => [{ field: 'address', message }]
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol) || address.length > MAX_ADDRESS_LENGTH)
    return fault(
      `Expected an absolute http or https address of at most ${MAX_ADDRESS_LENGTH} characters, got ${quoted(address)}.`,
    )
  if (url.username !== '' || url.password !== '') return fault('Expected an address without a user and password.')
  // Pages have queries of their own.
  if (kind === 'MCP_REGISTRY' && url.search !== '') return fault('Expected the address of a registry without a query.')
  if (url.hash !== '') return fault('Expected an address without a part behind "#".')
  return []
}

const quoted = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)

/** The address as it is compared and stored: one spelling of each. */
export const spelledAddress = (address: string): string => URL.parse(address)?.href.replace(/(?<!\/)\/+$/, '') ?? address

/** More than this many intervals without a success is late. */
const MAX_INTERVALS_UNTIL_LATE = 2

/** How a source is at a time. */
export function healthOf(source: Source, now: Date): DirectorySourceHealth {
  const lag = lagSecondsOf(source, now)
  if (!source.enabled) return 'DISABLED'
  if (source.problem !== null) return 'FAILING'
  if (lag === null) return 'NEW'
  return lag > MAX_INTERVALS_UNTIL_LATE * source.intervalMinutes * 60 ? 'LATE' : 'OK'
}

/** Age of what the directory has of a source, in seconds; null when it has nothing. */
export const lagSecondsOf = ({ lastSuccessAt }: Pick<Source, 'lastSuccessAt'>, now: Date): number | null =>
  lastSuccessAt === null ? null : Math.max(0, Math.floor((now.getTime() - lastSuccessAt.getTime()) / 1_000))

/** First wait after a failed run, doubled by each further one. Seconds. */
const FIRST_RETRY_SECONDS = 60
/** Longest wait after a failed run. Seconds. */
const MAX_RETRY_SECONDS = 21_600

/**
 * Seconds until the run after one that failed: longer with each failure, never longer than the
 * interval, and never shorter than the source asks for.
 */
export function retrySeconds(failures: number, intervalMinutes: number, retryAfterSeconds: number | null): number {
  const doubled = FIRST_RETRY_SECONDS * 2 ** Math.min(failures, 20)
  return Math.max(retryAfterSeconds ?? 0, Math.min(doubled, MAX_RETRY_SECONDS, intervalMinutes * 60))
}

/** The sources as metrics have them. */
export const feedsOf = (sources: readonly Source[], now: Date): readonly Feed[] =>
  sources.map((source) => ({
    name: source.name,
    lagSeconds: lagSecondsOf(source, now),
    isFailing: source.enabled && source.problem !== null,
  }))

/** What runs of sources may connect to, and how often. */
export type SourceNetworkSettings = {
  /** In CIDR notation, besides public addresses. */
  readonly privateNetworks: readonly string[]
  /** Requests to one source. */
  readonly requestsPerHour: number
}

/** More than the pages of the largest known registry at 100 rows. */
export const DEFAULT_REQUESTS_PER_HOUR = 1_000
export const PUBLIC_ONLY: SourceNetworkSettings = { privateNetworks: [], requestsPerHour: DEFAULT_REQUESTS_PER_HOUR }
