/**
 * Destination of an order, or the address that it is billed to. Codes as the store's countries list them, without their parents: `{
 * country: 'CL', region: '03', municipality: '8261495' }`. Null: unknown.
 */
export type OrderDestination = {
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null
  /** FIPS code. */
  readonly region: string | null
  readonly municipality: string | null
  readonly postal: string | null
}

/**
 * The last part of a code, in capitals, as callers write both `03` and `CL_03`. Null stays null.
 */
export const lastPart = (code: string | null): string | null => code?.toUpperCase().split('_').at(-1)?.trim() ?? null

/** Whether two codes of one level name the same, in either spelling. */
export const isSameCode = (one: string | null, other: string | null): boolean => one !== null && lastPart(one) === lastPart(other)
