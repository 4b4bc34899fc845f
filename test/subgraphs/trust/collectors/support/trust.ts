import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import pino from 'pino'
import { openDatabase } from '../../../../../platform/database/database.ts'
import type { NetworkOptions, SocketEndpoint } from '../../../../../platform/outbound/safe-connect.ts'
import { rdapBootstrap } from '../../../../../subgraphs/trust/collectors/list-formats.ts'
import { listRepository } from '../../../../../subgraphs/trust/collectors/list-repository.ts'
import type { List } from '../../../../../subgraphs/trust/collectors/lists.ts'
import { evidenceRepository } from '../../../../../subgraphs/trust/collectors/repository.ts'
import { type SourcesOptions, type TrustSources, trustSources } from '../../../../../subgraphs/trust/collectors/sources.ts'
import type { Evidence, EvidenceBySource, Snapshot, Source } from '../../../../../subgraphs/trust/evidence.ts'
import type { Tables } from '../../../../../subgraphs/trust/tables.ts'
import { type FreshDatabase, freshDatabase } from '../../../../support/database.ts'

/** Puts evidence together as the pipeline does, but does not care for the order of lists. */
export const snapshotOf: SourcesOptions['snapshotOf'] = (host, collectedAt, evidence) => {
  const sources = Object.fromEntries(
    evidence.map((each: Evidence) => [each.source, each.evidence]),
  ) as unknown as EvidenceBySource
  const rest = { schema: 1 as const, host, collectedAt, sources }
  return {
    ...rest,
    id: createHash('sha256')
      .update(canonicalize(rest) ?? '')
      .digest('hex'),
  } satisfies Snapshot
}

export type TrustOptions = {
  /** Null: no DNS server is set up. */
  readonly dns: SocketEndpoint | readonly SocketEndpoint[] | null
  /** Ports on loopback that may be connected to; nothing else there. */
  readonly allowedPorts?: readonly number[]
  readonly network?: Omit<NetworkOptions, 'resolvers'>
  readonly lists?: readonly List[]
  readonly dnsbl?: readonly string[]
  readonly ctUrl?: string
  readonly networkFiles?: string[]
  readonly redirects?: 'off' | 'shorteners' | 'all'
  readonly shippedNames?: SourcesOptions['shippedNames']
  readonly now?: () => Date
  /** Puts evidence together; `snapshotOf` of this file unless given. */
  readonly makeSnapshot?: SourcesOptions['snapshotOf']
  /** Shared with another copy of the sources; a new one otherwise. */
  readonly database?: FreshDatabase
}

export type Trust = TrustSources & {
  readonly database: FreshDatabase
  readonly evidence: ReturnType<typeof evidenceRepository>
  readonly lists: ReturnType<typeof listRepository>
  readonly sql: (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>
  /** One source's answer about a host. */
  readonly ask: <S extends Source>(source: S, host: string, registrable?: string | null) => Promise<EvidenceBySource[S]>
}

/** The real sources over a database of their own. Until told otherwise they download nothing. */
export async function startTrust({
  dns,
  allowedPorts = [],
  network = {},
  lists = [],
  dnsbl = [],
  ctUrl,
  networkFiles,
  redirects = 'shorteners',
  shippedNames = null,
  now,
  makeSnapshot = snapshotOf,
  database: shared,
}: TrustOptions): Promise<Trust> {
  const database = shared ?? (await freshDatabase())
  const opened = openDatabase<Tables>(database.connection, { schema: 'trust', max: 4, onError: () => {} })
  const evidence = evidenceRepository(opened.query)
  const repository = listRepository(opened.query)
  const resolvers = dns === null ? [] : 'address' in dns ? [dns] : dns
  const sources = trustSources({
    evidence,
    lists: repository,
    log: pino({ level: process.env.TEST_LOG ?? 'silent' }),
    snapshotOf: makeSnapshot,
    config: {
      TRUST_DNS_SERVERS: [...resolvers],
      TRUST_LISTS: [],
      TRUST_OWN_FEEDS: undefined,
      TRUST_DNSBL_ZONES: dnsbl.length > 0 ? [...dnsbl] : undefined,
      TRUST_NETWORK_FILES: networkFiles,
      TRUST_CT_URL: ctUrl,
      TRUST_WHOIS: true,
      TRUST_REDIRECTS: redirects,
    },
    network: {
      allow: ({ address, port }) => address === '127.0.0.1' && allowedPorts.includes(port),
      ...network,
    },
    chosen: lists,
    shippedNames,
    ...(now ? { now } : {}),
  })
  return {
    ...sources,
    database,
    evidence,
    lists: repository,
    sql: async (text, values) => (await opened.pool.query(text, values)).rows,
    ask: async (source, host, registrable = host) => (await sources.evidenceFor({ host, registrable })).sources[source],
    async close() {
      await sources.close()
      await opened.close()
      if (!shared) await database.drop()
    },
  }
}

/** A list as a test needs it: small, always due. */
export const aList = (list: Pick<List, 'name' | 'url' | 'format'> & Partial<List>): List => ({
  kind: 'threat',
  lineage: list.name,
  refreshSeconds: 3_600,
  minEntries: 1,
  maxBytes: 10_000_000,
  ...list,
})

/** The registries' list, from a server of the test. */
export const aBootstrap = (url: string): List => aList({ name: 'iana-rdap', kind: 'bootstrap', url, format: rdapBootstrap })
