import { SOURCES } from '../../subgraphs/trust/evidence.ts'
import { UNAVAILABLE } from '../../subgraphs/trust/pipeline/codes.ts'
import type { Decision } from '../../subgraphs/trust/pipeline/decision.ts'
import { type DecideRequest, INTERACTION_KINDS, PROFILES } from '../../subgraphs/trust/pipeline/request.ts'
import type { Action } from '../../subgraphs/trust/pipeline/stages.ts'

const WIDTH = 24
const SIGNS = { positive: '+', negative: '-', mixed: '~' } as const

const ACTIONS: Readonly<Record<Action, string>> = {
  proceed: 'PROCEED',
  proceed_with_caution: 'PROCEED WITH CAUTION',
  sandbox: 'SANDBOX: only where it can do no harm',
  escalate_to_human: 'ASK A PERSON',
  deny: 'DENY',
}

/** What a missing piece means to a person. */
const DRIVERS: Readonly<Record<Decision['uncertainty']['drivers'][number], string>> = {
  REGISTRATION_DATA_UNAVAILABLE: 'the registry could not be asked',
  REGISTRATION_DATE_MISSING: 'the registry does not say since when it is registered',
  REGISTRATION_DATE_IN_FUTURE: 'the registry tells a date in the future',
  DNS_UNAVAILABLE: 'its name could not be looked up',
  TLS_UNAVAILABLE: 'its certificate could not be seen',
  CT_UNAVAILABLE: 'certificate logs could not be asked',
  THREAT_FEEDS_UNAVAILABLE: 'no threat feed could be asked',
  THREAT_FEED_PARTIAL: 'some threat feeds could not be asked',
  THREAT_FEED_STALE: 'a threat feed is older than it should be',
  POPULARITY_UNAVAILABLE: 'no popularity list is there',
  CONFLICTING_EVIDENCE: 'good and bad signs contradict each other',
  PLATFORM_HOSTED: 'others than the owner of the domain publish there',
  CONFIDENCE_CLAMP: 'the evidence was too thin for the answer that it suggested',
  LOW_CONFIDENCE_CLAMP: 'there was not enough ground for a denial',
  STALE_SNAPSHOT: 'some of it had run out',
}

/** A decision as a person reads it. `again` decides the same evidence with another request. */
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
    `  How certain: ${uncertainty.state} uncertainty${uncertainty.requiresHumanReview ? '; a person should look at it' : ''}`,
    ...uncertainty.drivers.map((driver) => `    ${DRIVERS[driver]}`),
    '',
    '  What would change it',
    ...changes(decision, request, again).map((line) => `    ${line}`),
    '',
    `  Holds until ${timeOf(validity.validUntil)}`,
    ...(isExplained ? ['', ...explanation(decision)] : []),
  ]
  return `${lines.join('\n')}\n`
}

function barOf(name: string, { score, confidence }: { readonly score: number; readonly confidence: number }): string {
  const full = Math.round((score / 100) * WIDTH)
  return `  ${name.padEnd(10)} ${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${String(score).padStart(3)}   ${Math.round(confidence * 100)} % sure`
}

/** Other questions with other answers, from the same evidence; then what evidence is missing. */
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
  // Sources that have nothing to say about this target are not among the drivers.
  const missing = SOURCES.filter((source) => decision.uncertainty.drivers.includes(UNAVAILABLE[source]))
  const found = [
    ...different.map(({ why, action }) => `${why.padEnd(24)} ${ACTIONS[action]}`),
    ...(missing.length > 0
      ? [`an answer of ${missing.map((source) => `${source} (${decision.audit.sources[source]})`).join(', ')}`]
      : []),
  ]
  if (found.length > 0) return found
  return [isByFormAlone(decision) ? 'nothing: the form of the target decides' : 'nothing but other evidence']
}

/** Of private addresses and names in special use nothing is asked; of public addresses the feeds are. */
const isByFormAlone = ({ audit: { structural } }: Decision): boolean => structural !== null && structural !== 'public-address'

function explanation({ audit, policy, reasonCodes }: Decision): string[] {
  const points = audit.points.map(({ signal, trust, threat, deviation, detail }) =>
    `    ${signal.padEnd(22)} ${[trust, threat, deviation].map((each) => (each === 0 ? '' : String(each)).padStart(5)).join(' ')}   ${detail ?? ''}`.trimEnd(),
  )
  return [
    `  Points                       trust threat  dev.`,
    ...points,
    '',
    `  State ${audit.state ?? `none: ${audit.structural}`}, under ${policy.profile} ${ACTIONS[audit.base]}; ${audit.coverage} % of the evidence that matters`,
    ...audit.floors.map(({ rule, action }) => `    raised by ${rule} to ${ACTIONS[action]}`),
    `    tier ${audit.tier}: ${audit.shift} steps`,
    ...audit.clamps.map((clamp) => `    held back by ${clamp}`),
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
