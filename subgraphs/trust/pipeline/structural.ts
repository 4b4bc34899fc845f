import type { Snapshot } from '../evidence.ts'
import type { Code } from './codes.ts'
import { feedObservations } from './feeds.ts'
import type { Target } from './normalise.ts'
import type { Policy } from './policy.ts'
import type { Action } from './stages.ts'

/** A target whose form decides, without any collection. */
export type Structural = {
  readonly rule: 'private-network' | 'overlay-network' | 'outside-of-dns' | 'public-address'
  readonly action: Action
  readonly codes: readonly Code[]
  /** Whether the interaction may make it stricter. Never stricter than a person’s decision. */
  readonly shifts: boolean
  /**
   * Whether callers may decide for themselves. Private networks are ours to protect as well as
   * theirs.
   */
  readonly mayBeOverridden: boolean
}

const PRIVATE: Structural = {
  rule: 'private-network',
  action: 'deny',
  codes: ['PRIVATE_ADDRESS_RESOLUTION', 'SPECIAL_USE_NAME'],
  shifts: false,
  mayBeOverridden: false,
}

/**
 * What the form of a target decides; null where evidence has to. Names in special use have no
 * registration, and addresses no name to judge.
 */
export function structuralOf(target: Target, snapshot: Snapshot, policy: Policy): Structural | null {
  if (target.kind === 'address')
    return target.reach === 'public'
      ? publicAddress(snapshot, policy)
      : { ...PRIVATE, codes: ['PRIVATE_ADDRESS_RESOLUTION', 'IP_LITERAL_TARGET'] }
  switch (target.name.specialUse) {
    case null:
      return null
    case 'local-network':
      return PRIVATE
    case 'overlay':
      return {
        rule: 'overlay-network',
        action: 'escalate_to_human',
        codes: ['SPECIAL_USE_NAME'],
        shifts: false,
        mayBeOverridden: true,
      }
    case 'nowhere':
      return {
        rule: 'outside-of-dns',
        action: 'escalate_to_human',
        codes: ['SPECIAL_USE_NAME'],
        shifts: false,
        mayBeOverridden: true,
      }
  }
}

/**
 * Feeds list addresses too, and nothing else is known about one: two witnesses convict it, one
 * calls a person. Its codes are those of engine 1; later ones have points.
 */
function publicAddress(snapshot: Snapshot, policy: Policy): Structural {
  const { witness, observations } = feedObservations(snapshot, { isPlatform: false, isYoung: false }, policy)
  const listed = observations.flatMap(({ signal }) => policy.weights.SIGNALS[signal].codes)
  const action = witness.host >= 2 ? 'deny' : witness.host === 1 ? 'escalate_to_human' : 'sandbox'
  return { rule: 'public-address', action, codes: [...listed, 'IP_LITERAL_TARGET'], shifts: true, mayBeOverridden: true }
}
