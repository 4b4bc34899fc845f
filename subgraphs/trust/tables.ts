import type { GeneratedAlways } from 'kysely'
import type { CollectorTables } from './collectors/tables.ts'
import type { Plan } from './key/key.ts'
import type { Action } from './pipeline/stages.ts'

/** The tables of the schema `trust`, as the migrations make them. */
export type Tables = CollectorTables & {
  api_key: { id: GeneratedAlways<string>; name: string; plan: Plan; created_at: Date; revoked_at: Date | null }
  api_key_secret: { hash: Buffer; key_id: string; hint: string; created_at: Date; ends_at: Date | null }
  /** `month` as text: pg would read a date in the time zone of this machine. */
  scan_count: { key_id: string; month: string; scans: number; taken: number }
  override: {
    id: GeneratedAlways<string>
    key_id: string
    subject: string
    action: Action
    reason: string
    expires_at: Date | null
    created_at: Date
    updated_at: Date
  }
  decision: { id: string; key_id: string; created_at: Date; request_hash: Buffer; judgement_id: string; elapsed_ms: number }
  judgement: {
    id: string
    request: string
    snapshot_id: string
    policy_version: string
    override: string | null
    body: string
    valid_until: Date
  }
}
