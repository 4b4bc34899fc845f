/** An operation without its literals, and what it uses of the schema. */
export type UsageOperation = {
  /** First half of the SHA-256 of its signature, in hexadecimal; `other` for what exceeds a bound. */
  readonly hash: string
  /** Null: it has none. */
  readonly name: string | null
  readonly kind: 'query' | 'mutation' | 'subscription' | 'other'
  /** The text; null where it is too long. */
  readonly signature: string | null
  /**
   * Schema coordinates, sorted: `Type.field`, `Type.field(arg:)`, `Input.field`, `Enum.VALUE`,
   * `@directive`; `Type` where objects of the type or values of the enum may be in the response;
   * `Type.*` where a variable may have every field of an input type or every value of an enum; `*`
   * where they could not be determined.
   */
  readonly coordinates: readonly string[]
}

/** Requests of one client with one operation on one day. */
export type UsageCount = {
  /** UTC, such as `2026-11-25`. */
  readonly day: string
  /** Hash of the operation. */
  readonly operation: string
  /** As the client names itself; empty: it does not. */
  readonly clientName: string
  readonly clientVersion: string
  readonly requests: number
  /** Requests whose response had errors. */
  readonly errors: number
  /** Sum over all requests. */
  readonly milliseconds: number
  /** ISO 8601. */
  readonly lastSeenAt: string
}

/** What a process counted between two reports. Counts of several batches add up. */
export type UsageBatch = {
  /** A UUID. A batch is sent again with the same one where it is unknown whether it arrived. */
  readonly id: string
  /** The operations that `counts` name. */
  readonly operations: readonly UsageOperation[]
  readonly counts: readonly UsageCount[]
}

/** Takes batches. */
export type UsageSink = {
  /** Rejects for a batch that is to be sent again, later. */
  readonly record: (batch: UsageBatch) => Promise<void>
  readonly close?: () => Promise<void>
}
