import type { TrialPageQuery, TrustAuditFragment, TrustBadgeFragment } from '#generated/operations.ts'
import { type LookupTable, lookupTable } from '../../platform/collections/lookup-table.ts'
import { counted, whole } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { highlightsOf } from './highlights.ts'
import { ACTIONS, EVIDENCE_SOURCE_NAMES, humanize, percent, STATES, UNCERTAINTY } from './labels.ts'
import { scoresDrawn } from './scores.ts'
import { timeline } from './timeline.ts'

/** A decision that was made. */
export type Made = Extract<TrialPageQuery['trial'], { readonly assessment: unknown }>

/** An assessment, and how it was made. */
type Assessed = { readonly assessment: TrustBadgeFragment; readonly audit: TrustAuditFragment }

/** A trial with all that it was made from. */
export const decision = ({ assessment, audit, alternatives, remaining }: Made): Html =>
  html`${decidedBody({ assessment, audit }, changes(alternatives, assessment.action))}
<p class="quiet">${counted(remaining, 'trial')} left this minute. Only the evidence is stored.</p>`

/** A decision with its reasons, sources and audit trail; `alternatives` before the sources. */
export const decidedBody = ({ assessment, audit }: Assessed, alternatives: Html | null): Html => {
  const { short, sentence, tone } = ACTIONS[assessment.action]
  const { target, uncertainty, validity, evidence, state } = assessment
  return html`<section class="verdict tone-${tone}" aria-labelledby="verdict">
<h2 id="verdict"><span class="dot" aria-hidden="true"></span><span class="tone">${short}</span> <span class="quiet">${target.unicode}</span></h2>
<p>${sentence} It is ${STATES[state]}. The confidence is ${percent(assessment.confidence)}, and the decision is ${UNCERTAINTY[uncertainty.level]}.</p>
</section>
${target.unicode !== target.normalized && html`<p>A-label: <code>${target.normalized}</code>.</p>`}
<section aria-labelledby="scores"><h2 id="scores">Three scores</h2>${scoresDrawn(assessment.scores)}</section>
<section aria-labelledby="why"><h2 id="why">Reasons</h2>${highlightsOf(evidence.highlights)}
${uncertainty.drivers.length > 0 && html`<p class="quiet">Causes of uncertainty: ${uncertainty.drivers.map(humanize).join(', ')}.</p>`}
</section>
${alternatives}
${isStructuralOnly(audit) ? html`<p>No source was queried: the form of the target decides.</p>` : sourceList(audit.snapshot, validity.validUntil)}
${working(audit)}`
}

/** Of a public address, too, the form decides, but for what threat feeds say. */
const isStructuralOnly = ({ structuralRule }: TrustAuditFragment): boolean =>
  structuralRule !== null && structuralRule !== 'public-address'

const STATUSES: LookupTable<string> = lookupTable({
  ok: 'answered',
  absent: 'has no data',
  failed: 'failed',
  timeout: 'timed out',
  skipped: 'not queried',
})

/** What the sources said, and when it happened. */
const sourceList = ({ sources, collectedAt }: TrustAuditFragment['snapshot'], ends: string): Html => html`<div class="halves">
<section aria-labelledby="timeline"><h2 id="timeline">Timeline</h2>${timeline(sources, { looked: collectedAt, ends: ends })}</section>
<section aria-labelledby="sources"><h2 id="sources">Sources of evidence</h2><ul class="sources">${sources.map(
  ({ source, status, reason, subject }) =>
    html`<li><strong>${EVIDENCE_SOURCE_NAMES[source] ?? source}</strong> <span class="status-${status}">${STATUSES[status] ?? status}</span>${reason && html` <span class="quiet">(${humanize(reason)})</span>`} <span class="quiet">about ${subject}</span></li>`,
)}</ul></section>
</div>`

/** What would lead to another answer, by what; and what would not. */
function changes(alternatives: Made['alternatives'], action: Made['assessment']['action']): Html {
  const different = alternatives.filter((each) => each.action !== action)
  const same = alternatives.filter((each) => each.action === action)
  return html`<section aria-labelledby="change"><h2 id="change">Alternatives</h2>
${different.length === 0 && html`<p>No tested change gives a different action: see below.</p>`}
<div class="halves">${(
    [
      ['QUESTION', 'Changed request'],
      ['EVIDENCE', 'Changed evidence'],
    ] as const
  ).map(([of, heading]) => {
    const rows = different.filter((each) => each.of === of)
    return (
      rows.length > 0 &&
      html`<div><h3>${heading}</h3><ul class="changes">${rows.map((each) => html`<li>If ${each.condition}: <strong class="tone-${ACTIONS[each.action].tone} tone">${ACTIONS[each.action].short}</strong></li>`)}</ul></div>`
    )
  })}</div>
${same.length > 0 && html`<details><summary>${whole(same.length)} without effect</summary><ul>${same.map(({ condition }) => html`<li>If ${condition}</li>`)}</ul></details>`}
</section>`
}

/** How the answer can be followed with a pencil. */
function working({ points, coverage, base, floors, tier, shift, clamps, structuralRule, snapshot }: TrustAuditFragment): Html {
  const steps = [
    structuralRule === null
      ? `Evidence and policy give: ${ACTIONS[base].short}.`
      : `The form of the target gives: ${ACTIONS[base].short} (${humanize(structuralRule)}).`,
    ...floors.map(({ rule, action }) => `Minimum ${ACTIONS[action].short}: ${rule.replaceAll('-', ' ')}.`),
    `Risk tier: ${tier}${shift > 0 ? `, which makes it ${counted(shift, 'step')} stricter` : ''}.`,
    ...clamps.map((clamp) => `Clamped: ${clamp.replaceAll('-', ' ')}.`),
    ...(structuralRule === null ? [`${coverage} % of the relevant evidence was available.`] : []),
  ]
  return html`<details class="working"><summary>Audit trail</summary>
<ol>${steps.map((step) => html`<li>${step}</li>`)}</ol>
${
  points.length > 0 &&
  html`<div class="wide" tabindex="0" role="region" aria-label="Points of each signal"><table><thead><tr><th scope="col">Signal</th><th scope="col">Trust</th><th scope="col">Threat</th><th scope="col">Deviation</th><th scope="col">Details</th></tr></thead><tbody>
${points.map(({ signal, trust, threat, deviation, detail }) => html`<tr><th scope="row">${humanize(signal)}</th><td>${trust}</td><td>${threat}</td><td>${deviation}</td><td>${detail}</td></tr>`)}
</tbody></table></div>`
}
<p class="quiet">Evidence <code>${snapshot.id.slice(0, 16)}</code></p>
</details>`
}
