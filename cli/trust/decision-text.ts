import { SOURCES } from '../../subgraphs/trust/evidence.ts'
import { UNAVAILABLE } from '../../subgraphs/trust/pipeline/codes.ts'
import type { Decision } from '../../subgraphs/trust/pipeline/decision.ts'
import { type DecideRequest, INTERACTION_KINDS, PROFILES } from '../../subgraphs/trust/pipeline/request.ts'
import type { Action } from '../../subgraphs/trust/pipeline/stages.ts'

const WIDTH_CHARACTERS = 24
const SIGNS = { positive: '+', negative: '-', mixed: '~' } as const

const ACTIONS: Readonly<Record<Action, string>> = {
  proceed: 'PROCEED',
  proceed_with_caution: 'PROCEED WITH CAUTION',
  sandbox: 'SANDBOX: proceed in a sandbox only',
  escalate_to_human: 'ASK A PERSON',
  deny: 'DENY',
}

/** Sentence for a person by cause of uncertainty. */
const DRIVERS: Readonly<Record<Decision['uncertainty']['drivers'][number], string>> = {
  REGISTRATION_DATA_UNAVAILABLE: 'registration data is unavailable',
  REGISTRATION_DATE_MISSING: 'the registry publishes no registration date',
  REGISTRATION_DATE_IN_FUTURE: 'the registration date is in the future',
  DNS_UNAVAILABLE: 'DNS is unavailable',
  TLS_UNAVAILABLE: 'the certificate is unavailable',
  CT_UNAVAILABLE: 'Certificate Transparency logs are unavailable',
  THREAT_FEEDS_UNAVAILABLE: 'no threat feed is available',
  THREAT_FEED_PARTIAL: 'some threat feeds are unavailable',
  THREAT_FEED_STALE: 'the copy of a threat feed is stale',
  POPULARITY_UNAVAILABLE: 'no popularity list is available',
  CONFLICTING_EVIDENCE: 'positive and negative signals contradict each other',
  PLATFORM_HOSTED: 'others than the owner of the domain publish there',
  CONFIDENCE_CLAMP: 'a clamp limited the action',
  LOW_CONFIDENCE_CLAMP: 'a denial was limited for lack of grounds',
  STALE_SNAPSHOT: 'some evidence was stale',
}

/** Text of a decision for a person. `again` decides with the same evidence and another request. */
export function decisionAsText(
  decision: Decision,
  request: DecideRequest,
  again: (other: DecideRequest) => Action,
  { isExplained }: { readonly isExplained: boolean },
): string {
  const { target, scores, evidence, uncertainty, validity } = decision
  const lines = [
    target.unicode === target.host ? target.host : `${target.host} (${target.unicode})`,
    '',
    `  ${ACTIONS[decision.action]}   ${Math.round(decision.confidence * 100)} % sure`,
    '',
    ...(['trust', 'threat', 'deviation'] as const).map((name) => barOf(name, scores[name])),
    '',
    '  Why',
    ...evidence.highlights.map(({ impact, label, code }) => `    ${SIGNS[impact]} ${label.padEnd(62)}  ${code}`),
    ...(evidence.highlightsTruncated ? ['    … and more'] : []),
    '',
    `  Uncertainty: ${uncertainty.state}${uncertainty.requiresHumanReview ? '; needs review by a person' : ''}`,
    ...uncertainty.drivers.map((driver) => `    ${DRIVERS[driver]}`),
    '',
    '  Alternatives',
    ...changes(decision, request, again).map((line) => `    ${line}`),
    '',
    `  Holds until ${timeOf(validity.validUntil)}`,
    ...(isExplained ? ['', ...explanation(decision)] : []),
  ]
  return `${lines.join('\n')}\n`
}

function barOf(name: string, { score, confidence }: { readonly score: number; readonly confidence: number }): string {
  const full = Math.round((score / 100) * WIDTH_CHARACTERS)
  return `  ${name.padEnd(10)} ${'█'.repeat(full)}${'░'.repeat(WIDTH_CHARACTERS - full)} ${String(score).padStart(3)}   ${Math.round(confidence * 100)} % sure`
}

/**
 * Policies and interactions that would change the action, with the same evidence; then missing
 * evidence.
 */
function changes(decision: Decision, request: DecideRequest, again: (other: DecideRequest) => Action): string[] {
  const policies = PROFILES.filter((profile) => profile !== request.profile).map((profile) => ({
    why: `policy ${profile}`,
    action: again({ ...request, profile }),
  }))
  const deeds = INTERACTION_KINDS.filter((kind) => kind !== request.interaction.kind).map((kind) => ({
    why: `to ${kind.replaceAll('_', ' ')}`,
    action: again({ ...request, interaction: { ...request.interaction, kind } }),
  }))
  const different = [...policies, ...deeds].filter(({ action }) => action !== decision.action)
  // Sources that do not apply to this target are not among the drivers.
  const missing = SOURCES.filter((source) => decision.uncertainty.drivers.includes(UNAVAILABLE[source]))
  const found = [
    ...different.map(({ why, action }) => `${why.padEnd(24)} ${ACTIONS[action]}`),
    ...(missing.length > 0
      ? [`evidence of ${missing.map((source) => `${source} (${decision.audit.sources[source]})`).join(', ')}`]
      : []),
  ]
  if (found.length > 0) return found
  return [isByFormAlone(decision) ? 'nothing: the form of the target decides' : 'only other evidence']
}

/**
 * Whether the target's form alone decides: private addresses and special-use names cause no
 * lookups, but public addresses are looked up in feeds.
 */
const isByFormAlone = ({ audit: { structural } }: Decision): boolean => structural !== null && structural !== 'public-address'

function explanation({ audit, policy, reasonCodes }: Decision): string[] {
  const points = audit.points.map(({ signal, trust, threat, deviation, detail }) =>
    `    ${signal.padEnd(22)} ${[trust, threat, deviation].map((each) => (each === 0 ? '' : String(each)).padStart(5)).join(' ')}   ${detail ?? ''}`.trimEnd(),
  )
  return [
    `  Points                       trust threat  dev.`,
    ...points,
    '',
    `  State ${audit.state ?? `none: ${audit.structural}`}, under ${policy.profile} ${ACTIONS[audit.base]}; ${audit.coverage} % of the relevant evidence`,
    ...audit.floors.map(({ rule, action }) => `    raised by ${rule} to ${ACTIONS[action]}`),
    `    tier ${audit.tier}: ${audit.shift} steps`,
    ...audit.clamps.map((clamp) => `    clamped by ${clamp}`),
    '',
    `  Sources    ${Object.entries(audit.sources)
      .map(([source, status]) => `${source} ${status}`)
      .join(', ')}`,
    `  Codes      ${reasonCodes.join(' ')}`,
    `  Policy     ${policy.version}, engine ${audit.engine}`,
    `  Evidence   ${audit.snapshot}`,
  ]
}

const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('T', ' ').replace('.000Z', ' UTC')
