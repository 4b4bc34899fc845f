import type { PolicyProfile, RecommendedAction, TargetState, UncertaintyLevel } from '#generated/operations.ts'
import { type LookupTable, lookupTable } from '../../platform/collections/lookup-table.ts'

type ActionLabels = { readonly short: string; readonly sentence: string; readonly tone: 'good' | 'fair' | 'doubt' | 'bad' }

/** What to do, for people. */
export const ACTIONS: Readonly<Record<RecommendedAction, ActionLabels>> = {
  PROCEED: { short: 'Proceed', sentence: 'Sufficient positive evidence, no negative evidence.', tone: 'good' },
  PROCEED_WITH_CAUTION: {
    short: 'Proceed with caution',
    sentence: 'Proceed, and treat the response with caution.',
    tone: 'fair',
  },
  SANDBOX: { short: 'Sandbox', sentence: 'Proceed in a sandbox only.', tone: 'doubt' },
  ESCALATE_TO_HUMAN: { short: 'Ask a person', sentence: 'A person should decide.', tone: 'doubt' },
  DENY: { short: 'Deny', sentence: 'Do not proceed.', tone: 'bad' },
}

/** What kind of target it is. */
export const STATES: Readonly<Record<TargetState, string>> = {
  CLEAR_THREAT: 'a clear threat',
  HIGH_ANOMALY: 'very unusual, with little positive evidence',
  HIGH_UNCERTAINTY: 'a target with insufficient evidence',
  CONFLICTING_SIGNALS: 'a target with strong positive and negative signals',
  SAFE_KNOWN: 'well known',
  MIXED_REVIEWABLE: 'neither clearly safe nor clearly harmful',
  STRUCTURAL: 'decided by its form only',
}

export const UNCERTAINTY: Readonly<Record<UncertaintyLevel, string>> = {
  LOW: 'reliable',
  MEDIUM: 'of medium reliability',
  HIGH: 'hardly reliable',
}

export const POLICIES: Readonly<Record<PolicyProfile, string>> = {
  OPEN: 'Open: accepts new and unknown targets',
  BALANCED: 'Balanced: for most uses',
  STRICT: 'Strict: escalates uncertain targets to a person',
  CRITICAL: 'Critical: accepts only targets known to be safe',
}

/** Names of the sources of evidence. */
export const EVIDENCE_SOURCE_NAMES: LookupTable<string> = lookupTable({
  rdap: 'Registry',
  dns: 'Name servers',
  tls: 'Certificate',
  ct: 'Certificate logs',
  feeds: 'Threat feeds',
  popularity: 'Popularity lists',
})

/** What each source that is queried at a decision says. */
export const EVIDENCE_SOURCE_MEANINGS: LookupTable<string> = lookupTable({
  rdap: 'when the domain was registered, and by which registrar',
  dns: 'whether it resolves, and takes e-mail',
  tls: 'whether its certificate is valid for the name',
  ct: 'since when it has certificates',
})

/** `RDAP_UNAVAILABLE` as words: rdap unavailable. */
export const humanize = (code: string): string => code.toLowerCase().replaceAll('_', ' ')

/** A share of 0 to 1 as whole percent. */
export const percent = (share: number): string => `${Math.round(share * 100)} %`
