import type { EvidenceRating, Usability } from '../evidence/rate.ts'
import type { ContentRisk } from '../evidence/risk.ts'
import type { Group } from '../trust/group.ts'

/** cite: may be quoted as evidence. context: may be read but not quoted. none: must not be used. */
export type Use = 'cite' | 'context' | 'none'

/** `local`: a file of the caller, which needs no trust decision. */
export type Standing = Group | 'local'

const USES: Readonly<Record<Standing, Readonly<Record<Usability, Use>>>> = {
  local: { high: 'cite', medium: 'context', low: 'none', none: 'none' },
  approved: { high: 'cite', medium: 'context', low: 'none', none: 'none' },
  // Sandboxed sources may point to other sources, but are no evidence.
  sandboxed: { high: 'context', medium: 'context', low: 'none', none: 'none' },
  denied: { high: 'none', medium: 'none', low: 'none', none: 'none' },
  unverified: { high: 'none', medium: 'none', low: 'none', none: 'none' },
}

/**
 * Permitted use by trust (`standing`), by quality of the extracted text (`rating`), and by the risk of
 * its content: a text that gives orders to models is no evidence, whoever publishes it, and neither is
 * one that was not examined to its end.
 */
export function useOf(
  standing: Standing,
  rating: EvidenceRating,
  { level, unexamined }: Pick<ContentRisk, 'level' | 'unexamined'>,
): Use {
  const use = USES[standing][rating.usability]
  return use === 'cite' && (level === 'high' || unexamined > 0) ? 'context' : use
}
