/** An operation without literals, and its schema coordinates. */
export type UsageOperation = {
  /**
   * First half of the signature's SHA-256, in hexadecimal; `other` for operations above a bound.
   */
  readonly hash: string
  /** Null: an anonymous operation. */
  readonly name: string | null
  readonly kind: 'query' | 'mutation' | 'subscription' | 'other'
  /** Text of the operation; null when it is too long. */
  readonly signature: string | null
  /**
   * Schema coordinates, sorted: `Type.field`, `Type.field(arg:)`, `Input.field`, `Enum.VALUE`,
   * `@directive`; `Type` where objects of the type or values of the enum may be in the response, or
   * a variable may have a value of the custom scalar; `Type.*` where a variable may have every
   * field of an input type or every value of an enum; `*` where they could not be determined.
   */
  readonly coordinates: readonly string[]
}

/** Requests of one client with one operation on one day. */
export type UsageCount = {
  /** Day in UTC, such as `2026-11-25`. */
  readonly day: string
  /** Hash of the operation. */
  readonly operation: string
  /** Name that the client sends; '' without one. */
  readonly clientName: string
  readonly clientVersion: string
  readonly requests: number
  /** Requests whose response had errors. */
  readonly errors: number
  /** Total duration of all requests. */
  readonly milliseconds: number
  /** ISO 8601. */
  readonly lastSeenAt: string
}

/** Counts of a process between two reports. Counts of several batches add up. */
export type UsageBatch = {
  /** UUID; the same when a batch is sent again because its delivery is uncertain. */
  readonly id: string
  /** Operations in `counts`. */
  readonly operations: readonly UsageOperation[]
  readonly counts: readonly UsageCount[]
}

/** Destination of batches. */
export type UsageSink = {
  /** Rejects when the batch must be sent again later. */
  readonly record: (batch: UsageBatch) => Promise<void>
  readonly close?: () => Promise<void>
}
