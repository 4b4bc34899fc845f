import type { AccountChangesQuery } from '#generated/operations.ts'
import { dayOf, momentOf } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { plot } from '../frame/plot.ts'
import { ACTIONS } from './labels.ts'

type Changes = NonNullable<AccountChangesQuery['verdictChanges']>
type Change = Changes['edges'][number]['node']

/** Scores run from 0 to here. */
const MAX_SCORE = 100
/** Points of a line: one for every five pixels of the drawing. */
const MAX_POINTS = 121

/** Risk over time: the scores of each change hold until the next one, the last until `until`. */
export function riskPlot(domain: string, changes: readonly Change[], until: Date): Html {
  const byTime = changes.toReversed()
  const [first] = byTime
  if (!first)
    return html`<div class="empty" role="status"><p><strong>Not assessed yet.</strong></p><p>The first assessment is made within a minute.</p></div>`
  const start = Date.parse(first.changedAt)
  const span = Math.max(0, until.getTime() - start)
  const verdicts = Array.from({ length: MAX_POINTS }, (_, index) => {
    const time = start + (span * index) / (MAX_POINTS - 1)
    return (byTime.findLast(({ changedAt }) => Date.parse(changedAt) <= time) ?? first).verdict
  })
  const last = verdicts.at(-1)
  return plot({
    kind: 'lines',
    heading: `Scores of ${domain}`,
    series: [
      { name: 'Threat', values: verdicts.map(({ threatScore }) => threatScore) },
      { name: 'Trust', values: verdicts.map(({ trustScore }) => trustScore) },
    ],
    format: String,
    min: MAX_SCORE,
    ticks: [dayOf(start), dayOf(start + span / 2), dayOf(until)],
    summary: `from ${dayOf(start)} to ${dayOf(until)}; now threat ${last?.threatScore ?? 0}, trust ${last?.trustScore ?? 0}. All changes are in the table below.`,
    hasLastValues: true,
  })
}

/** The changes, newest first. */
export const changeTable = (changes: readonly Change[]): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="Changes"><table>
<thead><tr><th scope="col">Time</th><th scope="col">Action</th><th scope="col">Before</th><th scope="col" class="number">Threat</th><th scope="col" class="number">Trust</th><th scope="col" class="number">Deviation</th></tr></thead>
<tbody>${changes.map(
    ({ changedAt, previousAction, verdict }) =>
      html`<tr><th scope="row"><time datetime="${changedAt}">${momentOf(changedAt)}</time></th><td class="tone-${ACTIONS[verdict.action].tone}"><span class="tone">${ACTIONS[verdict.action].short}</span></td><td>${previousAction == null ? 'first assessment' : ACTIONS[previousAction].short}</td>
<td class="number">${verdict.threatScore}</td><td class="number">${verdict.trustScore}</td><td class="number">${verdict.deviationScore}</td></tr>`,
  )}</tbody></table></div>`
