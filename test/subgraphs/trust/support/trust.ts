import { type ExecutionResult, graphql } from 'graphql'
import type { Kysely } from 'kysely'
import pino from 'pino'
import { expect } from 'vitest'
import { openDatabase } from '../../../../platform/database/database.ts'
import type { Subgraph } from '../../../../platform/graphql/subgraph.ts'
import type { Caller } from '../../../../platform/http/caller.ts'
import { engine } from '../../../../subgraphs/trust/assessment/engine.ts'
import type { EvidenceSubject, Sources } from '../../../../subgraphs/trust/assessment/sources.ts'
import { replay } from '../../../../subgraphs/trust/decision/replay.ts'
import { decisionRepository } from '../../../../subgraphs/trust/decision/repository.ts'
import type { Evidence, EvidenceBySource, Snapshot, Source } from '../../../../subgraphs/trust/evidence.ts'
import type { KeyRole, Plan } from '../../../../subgraphs/trust/key/key.ts'
import { keyRepository } from '../../../../subgraphs/trust/key/repository.ts'
import { newSecret } from '../../../../subgraphs/trust/key/secret.ts'
import type { CollectorOptions, TrustOptions } from '../../../../subgraphs/trust/parts.ts'
import { trustSubgraph } from '../../../../subgraphs/trust/subgraph.ts'
import type { Tables } from '../../../../subgraphs/trust/tables.ts'
import { type FreshDatabase, freshDatabase } from '../../../support/database.ts'

export const DAY = 86_400

/** A key that a test made, and a caller who presents it. */
export type TestKey = { readonly row: string; readonly secret: string; readonly caller: Caller }

export const ANONYMOUS: Caller = { requestId: 'test', address: '127.0.0.1', credentials: {} }

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
export type Data = any

export type Trust = {
  readonly subgraph: Subgraph
  readonly database: FreshDatabase
  readonly sources: FixedSources
  readonly sql: (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>
  readonly ask: (query: string, variables?: Record<string, unknown>, caller?: Caller) => Promise<{ data: Data; errors?: Data[] }>
  readonly aKey: (key?: { plan?: Plan; name?: string; role?: KeyRole }) => Promise<TestKey>
  /** Another copy of the subgraph on the same database. */
  readonly another: (options: Partial<Pick<TrustOptions, 'engine' | 'config' | 'secrets' | 'webhookNetwork'>>) => Trust['ask']
  readonly close: () => Promise<void>
}

/**
 * The real subgraph over a database of its own, whose decisions are all replayed in the end, with
 * fixed evidence in place of collectors unless some are given. `now` moves its clock.
 */
export async function startTrust(
  now: () => Date = () => new Date(),
  collectors: CollectorOptions | null = null,
  users?: TrustOptions['users'],
): Promise<Trust> {
  const database = await freshDatabase()
  const { connection } = database
  const { pool, query, close } = openDatabase<Tables>(connection, { schema: 'trust', max: 2, onError: () => {} })
  const log = pino({ level: process.env.TEST_LOG ?? 'silent' })
  const sources = fixedSources(now)
  const subgraph = await trustSubgraph({ connection, log, sources: collectors ?? sources, users, now })
  const keys = keyRepository(query)
  const others: Promise<Subgraph>[] = []

  return {
    subgraph,
    database,
    sources,
    sql: async (text, values) => (await pool.query(text, values)).rows,
    ask: askerOf(subgraph),
    async aKey({ plan = 'free', name = 'test', role = 'caller' } = {}) {
      const secret = newSecret()
      const { id } = await keys.create({ name, plan, role, secret, at: now() })
      return { row: id, secret: secret.text, caller: { ...ANONYMOUS, credentials: { 'x-api-key': secret.text } } }
    },
    another(options) {
      const other = trustSubgraph({ connection, log, sources, now, ...options })
      others.push(other)
      return async (...given) => askerOf(await other)(...given)
    },
    close: async () => {
      for (const each of [subgraph, ...others]) await (await each).close()
      expect(await changedByReplay(query)).toEqual([])
      await close()
      await database.drop()
    },
  }
}

/** Ids of decisions of which a replay makes something else: whatever a test has decided, none. */
async function changedByReplay(query: Kysely<Tables>): Promise<readonly string[]> {
  const decisions = decisionRepository(query)
  const made = await query.selectFrom('decision').select(['id', 'key_id']).execute()
  const changed: string[] = []
  for (const { id, key_id } of made) {
    const decision = await decisions.find(key_id, id)
    if (!decision || !replay(decision, engine).identical) changed.push(id)
  }
  return changed
}

const askerOf =
  (subgraph: Subgraph): Trust['ask'] =>
  async (source, variableValues = {}, caller = ANONYMOUS) => {
    const contextValue = subgraph.context(caller)
    const answer: ExecutionResult = await graphql({ schema: subgraph.schema, source, variableValues, contextValue })
    return JSON.parse(JSON.stringify(answer))
  }

export type FixedSources = Omit<Sources, 'redirects'> & {
  /** Follows redirects from now on; a test sets it. */
  redirects?: NonNullable<Sources['redirects']>
  /** Says what is found out about a host from now on; what is left out is not configured. */
  readonly setEvidence: (host: string, evidence: Partial<EvidenceOfHost>) => void
  /** Every host that was asked for, in order. */
  readonly requestedHosts: string[]
  readonly down: string[]
}

type EvidenceOfHost = { readonly [S in Source]: Partial<EvidenceBySource[S]> & Pick<EvidenceBySource[S], 'status'> }

/**
 * Sources that answer what a test has told them, as of now. A host that nobody told about has no
 * evidence.
 */
export function fixedSources(now: () => Date): FixedSources {
  const given = new Map<string, Partial<EvidenceOfHost>>()
  const requestedHosts: string[] = []
  const down: string[] = []
  const at = () => Math.floor(now().getTime() / 1000)
  return {
    requestedHosts,
    down,
    setEvidence: (host, evidence) => void given.set(host, evidence),
    evidenceFor: async ({ host }: EvidenceSubject): Promise<Snapshot> => {
      requestedHosts.push(host)
      return snapshotAbout(host, at(), given.get(host) ?? {})
    },
    status: async () => down.map((name) => ({ name, state: 'down' as const, reason: 'told so' })),
    close: async () => {},
  }
}

export function snapshotAbout(host: string, at: number, given: Partial<EvidenceOfHost>): Snapshot {
  const around = { subject: host, collectedAt: at, validUntil: at + DAY, version: null }
  const evidence = (Object.keys(given) as Source[]).map(
    (source) => ({ source, evidence: { ...around, ...given[source] } }) as Evidence,
  )
  return engine.snapshotOf(host, at, evidence)
}

/** What is found out about a well-known host. */
export const aGoodHost = (at = Math.floor(Date.now() / 1000)): Partial<EvidenceOfHost> => ({
  rdap: {
    status: 'ok',
    facts: {
      registeredAt: at - 20 * 365 * DAY,
      changedAt: null,
      transferredAt: null,
      expiresAt: at + 300 * DAY,
      statuses: ['client transfer prohibited', 'server delete prohibited', 'server transfer prohibited'],
      registrarIanaId: 292,
      registrarName: 'A registrar',
      nameservers: ['ns1.example.net', 'ns2.example.net'],
      delegationSigned: true,
    },
  },
  dns: {
    status: 'ok',
    facts: {
      a: ['93.184.216.34'],
      aaaa: [],
      ns: ['ns1.example.net', 'ns2.example.net'],
      mx: ['mail.example.net'],
      spf: 'v=spf1 -all',
      dmarc: 'v=DMARC1; p=reject',
      caa: ['0 issue "letsencrypt.org"'],
      cnames: [],
      dnssec: 'secure',
      wildcard: false,
      ttlSeconds: 3600,
      unanswered: [],
    },
  },
  tls: {
    status: 'ok',
    facts: {
      protocol: 'TLSv1.3',
      issuer: 'An authority',
      subject: 'host',
      names: ['host'],
      notBefore: at - 30 * DAY,
      notAfter: at + 60 * DAY,
      chainTrusted: true,
      selfSigned: false,
      nameMatches: true,
      validation: 'OV',
      fingerprint256: 'AA',
    },
  },
  ct: { status: 'ok', facts: { firstSeenAt: at - 10 * 365 * DAY, certificates: 100, issuers: ['An authority'] } },
  feeds: {
    status: 'ok',
    facts: {
      checked: [
        { feed: 'urlhaus', asOf: at, refreshAt: at + DAY },
        { feed: 'openphish', asOf: at, refreshAt: at + DAY },
      ],
      failed: [],
      hits: [],
    },
  },
  popularity: { status: 'ok', facts: { ranks: [{ list: 'tranco', listId: 'X', rank: 500 }] } },
})

/** A host that two feeds list. */
export const aBadHost = (at = Math.floor(Date.now() / 1000)): Partial<EvidenceOfHost> => {
  const hit = {
    category: 'phishing',
    scope: 'host',
    indicator: 'it',
    firstSeenAt: at - DAY,
    lastSeenAt: at,
    state: 'online',
    abusedLegitimate: false,
  } as const
  return {
    ...aGoodHost(at),
    rdap: {
      status: 'ok',
      facts: {
        registeredAt: at - 3 * DAY,
        changedAt: null,
        transferredAt: null,
        expiresAt: at + 300 * DAY,
        statuses: [],
        registrarIanaId: 1,
        registrarName: null,
        nameservers: [],
        delegationSigned: false,
      },
    },
    popularity: { status: 'ok', facts: { ranks: [] } },
    feeds: {
      status: 'ok',
      facts: {
        checked: [
          { feed: 'urlhaus', asOf: at, refreshAt: at + DAY },
          { feed: 'openphish', asOf: at, refreshAt: at + DAY },
        ],
        failed: [],
        hits: [
          { feed: 'urlhaus', lineage: 'urlhaus', ...hit },
          { feed: 'openphish', lineage: 'openphish', ...hit },
        ],
      },
    },
  }
}
