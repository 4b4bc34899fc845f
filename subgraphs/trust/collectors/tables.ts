import type { Generated } from 'kysely'

/** The tables of the schema `trust` that collectors use, as the migrations make them. */
export type CollectorTables = {
  evidence: { source: string; subject: string; body: unknown; collected_at: Date; valid_until: Date }
  snapshot: { id: string; host: string; body: string; collected_at: Date; valid_until: Date }
  list: {
    name: string
    edition: string | null
    version: string | null
    entries: Generated<number>
    etag: string | null
    as_of: Date | null
    fetched_at: Date | null
    next_attempt_at: Generated<Date>
    fault: string | null
  }
  list_entry: {
    list: string
    edition: string
    key: string
    scope: string
    category: string | null
    indicator: string | null
    first_seen_at: Date | null
    last_seen_at: Date | null
    state: string | null
    rank: number | null
    url_key: string | null
    tenant_key: string | null
  }
}
