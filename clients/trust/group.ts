import type { Outcome } from './decision.ts'

/**
 * approved: go on. sandboxed: only under restrictions, or after a person said so. denied: leave it.
 * unverified: nobody knows, so hold it.
 */
export type Group = 'approved' | 'sandboxed' | 'denied' | 'unverified'

/** Where a source belongs. What is no host cannot be verified. */
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
