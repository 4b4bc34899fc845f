/**
 * Largest share of its records that a source may lose in one run. Registries lose a few in a
 * thousand a day; a source that broke loses most of them.
 */
const MAX_LOST_SHARE = 0.2
/** Fewer lost records are no drop: small sources are rearranged by hand. */
const MIN_LOST = 10

/** A run that nobody watches would have removed too much; nothing was changed. */
export class DropRefused extends Error {
  override readonly name = 'DropRefused'
  constructor(lost: number, stored: number) {
    super(`${lost} of its ${stored} records are gone, which is more than one run may remove.`)
  }
}

/** Whether a source lost too much: a large share of it, or all. */
export const isDrop = (lost: number, stored: number): boolean =>
  lost > 0 && (lost === stored || (lost >= MIN_LOST && lost > stored * MAX_LOST_SHARE))
