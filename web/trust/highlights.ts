import type { TrustBadgeFragment } from '#generated/operations.ts'
import { type Html, html } from '../frame/html.ts'

const SIGNS = { POSITIVE: ['+', 'In favour'], NEGATIVE: ['−', 'Against'], MIXED: ['±', 'For caution'] } as const

/** Findings as sentences, most decisive first. */
export const highlightsOf = (highlights: TrustBadgeFragment['evidence']['highlights']): Html =>
  html`<ul class="reasons">${highlights.map(
    ({ label, impact, code }) =>
      html`<li class="impact-${impact.toLowerCase()}"><span class="sign" aria-hidden="true">${SIGNS[impact][0]}</span><span class="spoken">${SIGNS[impact][1]}: </span><span>${label} <code class="quiet">${code}</code></span></li>`,
  )}</ul>`
