// Written by npm run db:generate from prisma/outbox: do not edit.
import type { ColumnType } from 'kysely'
export type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>
export type Timestamp = ColumnType<Date, Date | string, Date | string>

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
export type OutboxTables = {
  event: Event
  event_listener: EventListener
  event_position: EventPosition
  event_process: EventProcess
  event_topic: EventTopic
}
