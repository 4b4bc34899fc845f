/**
 * Assumption about sources without an answer: `nothing`, or the best possible answer of each. A
 * denial must hold under both, so that a missing source never causes one.
 */
export type Assumption = 'nothing' | 'best'
