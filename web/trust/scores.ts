import type { TrustBadgeFragment } from '#generated/operations.ts'
import { type Html, html } from '../frame/html.ts'
import { percent } from './labels.ts'

/** From where a score is medium, and high: the bands of the schema. */
const BANDS = [40, 70]

const ROWS = [
  { name: 'trust', label: 'Trust', meaning: 'evidence in favour' },
  { name: 'threat', label: 'Threat', meaning: 'evidence of harm' },
  { name: 'deviation', label: 'Deviation', meaning: 'deviation from the usual' },
] as const

/** The three scores, drawn as bars from 0 to 100 with the borders of their bands. */
export const scoresDrawn = (scores: TrustBadgeFragment['scores']): Html =>
  html`<div class="scores">${ROWS.map(({ name, label, meaning }) => {
    const { score, confidence } = scores[name]
    const word = score >= 70 ? 'high' : score >= 40 ? 'medium' : 'low'
    return html`<figure class="score score-${name}">
<figcaption><strong>${label}</strong> <span class="quiet">${meaning}</span></figcaption>
<svg viewBox="0 0 200 12" preserveAspectRatio="none" role="img" aria-label="${label}: ${score} of 100, ${word}, ${percent(confidence)} sure">
<rect class="track" width="200" height="12" rx="2"/>
<rect class="fill" width="${score * 2}" height="12" rx="2"/>
${BANDS.map((band) => html`<line class="band" x1="${band * 2}" x2="${band * 2}" y1="0" y2="12"/>`)}
</svg>
<p aria-hidden="true"><strong>${score}</strong> ${word} <span class="quiet">${percent(confidence)} sure</span></p>
</figure>`
  })}</div>`
