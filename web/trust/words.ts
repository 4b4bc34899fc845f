import type { PolicyProfile, RecommendedAction, TargetState, UncertaintyLevel } from '#generated/operations.ts'

type ActionWords = { readonly short: string; readonly sentence: string; readonly tone: 'good' | 'fair' | 'doubt' | 'bad' }

/** What to do, for people. */
export const ACTIONS: Readonly<Record<RecommendedAction, ActionWords>> = {
  PROCEED: { short: 'Proceed', sentence: 'Nothing speaks against it, and enough speaks for it.', tone: 'good' },
  PROCEED_WITH_CAUTION: { short: 'Proceed with caution', sentence: 'Go on, and treat what comes back with care.', tone: 'fair' },
  SANDBOX: { short: 'Sandbox', sentence: 'Only where it can do no harm.', tone: 'doubt' },
  ESCALATE_TO_HUMAN: { short: 'Ask a person', sentence: 'A person should decide.', tone: 'doubt' },
  DENY: { short: 'Deny', sentence: 'Do not.', tone: 'bad' },
}

/** What kind of target it is. */
export const STATES: Readonly<Record<TargetState, string>> = {
  CLEAR_THREAT: 'a clear threat',
  HIGH_ANOMALY: 'very unusual, and little speaks for it',
  HIGH_UNCERTAINTY: 'too little known to say more',
  CONFLICTING_SIGNALS: 'one with strong good and bad signs at once',
  SAFE_KNOWN: 'well known',
  MIXED_REVIEWABLE: 'neither clearly good nor clearly bad',
  STRUCTURAL: 'decided by its form alone',
}

export const UNCERTAINTY: Readonly<Record<UncertaintyLevel, string>> = {
  LOW: 'reliable',
  MEDIUM: 'to be taken with care',
  HIGH: 'hardly reliable',
}

export const POLICIES: Readonly<Record<PolicyProfile, string>> = {
  OPEN: 'Open: new and unknown targets are fine',
  BALANCED: 'Balanced: for most uses',
  STRICT: 'Strict: doubt goes to a person',
  CRITICAL: 'Critical: only what is known to be safe',
}

/** `RDAP_UNAVAILABLE` as words: rdap unavailable. */
export const asWords = (code: string): string => code.toLowerCase().replaceAll('_', ' ')

/** A share of 0 to 1 as whole percent. */
export const percent = (share: number): string => `${Math.round(share * 100)} %`
