/**
 * The largest request body, in bytes. The longest operation of a generated client that we know of
 * is 30 kB.
 */
export const MAX_BODY_BYTES = 100_000
