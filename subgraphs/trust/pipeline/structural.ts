import type { Snapshot } from '../evidence.ts'
import { isPrivateAnswer } from './address.ts'
import type { Code } from './codes.ts'
import { feedObservations } from './feeds.ts'
import type { Target } from './normalise.ts'
import type { Policy } from './policy.ts'
import type { Action, State } from './stages.ts'

/** A target whose form, or the address that it leads to, decides. */
export type Structural = {
  readonly rule: 'private-network' | 'private-answer' | 'overlay-network' | 'outside-of-dns' | 'public-address'
  readonly action: Action
  readonly codes: readonly Code[]
  /** Whether the interaction may make it stricter. Never stricter than a person’s decision. */
  readonly shifts: boolean
  /**
   * Whether callers may decide for themselves. Private networks are ours to protect as well as
   * theirs.
   */
  readonly mayBeOverridden: boolean
  /** For how long the decision holds, as `VALIDITY` names it. */
  readonly lasts: State | 'structural'
}

const PRIVATE: Structural = {
  rule: 'private-network',
  action: 'deny',
  codes: ['PRIVATE_ADDRESS_RESOLUTION', 'SPECIAL_USE_NAME'],
  shifts: false,
  mayBeOverridden: false,
  lasts: 'structural',
}

/**
 * A public name that DNS sends into a private network (DNS rebinding, or a leaked internal name).
 * No other source could speak for it, so the denial holds whatever is unavailable. The zone may
 * change at any time: the decision lasts as long as one about an anomaly.
 */
const PRIVATE_ANSWER: Structural = { ...PRIVATE, rule: 'private-answer', codes: ['PRIVATE_ADDRESS_RESOLUTION'], lasts: 'B' }

/**
 * What the form of a target decides; null where evidence has to. Names in special use have no
 * registration, and addresses no name to judge.
 */
export function structuralOf(target: Target, snapshot: Snapshot, policy: Policy): Structural | null {
  if (target.kind === 'address')
    return target.reach === 'public'
      ? publicAddress(target, snapshot, policy)
      : { ...PRIVATE, codes: ['PRIVATE_ADDRESS_RESOLUTION', 'IP_LITERAL_TARGET'] }
  switch (target.name.specialUse) {
    case null:
      return policy.engine >= 3 && hasPrivateAnswer(snapshot) ? PRIVATE_ANSWER : null
    case 'local-network':
      return PRIVATE
    case 'overlay':
      return {
        rule: 'overlay-network',
        action: 'escalate_to_human',
        codes: ['SPECIAL_USE_NAME'],
        shifts: false,
        mayBeOverridden: true,
        lasts: 'structural',
      }
    case 'nowhere':
      return {
        rule: 'outside-of-dns',
        action: 'escalate_to_human',
        codes: ['SPECIAL_USE_NAME'],
        shifts: false,
        mayBeOverridden: true,
        lasts: 'structural',
      }
  }
}

/** One private address among public ones suffices: a client may take any of them. */
function hasPrivateAnswer({ sources: { dns } }: Snapshot): boolean {
  return dns.status === 'ok' && [...dns.facts.a, ...dns.facts.aaaa].some(isPrivateAnswer)
}

/**
 * Feeds list addresses too, and nothing else is known about one: two witnesses convict it, one
 * calls a person. One that lists the very URL convicts it. Its codes are those of engine 1; later ones have points.
 */
function publicAddress(target: Target, snapshot: Snapshot, policy: Policy): Structural {
  const { witness, observations } = feedObservations(snapshot, { isPlatform: false, isYoung: false, url: target.url }, policy)
  const listed = observations.flatMap(({ signal }) => policy.weights.SIGNALS[signal].codes)
  const action = witness.host >= 2 || witness.exact > 0 ? 'deny' : witness.host === 1 ? 'escalate_to_human' : 'sandbox'
  return {
    rule: 'public-address',
    action,
    codes: [...listed, 'IP_LITERAL_TARGET'],
    shifts: true,
    mayBeOverridden: true,
    lasts: 'structural',
  }
}
