import { type Quota, quotaExceeded, secondsUntil } from '../../toolkit/quota.ts'

/** What one user may write. */
export type WriteQuotas = { readonly writes: Quota; readonly bytes: Quota }

/** How much a user may still write. */
export type WriteAllowance = { readonly remainingWrites: number; readonly remainingBytes: number }

/** What one change takes out of the quotas. */
export type WriteCost = { readonly writes: number; readonly bytes: number }

export const writeQuotas = (writesPerMinute: number, bytesPerDay: number): WriteQuotas => ({
  writes: { limit: writesPerMinute, seconds: 60 },
  bytes: { limit: bytesPerDay, seconds: 24 * 60 * 60 },
})

/** The quotas of an installation that sets none: those of `variables.ts`. */
export const DEFAULT_WRITE_QUOTAS = writeQuotas(120, 10_000_000)

/** One write of these texts. */
export const costOf = (...texts: readonly (string | null | undefined)[]): WriteCost => ({
  writes: 1,
  bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0),
})

/** What a refused write is answered: the quota that takes longest to have enough. */
export function exceeded({ writes, bytes }: WriteQuotas, { remainingWrites, remainingBytes }: WriteAllowance, cost: WriteCost) {
  const isShortOfBytes = remainingBytes < cost.bytes
  return isShortOfBytes
    ? quotaExceeded('bytesPerDay', 'bytes of text a day', bytes, secondsUntil(bytes, remainingBytes, cost.bytes))
    : quotaExceeded('writesPerMinute', 'writes a minute', writes, secondsUntil(writes, remainingWrites, cost.writes))
}
