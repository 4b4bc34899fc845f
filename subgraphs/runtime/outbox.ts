import type { Generated, Transaction } from 'kysely'

/** The tables that every subgraph with events has in its schema. */
export type OutboxTables = {
  event_topic: { name: string; last_number: string }
  event: { topic: string; number: string; payload: unknown; created_at: Generated<Date> }
  event_position: { process: string; topic: string; number: string; updated_at: Generated<Date> }
  event_listener: { id: string; process: string; topic: string; listener: string; created_at: Generated<Date> }
}

/** Something that happened. The same frozen object for everybody who listens to its topic in this process. */
export type OutboxEvent = {
  readonly topic: string
  /** Place within the topic: dense, in the order of commits. */
  readonly number: number
  readonly payload: Readonly<Record<string, unknown>>
  readonly createdAt: Date
}

/**
 * Writes an event into the transaction that causes it, so that it is sent if and only if that commits. The topic stays locked until
 * then: append last, and events of one topic are in the order of commits.
 */
export async function append(
  _transaction: Transaction<OutboxTables>,
  _topic: string,
  _payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  throw new Error('to be written')
}

/** Hands out events of the outbox to listeners in this process. */
export type EventFeed = {
  /**
   * Every event of `topic` that is committed after this resolves, once each and in order. `return()` takes effect at once. A listener
   * with a name that was cut off by the death of a process, at most a few minutes ago, goes on where that process stopped.
   * The iterator fails with SLOW_READER when its reader is too far behind.
   */
  readonly listen: (topic: string, listener: string | null) => Promise<AsyncIterableIterator<OutboxEvent>>
  /** Listeners now: for tests and metrics. */
  readonly listeners: () => number
  readonly close: () => Promise<void>
}
