import type { TrustBadgeFragment } from '#generated/operations.ts'
import { type Html, html } from '../frame/html.ts'
import type { Site } from '../frame/site.ts'
import { highlightsOf } from './highlights.ts'
import { ACTIONS, percent, STATES, UNCERTAINTY } from './labels.ts'

/**
 * The verdict on where an item comes from, which opens to its reasons; null: it cannot be had at
 * the moment.
 */
export function trustBadge(assessment: TrustBadgeFragment | null, { at }: Site): Html {
  if (assessment === null)
    return html`<p class="badge tone-none">Trust: currently unavailable. <a href="${at('/trust')}">How trust is decided</a></p>`
  const { action, confidence, target, state, uncertainty, evidence } = assessment
  const { short, sentence, tone } = ACTIONS[action]
  return html`<details class="badge tone-${tone}">
<summary><span class="dot" aria-hidden="true"></span><span>Trust: <strong>${short}</strong></span> <span class="quiet">to fetch from ${target.unicode}, ${percent(confidence)} sure; the code is not judged</span></summary>
<div>
<p>${sentence} It is an assessment of fetching from <strong>${target.unicode}</strong>, which hosts the source, not of the code itself.</p>
<p>It is ${STATES[state]}; the decision is ${UNCERTAINTY[uncertainty.level]}, from ${evidence.sourceCount} of 6 sources of evidence.</p>
${highlightsOf(evidence.highlights)}
<p><a href="${at(`/trust?domain=${encodeURIComponent(target.normalized)}`)}" rel="nofollow">Full decision with its evidence</a></p>
</div>
</details>`
}
