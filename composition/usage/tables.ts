// Written by npm run db:generate from prisma/gateway: do not edit.
import type { ColumnType } from 'kysely'
export type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>
export type Timestamp = ColumnType<Date, Date | string, Date | string>

export type UsageBatch = {
  id: string
  recorded_at: Generated<Date>
}
export type UsageCount = {
  day: Date
  operation: string
  /**
   * As the client names itself; empty: it does not.
   */
  client_name: string
  client_version: string
  requests: string
  /**
   * Requests whose response had errors.
   */
  errors: string
  /**
   * Sum over all requests.
   */
  milliseconds: number
  last_seen_at: Date
}
export type UsageOperation = {
  /**
   * First half of the SHA-256 of its signature; "other:" and a day for what exceeds a bound.
   */
  hash: string
  /**
   * Null: it has none.
   */
  name: string | null
  kind: string
  /**
   * The text; null where it is too long to be stored.
   */
  signature: string | null
  /**
   * Schema coordinates; `Type.*` where every field or value of a type may be used.
   */
  coordinates: string[]
  first_day: Date
  last_day: Date
}
export type UsageTables = {
  usage_batch: UsageBatch
  usage_count: UsageCount
  usage_operation: UsageOperation
}
