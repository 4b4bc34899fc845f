import type { RedirectChain, Source } from '../evidence.ts'
import type { Code } from './codes.ts'
import type { Highlight, Reason, Uncertainty } from './explain.ts'
import type { Target } from './normalise.ts'
import type { Interaction, OverridingEntry } from './request.ts'
import type { Clamp, Floor } from './route.ts'
import type { Points } from './score.ts'
import type { Family } from './signals.ts'
import type { Action, Profile, State, Tier } from './stages.ts'
import type { Structural } from './structural.ts'
import type { Validity } from './validity.ts'

/** A score of 0 to 100 and how sure it is, 0 to 1. */
export type Score = { readonly score: number; readonly confidence: number }

/**
 * Decision about one request: the input of every wire format, and its derivation. Plain JSON
 * without anything that depends on the time of computation.
 */
export type Decision = {
  readonly target: Pick<Target, 'type' | 'value' | 'host' | 'unicode'>
  readonly interaction: Interaction
  readonly policy: { readonly profile: Profile; readonly version: string }
  readonly scores: { readonly trust: Score; readonly threat: Score; readonly deviation: Score }
  readonly action: Action
  /** 0 to 1, whatever speaks for this action. */
  readonly confidence: number
  /** In the order in which they explain the action; never empty. */
  readonly reasonCodes: readonly Code[]
  /** The deciding ones among them. */
  readonly primaryReasonCodes: readonly Code[]
  readonly uncertainty: Uncertainty
  readonly evidence: {
    readonly highlights: readonly Highlight[]
    readonly highlightsTruncated: boolean
    readonly sourceCount: number
  }
  readonly validity: Validity
  /** What the caller's override, or an operator's list, replaced; null without one. */
  readonly override: {
    readonly engineAction: Action
    readonly reason: string
    readonly expiresAt: number | null
    readonly actor: string
    /** Both for entries of operators' lists only. */
    readonly subject?: string
    readonly list?: OverridingEntry
  } | null
  readonly audit: Audit
}

/** Derivation of a decision: enough to recalculate it by hand. */
export type Audit = {
  readonly snapshot: string
  readonly engine: number
  /** Null when the form of the target decided. */
  readonly state: State | null
  readonly structural: Structural['rule'] | null
  readonly sources: Readonly<Record<Source, string>>
  readonly points: readonly Points[]
  readonly families: readonly Family[]
  /** In percent of what matters. */
  readonly coverage: number
  readonly base: Action
  readonly floors: readonly Floor[]
  readonly tier: Tier
  readonly shift: number
  readonly clamps: readonly Clamp[]
  /** Absent where no redirects were followed, and before engine 4. */
  readonly redirects?: JudgedRedirects
}

/** The URLs of a chain as the audit has them. */
export type JudgedRedirects = {
  readonly end: RedirectChain['end']
  readonly hops: readonly { readonly host: string; readonly action: Action }[]
  /** Place of the hop that the whole decision is about; null where it is about the URL itself. */
  readonly decidedBy: number | null
}

/** Result of a decision, with or without evidence. */
export type Finding = {
  readonly action: Action
  readonly confidence: number
  readonly scores: Decision['scores']
  readonly reasons: readonly Reason[]
  readonly uncertainty: Uncertainty
  readonly ageDays: number | null
  /** For how long it holds at most: a row of the table of validity. */
  readonly lasts: State | 'structural'
  /** Whether it ends when its evidence expires. */
  readonly restsOnEvidence: boolean
  readonly mayBeOverridden: boolean
  readonly audit: Pick<
    Audit,
    'state' | 'structural' | 'points' | 'families' | 'coverage' | 'base' | 'floors' | 'tier' | 'shift' | 'clamps' | 'redirects'
  >
}
