/**
 * The scales of an answer and the table between them. What moves along them is in `route.ts`, what
 * the steps weigh in `weights.ts`.
 */

/** What may be done at a target, from mild to strict. Clients know these five and no others. */
export const ACTIONS = ['proceed', 'proceed_with_caution', 'sandbox', 'escalate_to_human', 'deny'] as const
export type Action = (typeof ACTIONS)[number]

/** What callers choose between, from tolerant to strict. */
export const PROFILES = ['open', 'balanced', 'strict', 'critical'] as const
export type Profile = (typeof PROFILES)[number]

/** How much is at stake at a target. */
export const TIERS = ['low', 'medium', 'high', 'critical'] as const
export type Tier = (typeof TIERS)[number]

/**
 * A clear threat, B high anomaly, C high uncertainty, D conflicting signals, E safe known, F mixed.
 */
export const STATES = ['A', 'B', 'C', 'D', 'E', 'F'] as const
export type State = (typeof STATES)[number]

/**
 * Columns in the order of `PROFILES`. Each row grows stricter to the right; doubt is isolated
 * first, then shown to a person.
 */
export const MATRIX: Readonly<Record<State, readonly [Action, Action, Action, Action]>> = {
  A: ['deny', 'deny', 'deny', 'deny'],
  B: ['sandbox', 'sandbox', 'escalate_to_human', 'deny'],
  C: ['proceed_with_caution', 'sandbox', 'escalate_to_human', 'escalate_to_human'],
  D: ['proceed_with_caution', 'sandbox', 'escalate_to_human', 'escalate_to_human'],
  E: ['proceed', 'proceed', 'proceed', 'proceed_with_caution'],
  F: ['proceed_with_caution', 'proceed_with_caution', 'sandbox', 'escalate_to_human'],
}
