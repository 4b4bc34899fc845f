import { type Kysely, sql } from 'kysely'
import { prepared } from '../../../platform/database/prepared-statements.ts'
import { batchWork } from '../../toolkit/batch-work.ts'
import type { ApiKey } from '../key/key.ts'
import { toEngineOverride } from '../override/override.ts'
import type { Override } from '../pipeline/request.ts'
import type { Action } from '../pipeline/stages.ts'
import type { Tables } from '../tables.ts'
import { fromUnixSeconds } from '../unix-time.ts'

/** What identifies a request: its hash and the subjects of possible overrides. */
export type DecideRequestKey = {
  /** SHA-256 of the canonical text of the request. */
  readonly hash: Buffer
  /** Every subject that an override for the request can have. */
  readonly subjects: readonly string[]
}

/** The API key of a caller with its stored data for the requests. */
export type CallerState = {
  readonly key: ApiKey
  /** Scans of this month; counted only for plans with a limit. */
  readonly scans: number
  /** Overrides of the requested subjects, expired ones included: the engine checks expiry. */
  readonly overrides: readonly Override[]
  /** The latest valid judgement per request, by the hexadecimal hash of the request. */
  readonly last: ReadonlyMap<string, LastJudgement>
}

/** A stored judgement, by its id, and its input. */
export type LastJudgement = { readonly id: string; readonly snapshotId: string }

type CallerStateQuery = {
  readonly secret: Buffer
  readonly requests: readonly DecideRequestKey[]
  readonly at: Date
  readonly policyVersion: string
}

/**
 * Reads the state of a caller: by the hash of a secret that is valid at `at`, null when there is
 * none; an answer of another version than `policyVersion` is not valid. Every decision starts with
 * this, so it is one statement, shared by concurrent calls.
 */
export const findCallerStates = (database: Kysely<Tables>): ((question: CallerStateQuery) => Promise<CallerState | null>) =>
  batchWork(
    async (questions: readonly CallerStateQuery[]) => {
      // A batch without a valid request still has a caller.
      const lines = questions.flatMap(({ secret, requests, at }, index) =>
        (requests.length === 0 ? [NO_REQUEST] : requests).map(({ hash, subjects }) => ({ index, secret, hash, subjects, at })),
      )
      const rows = await SELECT_CALLER_STATES(
        database,
        lines.map(({ index }) => index),
        lines.map(({ secret }) => secret),
        lines.map(({ hash }) => hash),
        // Names of hosts have no spaces.
        lines.map(({ subjects }) => subjects.join(' ')),
        lines.map(({ at }) => at),
      )
      const byIndex = Map.groupBy(rows, ({ index }) => index)
      return questions.map(({ policyVersion }, index) => {
        const own = byIndex.get(index) ?? []
        const [first] = own
        if (!first) return null
        return callerStateOf(first, own, policyVersion)
      })
    },
    // Hundreds at once begin to collect sooner for it, and wait for others anyway.
    { maxItems: 200 },
  )

/**
 * Reads the state of a key by its row, for its jobs: the same as for a caller, without a secret.
 */
export const findKeyState =
  (database: Kysely<Tables>) =>
  async (key: ApiKey, request: DecideRequestKey | null, at: Date, policyVersion: string): Promise<CallerState> => {
    const { hash, subjects } = request ?? NO_REQUEST
    const [row] = await SELECT_KEY_STATE(database, key.id, hash, subjects.join(' '), at)
    if (!row) throw new Error('Expected the key of a job to exist.')
    return callerStateOf(row, [row], policyVersion)
  }

/** The state of one caller in `rows`, of which `first` is one. */
function callerStateOf(first: Row, rows: readonly Row[], policyVersion: string): CallerState {
  const { id, name, plan, role, createdAt, scans } = first
  return {
    key: { id, name, plan, role, createdAt, revokedAt: null },
    scans,
    overrides: rows.flatMap(({ overrides }) => (overrides ?? []).map((each) => overrideOf(id, each))),
    last: new Map(
      rows.flatMap(({ hash, judgementId, snapshotId, policyVersion: version }) =>
        judgementId !== null && snapshotId !== null && version === policyVersion
          ? [[hash.toString('hex'), { id: judgementId, snapshotId }] as const]
          : [],
      ),
    ),
  }
}

const NO_REQUEST: DecideRequestKey = { hash: Buffer.alloc(0), subjects: [] }

type Row = Pick<ApiKey, 'id' | 'name' | 'plan' | 'role' | 'createdAt'> & {
  readonly index: number
  readonly hash: Buffer
  readonly scans: number
  readonly judgementId: string | null
  readonly snapshotId: string | null
  readonly policyVersion: string | null
  readonly overrides: readonly StoredOverride[] | null
}
type StoredOverride = {
  readonly subject: string
  readonly action: Action
  readonly reason: string
  readonly expiresAt: number | null
}

const overrideOf = (keyId: string, { expiresAt, ...override }: StoredOverride): Override =>
  toEngineOverride({ ...override, keyId, expiresAt: expiresAt === null ? null : fromUnixSeconds(expiresAt) })

const COLUMNS = sql.raw(`requests.index, requests.hash, api_key.id, api_key.name, api_key.plan, api_key.role,
  api_key.created_at AS "createdAt", coalesce(scan_count.scans, 0) AS scans, last.id AS "judgementId", last.snapshot_id AS "snapshotId",
  last.policy_version AS "policyVersion", own.overrides`)

/**
 * Of decisions the last one first, then whether it is valid: the other way round would read all
 * expired ones.
 */
const STATE_JOINS = sql.raw(`
  LEFT JOIN scan_count ON scan_count.key_id = api_key.id AND scan_count.month = date_trunc('month', requests.at AT TIME ZONE 'UTC')::date
  LEFT JOIN LATERAL (
    SELECT judgement.id, snapshot_id, policy_version, valid_until FROM (
      SELECT judgement_id FROM decision WHERE key_id = api_key.id AND request_hash = requests.hash ORDER BY created_at DESC LIMIT 1
    ) AS newest JOIN judgement ON judgement.id = newest.judgement_id
  ) AS last ON last.valid_until > requests.at
  LEFT JOIN LATERAL (
    SELECT json_agg(json_build_object('subject', subject, 'action', action, 'reason', reason,
      'expiresAt', extract(epoch FROM expires_at)::bigint)) AS overrides
    FROM override
    WHERE key_id = api_key.id AND subject = ANY (string_to_array(requests.subjects, ' '))
  ) AS own ON true`)

const SELECT_CALLER_STATES = prepared(
  (
    database: Kysely<Tables>,
    indexes: readonly number[],
    secrets: readonly Buffer[],
    hashes: readonly Buffer[],
    subjects: readonly string[],
    times: readonly Date[],
  ) =>
    sql<Row>`
      SELECT ${COLUMNS}
      FROM unnest(${indexes}::integer[], ${secrets}::bytea[], ${hashes}::bytea[], ${subjects}::text[], ${times}::timestamptz[])
        AS requests (index, secret, hash, subjects, at)
      JOIN api_key_secret AS secret ON secret.hash = requests.secret AND (secret.ends_at IS NULL OR secret.ends_at > requests.at)
      JOIN api_key ON api_key.id = secret.key_id AND api_key.revoked_at IS NULL
      ${STATE_JOINS}`.compile(database),
)

const SELECT_KEY_STATE = prepared((database: Kysely<Tables>, keyId: string, hash: Buffer, subjects: string, at: Date) =>
  sql<Row>`
    SELECT ${COLUMNS}
    FROM (SELECT 0 AS index, ${hash}::bytea AS hash, ${subjects}::text AS subjects, ${at}::timestamptz AS at) AS requests
    JOIN api_key ON api_key.id = ${keyId}::bigint
    ${STATE_JOINS}`.compile(database),
)
