import type { EvidenceRating, Usability } from '../evidence/rate.ts'
import type { Group } from '../trust/group.ts'

/** cite: may be quoted as evidence. context: may be read, not quoted. none: is not used. */
export type Use = 'cite' | 'context' | 'none'

/** `local`: a file of the caller's, which needs no decision. */
export type Standing = Group | 'local'

const USES: Readonly<Record<Standing, Readonly<Record<Usability, Use>>>> = {
  local: { high: 'cite', medium: 'context', low: 'none', none: 'none' },
  approved: { high: 'cite', medium: 'context', low: 'none', none: 'none' },
  // Under restrictions: it may tell where to look, and proves nothing.
  sandboxed: { high: 'context', medium: 'context', low: 'none', none: 'none' },
  denied: { high: 'none', medium: 'none', low: 'none', none: 'none' },
  unverified: { high: 'none', medium: 'none', low: 'none', none: 'none' },
}

/**
 * What a source is good for, once both questions are answered: may it be trusted, and what was
 * captured of it.
 */
export const useOf = (standing: Standing, rating: EvidenceRating): Use => USES[standing][rating.usability]
