import type { RequestFault } from './input.ts'

/** 1 to 255 printable characters of ASCII, as Stripe's keys have. */
const KEY = /^[\x20-\x7e]{1,255}$/

/**
 * Reads the header `Idempotency-Key`; undefined when it is absent, or invalid and noted in
 * `faults`.
 */
export function readIdempotencyKey(header: string | string[] | undefined, faults: RequestFault[]): string | undefined {
  if (typeof header !== 'string') return undefined
  if (KEY.test(header)) return header
  faults.push({ field: 'Idempotency-Key', message: 'Expected `Idempotency-Key` to be 1 to 255 characters of ASCII.' })
  return undefined
}
