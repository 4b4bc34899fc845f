import { type Kysely, sql } from 'kysely'
import { prepared } from '../../../platform/database/prepared-statements.ts'
import { batchWork } from '../../toolkit/batch-work.ts'
import type { ApiKey } from '../key/key.ts'
import { wantedOf } from '../override/override.ts'
import type { Override } from '../pipeline/request.ts'
import type { Action } from '../pipeline/stages.ts'
import type { Tables } from '../tables.ts'
import { timeOf } from '../words.ts'

/** A request whose answer depends on who asks. */
export type Asked = {
  /** Of the canonical text of the request. */
  readonly hash: Buffer
  /** Every name that an override for it can have. */
  readonly subjects: readonly string[]
}

/** Who asks, and what there is of theirs to answer with. */
export type Asker = {
  readonly key: ApiKey
  /** Decisions of the month, of a key whose plan has a limit. */
  readonly scans: number
  /** What the key has decided itself about the subjects asked for, also what has ended: the engine knows. */
  readonly overrides: readonly Override[]
  /** What the key was told last, where that is valid, by the request's hash in hexadecimal. */
  readonly last: ReadonlyMap<string, LastJudgement>
}

/** A judgement that is stored, by its id, and what it was made from. */
export type LastJudgement = { readonly id: string; readonly snapshotId: string }

type Question = { readonly secret: Buffer; readonly asked: readonly Asked[]; readonly at: Date; readonly policyVersion: string }

/**
 * Finds who asks: by the hash of a secret that is good at `at`, null when there is none; an answer of another version than `policyVersion` is not valid.
 * Every decision begins with this, so it is one statement, and those that come at once share it.
 */
export const askers = (database: Kysely<Tables>): ((question: Question) => Promise<Asker | null>) =>
  batchWork(
    async (questions: readonly Question[]) => {
      // A question without a valid request is still asked by somebody.
      const lines = questions.flatMap(({ secret, asked, at }, place) =>
        (asked.length === 0 ? [NOTHING] : asked).map(({ hash, subjects }) => ({ place, secret, hash, subjects, at })),
      )
      const rows = await ASKERS(
        database,
        lines.map(({ place }) => place),
        lines.map(({ secret }) => secret),
        lines.map(({ hash }) => hash),
        // Names of hosts have no spaces.
        lines.map(({ subjects }) => subjects.join(' ')),
        lines.map(({ at }) => at),
      )
      const byPlace = Map.groupBy(rows, ({ place }) => place)
      return questions.map(({ policyVersion }, place) => {
        const own = byPlace.get(place) ?? []
        const [first] = own
        if (!first) return null
        const { id, name, plan, createdAt, scans } = first
        return {
          key: { id, name, plan, createdAt, revokedAt: null },
          scans,
          overrides: own.flatMap(({ overrides }) => (overrides ?? []).map((each) => overrideOf(id, each))),
          last: new Map(
            own.flatMap(({ hash, judgementId, snapshotId, policyVersion: version }) =>
              judgementId !== null && snapshotId !== null && version === policyVersion
                ? [[hash.toString('hex'), { id: judgementId, snapshotId }] as const]
                : [],
            ),
          ),
        }
      })
    },
    // Hundreds at once begin to collect sooner for it, and wait for others anyway.
    { most: 200 },
  )

const NOTHING: Asked = { hash: Buffer.alloc(0), subjects: [] }

type Row = Pick<ApiKey, 'id' | 'name' | 'plan' | 'createdAt'> & {
  readonly place: number
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
  wantedOf({ ...override, keyId, expiresAt: expiresAt === null ? null : timeOf(expiresAt) })

/** Of decisions the last one first, then whether it is valid: the other way round would read all that have ended. */
const ASKERS = prepared(
  (
    database: Kysely<Tables>,
    places: readonly number[],
    secrets: readonly Buffer[],
    hashes: readonly Buffer[],
    subjects: readonly string[],
    times: readonly Date[],
  ) =>
    sql<Row>`
      SELECT asked.place, asked.hash, api_key.id, api_key.name, api_key.plan, api_key.created_at AS "createdAt",
        coalesce(scan_count.scans, 0) AS scans, last.id AS "judgementId", last.snapshot_id AS "snapshotId",
        last.policy_version AS "policyVersion", own.overrides
      FROM unnest(${places}::integer[], ${secrets}::bytea[], ${hashes}::bytea[], ${subjects}::text[], ${times}::timestamptz[])
        AS asked (place, secret, hash, subjects, at)
      JOIN api_key_secret AS secret ON secret.hash = asked.secret AND (secret.ends_at IS NULL OR secret.ends_at > asked.at)
      JOIN api_key ON api_key.id = secret.key_id AND api_key.revoked_at IS NULL
      LEFT JOIN scan_count ON scan_count.key_id = api_key.id AND scan_count.month = date_trunc('month', asked.at AT TIME ZONE 'UTC')::date
      LEFT JOIN LATERAL (
        SELECT judgement.id, snapshot_id, policy_version, valid_until FROM (
          SELECT judgement_id FROM decision WHERE key_id = api_key.id AND request_hash = asked.hash ORDER BY created_at DESC LIMIT 1
        ) AS newest JOIN judgement ON judgement.id = newest.judgement_id
      ) AS last ON last.valid_until > asked.at
      LEFT JOIN LATERAL (
        SELECT json_agg(json_build_object('subject', subject, 'action', action, 'reason', reason,
          'expiresAt', extract(epoch FROM expires_at)::bigint)) AS overrides
        FROM override
        WHERE key_id = api_key.id AND subject = ANY (string_to_array(asked.subjects, ' '))
      ) AS own ON true`.compile(database),
)
