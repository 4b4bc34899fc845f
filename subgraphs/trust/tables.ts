// Written by npm run db:generate from prisma/trust: do not edit.
import type { ColumnType, GeneratedAlways } from 'kysely'
export type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>
export type Timestamp = ColumnType<Date, Date | string, Date | string>

export type ApiKey = {
  id: GeneratedAlways<string>
  /**
   * Chosen by its owner.
   */
  name: string
  /**
   * @kyselyType('free' | 'unlimited')
   */
  plan: 'free' | 'unlimited'
  created_at: Date
  /**
   * Refused from then on; null: in use.
   */
  revoked_at: Date | null
  /**
   * operator: it may also change the lists of the operator.
   * @kyselyType('caller' | 'operator')
   */
  role: Generated<'caller' | 'operator'>
  /**
   * Opaque id of the user who made it; null: an operator did.
   */
  owner_id: string | null
}
export type ApiKeySecret = {
  /**
   * SHA-256 of the secret, which is 256 random bits.
   */
  hash: Buffer
  key_id: string
  /**
   * Its first characters, so that people can tell secrets apart.
   */
  hint: string
  created_at: Date
  /**
   * Null: as long as the key.
   */
  ends_at: Date | null
}
export type Decision = {
  /**
   * `dec_` and a random UUID (RFC 9562, version 4) without hyphens: 122 random bits.
   */
  id: string
  key_id: string
  created_at: Date
  /**
   * SHA-256 of the judgement's request: finds repetitions.
   */
  request_hash: Buffer
  judgement_id: string
  /**
   * From request to decision.
   */
  elapsed_ms: number
}
export type DecisionJob = {
  id: GeneratedAlways<string>
  key_id: string
  /**
   * Chosen by the caller; null: none.
   */
  idempotency_key: string | null
  /**
   * SHA-256 of the inputs that came with the idempotency key; null without one, and in jobs of earlier versions.
   */
  request_hash: Buffer | null
  /**
   * @kyselyType('running' | 'completed' | 'canceled')
   */
  status: 'running' | 'completed' | 'canceled'
  targets: number
  decided: Generated<number>
  invalid: Generated<number>
  /**
   * Targets without a scan.
   */
  exceeded: Generated<number>
  /**
   * Targets that were given up.
   */
  failed: Generated<number>
  created_at: Date
  /**
   * When its first target was taken; null: not yet.
   */
  started_at: Date | null
  /**
   * Null: it runs.
   */
  finished_at: Date | null
  /**
   * When targets of it were taken last, by the clock of the database: jobs take turns.
   */
  taken_at: Generated<Date>
}
export type DecisionJobTarget = {
  job_id: string
  /**
   * Among the inputs, from 0.
   */
  position: number
  /**
   * As it was sent; without path and query once it is decided.
   */
  target: string
  /**
   * Type DecisionInput of subgraphs/trust/decision/decision.ts as JSON; null once it is finished.
   */
  input: string | null
  /**
   * @kyselyType('waiting' | 'decided' | 'invalid' | 'exceeded' | 'failed')
   */
  status: 'waiting' | 'decided' | 'invalid' | 'exceeded' | 'failed'
  /**
   * Null unless it is decided, and once the decision is deleted.
   */
  decision_id: string | null
  /**
   * Faults of an invalid target as JSON, [{field, code, message}]; null elsewhere.
   */
  faults: string | null
  attempts: Generated<number>
  /**
   * When it is taken next, unless another process does; moved first. Null: it is finished.
   */
  due_at: Date | null
}
export type DecisionReport = {
  id: GeneratedAlways<string>
  key_id: string
  /**
   * One report of a decision; it is deleted with it.
   */
  decision_id: string
  /**
   * @kyselyType('false_positive' | 'false_negative')
   */
  kind: 'false_positive' | 'false_negative'
  /**
   * Milder than `action` in a false positive, stricter in a false negative; null: not said.
   * @kyselyType('proceed' | 'proceed_with_caution' | 'sandbox' | 'escalate_to_human' | 'deny')
   */
  expected_action: 'proceed' | 'proceed_with_caution' | 'sandbox' | 'escalate_to_human' | 'deny' | null
  /**
   * Of the key's owner, for the operator; of URLs without what stands behind the host.
   */
  text: string
  host: string
  /**
   * Names of the feeds that list the target, each once.
   */
  feeds: Generated<string[]>
  /**
   * Beside `feeds`, in its order: the subject that each one lists, '' where it is unknown; empty in older reports.
   */
  feed_subjects: Generated<string[]>
  /**
   * @kyselyType('proceed' | 'proceed_with_caution' | 'sandbox' | 'escalate_to_human' | 'deny')
   */
  action: 'proceed' | 'proceed_with_caution' | 'sandbox' | 'escalate_to_human' | 'deny'
  /**
   * @kyselyType('open' | 'accepted' | 'rejected')
   */
  status: Generated<'open' | 'accepted' | 'rejected'>
  /**
   * Of the operator; null while it is open, as the next two.
   */
  answer: string | null
  resolved_at: Date | null
  /**
   * Name of the operator's key, or of the program.
   */
  resolved_by: string | null
  created_at: Date
}
export type Event = {
  topic: string
  /**
   * Position in the topic, from 1.
   */
  number: string
  payload: unknown
  created_at: Generated<Date>
}
export type EventListener = {
  id: string
  process: string
  topic: string
  /**
   * Name of the listener's session.
   */
  listener: string
  /**
   * Last event delivered to this listener; null: as far as its process.
   */
  number: string | null
}
export type EventPosition = {
  process: string
  topic: string
  /**
   * Number of the last event delivered.
   */
  number: string
}
export type EventProcess = {
  id: string
  /**
   * Last heartbeat.
   */
  seen_at: Date
}
export type EventTopic = {
  name: string
  /**
   * Number of the newest event; 0 before the first.
   */
  last_number: string
}
export type Evidence = {
  /**
   * Name of the collector.
   */
  source: string
  /**
   * A host, or its registrable domain for sources that work per domain.
   */
  subject: string
  /**
   * Type of subgraphs/trust/evidence.ts.
   */
  body: unknown
  collected_at: Date
  valid_until: Date
}
export type FeedListing = {
  feed: string
  /**
   * `host NAME`, `domain NAME` or `url HASH` (subgraphs/trust/url-key.ts).
   */
  subject: string
  /**
   * The target's host when it was met first: what lists are searched for later.
   */
  host: string
  first_hit_at: Date
  last_hit_at: Date
  /**
   * Null: not known yet.
   * @kyselyType('confirmed_by_report' | 'confirmed_by_feed' | 'refuted_by_report' | 'refuted_by_removal' | 'expired' | 'unconfirmed')
   */
  assessment:
    | 'confirmed_by_report'
    | 'confirmed_by_feed'
    | 'refuted_by_report'
    | 'refuted_by_removal'
    | 'expired'
    | 'unconfirmed'
    | null
  /**
   * When the assessment became known; null without one.
   */
  assessed_at: Date | null
}
export type FeedUsage = {
  feed: string
  hits: Generated<string>
  last_hit_at: Date
}
export type Judgement = {
  /**
   * SHA-256 of request, snapshot, policy and result, in hexadecimal.
   */
  id: string
  /**
   * The request with its normalised target.
   */
  request: string
  snapshot_id: string
  policy_version: string
  /**
   * The caller's override at that time; null without one.
   */
  override: string | null
  /**
   * The decision in canonical JSON (RFC 8785).
   */
  body: string
  valid_until: Date
}
export type List = {
  name: string
  /**
   * Edition whose entries are in use; null: none loaded.
   */
  edition: string | null
  /**
   * SHA-256 of the bytes, in hexadecimal.
   */
  version: string | null
  /**
   * Number of entries of the edition.
   */
  entries: Generated<number>
  /**
   * ETag of the copy in use.
   */
  etag: string | null
  /**
   * Time of the copy, as its publisher states it.
   */
  as_of: Date | null
  /**
   * When the server last confirmed that the copy is its newest.
   */
  fetched_at: Date | null
  /**
   * No download before then; moved first, so that one of several processes downloads.
   */
  next_attempt_at: Generated<Date>
  /**
   * Why the last attempt failed; null: it succeeded.
   */
  fault: string | null
}
export type ListEntry = {
  list: string
  edition: string
  /**
   * A host, address, domain or top-level domain.
   */
  key: string
  /**
   * host, domain (with all its hosts) or url.
   */
  scope: string
  category: string | null
  /**
   * As the list states it.
   */
  indicator: string | null
  first_seen_at: Date | null
  last_seen_at: Date | null
  state: string | null
  /**
   * Position in a popularity list, from 1.
   */
  rank: number | null
  /**
   * Hash of a listed URL (subgraphs/trust/url-key.ts); null for hosts, domains and ranks.
   */
  url_key: string | null
  /**
   * Hash of the user that a listed URL belongs to, on hosts shared by path; null elsewhere.
   */
  tenant_key: string | null
  /**
   * Only makes the row unique.
   */
  id: Generated<string>
}
export type OperatorListEntry = {
  id: GeneratedAlways<string>
  /**
   * @kyselyType('block' | 'allow' | 'brand')
   */
  list: 'block' | 'allow' | 'brand'
  /**
   * @kyselyType('domain' | 'host' | 'url' | 'prefix')
   */
  scope: 'domain' | 'host' | 'url' | 'prefix'
  /**
   * What is looked up: a name or an address; for url and prefix the hash of subgraphs/trust/url-key.ts.
   */
  key: string
  host: string
  /**
   * As the operator wrote it.
   */
  target: string
  reason: string
  /**
   * Name of the operator's key, or of the program.
   */
  created_by: string
  created_at: Date
  /**
   * Null: until it is removed. Whole seconds.
   */
  expires_at: Date | null
  /**
   * Decisions that it has applied to, written some seconds later.
   */
  hits: Generated<string>
  last_hit_at: Date | null
}
export type Override = {
  id: GeneratedAlways<string>
  key_id: string
  /**
   * A host, the tenant of a shared suffix, or a registrable domain.
   */
  subject: string
  /**
   * @kyselyType('proceed' | 'proceed_with_caution' | 'sandbox' | 'escalate_to_human' | 'deny')
   */
  action: 'proceed' | 'proceed_with_caution' | 'sandbox' | 'escalate_to_human' | 'deny'
  reason: string
  /**
   * Null: until it is deleted. Whole seconds.
   */
  expires_at: Date | null
  created_at: Date
  updated_at: Date
}
export type ScanCount = {
  key_id: string
  /**
   * Its first day, in UTC.
   * @kyselyType(string)
   */
  month: string
  scans: number
  /**
   * Scans that the last statement counted: before PostgreSQL 18, RETURNING cannot read old values.
   */
  taken: number
}
export type Snapshot = {
  /**
   * SHA-256 of the canonical JSON of the rest, in hexadecimal.
   */
  id: string
  host: string
  /**
   * Text, not jsonb: it is read back byte by byte.
   */
  body: string
  collected_at: Date
  /**
   * When the first of its sources expires.
   */
  valid_until: Date
}
export type VerdictChange = {
  id: GeneratedAlways<string>
  watch_id: string
  changed_at: Date
  /**
   * @kyselyType('proceed' | 'proceed_with_caution' | 'sandbox' | 'escalate_to_human' | 'deny')
   */
  action: 'proceed' | 'proceed_with_caution' | 'sandbox' | 'escalate_to_human' | 'deny'
  /**
   * Of subgraphs/trust/pipeline/stages.ts; null when the form of the target decided.
   * @kyselyType('A' | 'B' | 'C' | 'D' | 'E' | 'F')
   */
  state: 'A' | 'B' | 'C' | 'D' | 'E' | 'F' | null
  trust_score: number
  threat_score: number
  deviation_score: number
  reason_codes: string[]
  /**
   * Null: the first assessment; as the next one, or a state that is null.
   * @kyselyType('proceed' | 'proceed_with_caution' | 'sandbox' | 'escalate_to_human' | 'deny')
   */
  previous_action: 'proceed' | 'proceed_with_caution' | 'sandbox' | 'escalate_to_human' | 'deny' | null
  /**
   * @kyselyType('A' | 'B' | 'C' | 'D' | 'E' | 'F')
   */
  previous_state: 'A' | 'B' | 'C' | 'D' | 'E' | 'F' | null
  /**
   * State of its webhook; null: none is sent.
   * @kyselyType('waiting' | 'delivered' | 'failed')
   */
  webhook: 'waiting' | 'delivered' | 'failed' | null
  attempts: Generated<number>
  /**
   * When it is sent next, unless another process does; moved first. Null: never.
   */
  due_at: Date | null
  /**
   * Why the last attempt failed; null: it did not.
   */
  error: string | null
}
export type WatchedDomain = {
  id: GeneratedAlways<string>
  key_id: string
  domain: string
  /**
   * Null: changes are not sent.
   */
  webhook_url: string | null
  /**
   * What signs webhooks, encrypted; null without a URL.
   */
  secret: string | null
  created_at: Date
  /**
   * Null: not yet.
   */
  checked_at: Date | null
  /**
   * No assessment before then; moved first, so that one of several processes makes it.
   */
  next_check_at: Date
  /**
   * Assessments in a row that lacked the answer of a source.
   */
  incomplete: Generated<number>
}
export type Tables = {
  api_key: ApiKey
  api_key_secret: ApiKeySecret
  decision: Decision
  decision_job: DecisionJob
  decision_job_target: DecisionJobTarget
  decision_report: DecisionReport
  event: Event
  event_listener: EventListener
  event_position: EventPosition
  event_process: EventProcess
  event_topic: EventTopic
  evidence: Evidence
  feed_listing: FeedListing
  feed_usage: FeedUsage
  judgement: Judgement
  list: List
  list_entry: ListEntry
  operator_list_entry: OperatorListEntry
  override: Override
  scan_count: ScanCount
  snapshot: Snapshot
  verdict_change: VerdictChange
  watched_domain: WatchedDomain
}
