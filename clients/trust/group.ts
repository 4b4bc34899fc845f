import type { Outcome } from './decision.ts'

/**
 * approved: use it. sandboxed: use it with restrictions or after human review. denied: do not use
 * it. unverified: no decision, so hold it.
 */
export type Group = 'approved' | 'sandboxed' | 'denied' | 'unverified'

/** Group of an outcome. An invalid target is unverified. */
export function groupOf(outcome: Outcome): Group {
  if (outcome.kind !== 'decided') return 'unverified'
  switch (outcome.decision.action) {
    case 'proceed':
    case 'proceed_with_caution':
      return 'approved'
    case 'sandbox':
    case 'escalate_to_human':
      return 'sandboxed'
    case 'deny':
      return 'denied'
  }
}
