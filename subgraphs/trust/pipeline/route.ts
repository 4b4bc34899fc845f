import type { Assumption } from './assumption.ts'
import type { Policy } from './policy.ts'
import type { DecideRequest, Interaction } from './request.ts'
import { ACTIONS, type Action, PROFILES, type Profile, type State, TIERS, type Tier } from './stages.ts'
import { type Judged, mightBeWorse, stateOf } from './state.ts'

/** 0 (proceed) to 4 (deny). */
export const severityOf = (action: Action): number => ACTIONS.indexOf(action)
export const strictest = (one: Action, other: Action): Action => (severityOf(one) >= severityOf(other) ? one : other)
const mildest = (one: Action, other: Action): Action => (severityOf(one) <= severityOf(other) ? one : other)

/** Risk tier, from the kind, mode and sensitivity of the interaction. */
export function tierOf({ kind, mode, sensitivity }: Interaction, { weights: { INTERACTION } }: Policy): Tier {
  const sum = INTERACTION.kind[kind] + INTERACTION.mode[mode] + INTERACTION.sensitivity[sensitivity]
  return TIERS[INTERACTION.tiers.filter((from) => sum >= from).length] ?? 'critical'
}

/** A rule that keeps an action from being milder than `action`. */
export type Floor = { readonly rule: FloorRule; readonly action: Action }
export type FloorRule =
  | 'certificate-fault'
  | 'lookalike'
  | 'odd-letters'
  | 'private-address'
  | 'deceptive-userinfo'
  | 'compromised-site'
  | 'mixed-with-threat'
  | 'mixed-with-strong-doubt'
  | 'tenant'
  // Since engine 3.
  | 'new-domain'
  | 'listed-tenant'
  | 'parked'
  | 'sinkholed'
  | 'embedded-url'
  | 'redirector'
  | 'program'
  | 'listed-pages-on-platform'
  // Since engine 5.
  | 'secrets-to-user-page'

/** A rule that held an action back, applied last. */
export type Clamp =
  /** A denial without enough evidence, or one that missing evidence could refute. */
  | 'denial-without-ground'
  /** Evidence that could have spoken against it is missing. */
  | 'proceed-on-missing-evidence'
  /** Too little confidence in the trust. */
  | 'proceed-without-confidence'

export type Routed = {
  readonly state: State
  readonly base: Action
  readonly floors: readonly Floor[]
  readonly tier: Tier
  /** Steps of severity that the interaction added, before the end of the scale. */
  readonly shift: number
  readonly clamps: readonly Clamp[]
  readonly action: Action
}

type Steps = Omit<Routed, 'clamps'>

/**
 * Stage 6: state and policy give the base, floors and interaction raise it, clamps limit it. `best`
 * is the same target judged with the best assumption about missing evidence: a denial stands only
 * if it stands there as well.
 */
export function route(judged: Judged, best: Judged, request: DecideRequest, policy: Policy): Routed {
  const steps = stepsOf(judged, request, policy, 'nothing')
  const supposed = stepsOf(best, request, policy, 'best')
  // A denying floor is sufficient by itself: it applies under the best assumption.
  const isFloored = supposed.floors.some(({ action }) => action === 'deny')
  if (supposed.action === 'deny' && (isFloored || hasGround(best, supposed.state, policy)))
    return { ...steps, state: supposed.state, clamps: [], action: 'deny' }

  const clamps: Clamp[] = []
  if (steps.action === 'deny') clamps.push('denial-without-ground')
  if (steps.action === 'proceed' && judged.confidence.trust < policy.weights.CONFIDENCE.medium)
    clamps.push('proceed-without-confidence')
  if (steps.action === 'proceed' && mightBeWorse(judged, policy)) clamps.push('proceed-on-missing-evidence')
  const ceiling: Action = mildest(steps.action, 'escalate_to_human')
  return { ...steps, clamps, action: clamps.some((clamp) => clamp.startsWith('proceed')) ? 'proceed_with_caution' : ceiling }
}

function stepsOf(judged: Judged, request: DecideRequest, policy: Policy, assumption: Assumption): Steps {
  const { INTERACTION } = policy.weights
  const state = stateOf(judged, policy, assumption)
  const base = cell(state, request.profile, policy)
  const floors = floorsOf(judged, state, request, policy, assumption)
  const raised = floors.reduce((action, floor) => strictest(action, floor.action), base)
  const tier = tierOf(request.interaction, policy)
  const shift = (state === 'E' ? INTERACTION.shiftSafeKnown : INTERACTION.shift)[TIERS.indexOf(tier)] ?? 0
  return { state, base, floors, tier, shift, action: ACTIONS[Math.min(severityOf(raised) + shift, ACTIONS.length - 1)] ?? 'deny' }
}

const cell = (state: State, profile: Profile, { weights }: Policy): Action =>
  weights.MATRIX[state][PROFILES.indexOf(profile)] ?? 'deny'

/**
 * Denial needs a clear threat, or strong doubt that is at least medium sure and has two kinds of
 * evidence or a witness about the host itself. Against strong trust one feed counts as nothing, and
 * neither do listed pages against the platform that they stand on.
 */
function hasGround({ scores, confidence, features }: Judged, state: State, { weights: { BANDS, CONFIDENCE } }: Policy): boolean {
  if (state === 'A') return true
  const { witness, isPlatform } = features
  const feedsCount = witness.host >= 2 || witness.exact > 0 || (scores.trust < BANDS.high && (witness.host > 0 || !isPlatform))
  const threat = feedsCount ? scores.threat : scores.threatBesideFeeds
  const isSure =
    (threat >= BANDS.high && confidence.threat >= CONFIDENCE.medium) ||
    (scores.deviation >= BANDS.high && confidence.deviation >= CONFIDENCE.medium)
  const families = scores.families.filter((family) => feedsCount || family !== 'feed')
  return isSure && (families.length >= 2 || (feedsCount && witness.host + witness.exact > 0))
}

type FloorRow = readonly [rule: FloorRule, applies: boolean, action: Action]

/** Floors of engine 3: age of the registration, and the URL behind the host. */
function urlAndAgeFloors(
  { features, scores }: Judged,
  state: State,
  { profile, interaction: { kind }, target }: DecideRequest,
  { weights: { FLOORS }, isUserPages }: Policy,
): readonly FloorRow[] {
  const { witness, ageDays, owner, isTenant, isPlatform, destination, isProgram } = features
  const column = PROFILES.indexOf(profile)
  const apart: Action = profile === 'open' ? 'proceed_with_caution' : 'sandbox'
  const sendsSecrets = kind === 'submit_credentials' || kind === 'initiate_payment'
  const isRisky = sendsSecrets || kind === 'download_file'
  const saw = (signal: string) => features.observations.some((observation) => observation.signal === signal)
  // A new name that is popular, or may be, is a product launch.
  const isNew = ageDays !== null && ageDays < FLOORS.newDomainDays && !isTenant && owner === null && !scores.isEstablished
  const isDoubtful = saw('no_mail') || scores.families.some((family) => family !== 'registration')
  const ofSecrets = isDoubtful ? FLOORS.newDomainDoubtful : FLOORS.newDomainSecrets
  const newDomain = (sendsSecrets ? ofSecrets : FLOORS.newDomain)[column] ?? 'deny'
  return [
    ['new-domain', isNew, newDomain],
    ['listed-tenant', witness.tenant > 0, isRisky ? 'escalate_to_human' : apart],
    ['parked', saw('parked'), 'proceed_with_caution'],
    ['sinkholed', saw('sinkholed'), apart],
    ['embedded-url', saw('embedded_suspicious'), apart],
    ['redirector', destination === 'unknown', isRisky ? 'escalate_to_human' : 'proceed_with_caution'],
    ['secrets-to-user-page', sendsSecrets && isUserPages(target.host), apart],
    ['program', isProgram && isRisky && (isTenant || isPlatform || state !== 'E'), apart],
  ]
}

/** Floors that apply. The open profile lowers those of isolation to caution. */
function floorsOf(judged: Judged, state: State, request: DecideRequest, policy: Policy, assumption: Assumption): Floor[] {
  const { snapshot, features, scores } = judged
  const { profile } = request
  const { BANDS, FLOORS } = policy.weights
  const apart: Action = profile === 'open' ? 'proceed_with_caution' : 'sandbox'
  const saw = (signal: string) => features.observations.some((observation) => observation.signal === signal)
  const lacksAge = snapshot.sources.rdap.status !== 'ok' && !features.isRegistryUndated
  const lacks = assumption === 'nothing' && (lacksAge || snapshot.sources.feeds.status !== 'ok')
  const { witness, isTenant, isPlatform, lookalike } = features
  const rules: readonly FloorRow[] = [
    ['certificate-fault', state === 'E' && features.hasCertificateFault, 'proceed_with_caution'],
    ['lookalike', lookalike !== null && (isTenant || lacks || scores.threat >= BANDS.medium), apart],
    ['odd-letters', lookalike?.kind === 'homograph' || saw('odd_letters'), apart],
    ['private-address', saw('private_answer'), apart],
    ['deceptive-userinfo', saw('deceptive_userinfo'), apart],
    ['compromised-site', !isPlatform && witness.urlHits >= FLOORS.compromisedHits && scores.trust < BANDS.high, apart],
    ['mixed-with-threat', state === 'F' && scores.threat >= FLOORS.mixedThreat, apart],
    // Less trust must not make strong doubt milder: what would be a conflict with trust is at least
    // that without.
    [
      'mixed-with-strong-doubt',
      state === 'F' && (scores.threat >= BANDS.high || scores.deviation >= BANDS.high),
      cell('D', profile, policy),
    ],
    ['tenant', isTenant, 'proceed_with_caution'],
    ['listed-pages-on-platform', isPlatform && witness.url > 0, 'proceed_with_caution'],
    ...(policy.engine >= 3 ? urlAndAgeFloors(judged, state, request, policy) : []),
  ]
  return rules.filter(([, applies]) => applies).map(([rule, , action]) => ({ rule, action }))
}
