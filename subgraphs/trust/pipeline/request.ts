import type { UnixSeconds } from '../evidence.ts'
import type { Target } from './normalise.ts'
import { type Action, PROFILES, type Profile } from './stages.ts'
import { INTERACTION } from './weights.ts'

/** Input of a decision: an interaction with a target, under a policy. */
export type DecideRequest = {
  readonly target: Target
  readonly interaction: Interaction
  readonly profile: Profile
}

/** The planned interaction with the target. */
export type Interaction = { readonly kind: InteractionKind; readonly mode: InteractionMode; readonly sensitivity: Sensitivity }
export type InteractionKind = keyof typeof INTERACTION.kind
export type InteractionMode = keyof typeof INTERACTION.mode
export type Sensitivity = keyof typeof INTERACTION.sensitivity

/** Default of a request without an interaction. */
export const DEFAULT_INTERACTION: Interaction = { kind: 'fetch', mode: 'read_only', sensitivity: 'medium' }
export const DEFAULT_PROFILE: Profile = 'balanced'

/** Allowed values, in order of risk, for validation. */
export const INTERACTION_KINDS = Object.keys(INTERACTION.kind) as readonly InteractionKind[]
// Keys of a literal of this type.
export const INTERACTION_MODES = Object.keys(INTERACTION.mode) as readonly InteractionMode[]
export const SENSITIVITIES = Object.keys(INTERACTION.sensitivity) as readonly Sensitivity[]
export { PROFILES }

/** A caller's own decision about a name and everything below it, for that caller only. */
export type Override = {
  /** A-label host: the host itself, its tenant, or its registrable domain. */
  readonly subject: string
  readonly action: Action
  readonly reason: string
  /** Null: until it is deleted. */
  readonly expiresAt: UnixSeconds | null
  readonly actor: string
  /** The entry of an operator's list that it stands for; absent for a caller's own. */
  readonly list?: OverridingEntry
}

/** An entry of the operator's block or allow list. */
export type OverridingEntry = {
  readonly id: string
  readonly list: 'block' | 'allow'
  /** The subject with everything below it, the subject alone, or URLs on it. */
  readonly scope: 'domain' | 'host' | 'url' | 'prefix'
  /** Hash of the URL or directory (`url-key.ts`); null for the scopes domain and host. */
  readonly urlKey: string | null
}
