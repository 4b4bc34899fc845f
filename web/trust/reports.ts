import type { AccountReportFragment, DecisionReportKind, DecisionReportStatus, RecommendedAction } from '#generated/operations.ts'
import { chip, type Tone } from '../frame/chip.ts'
import { momentOf, whole } from '../frame/figures.ts'
import { changeForm, type Visit } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import type { Site } from '../frame/site.ts'
import { ACTIONS } from './labels.ts'

/** Where reports of wrong decisions are sent to. */
export const REPORTS = '/account/trust/reports'
/** As the graph: `ReportDecisionInput.text`, and its answer. */
export const MAX_TEXT_CHARACTERS = 2_000
/** A URL that is decided about. */
export const MAX_TARGET_CHARACTERS = 2_048

/** What a report says, as options of its form. */
export const REPORT_KINDS: Readonly<Record<DecisionReportKind, string>> = {
  FALSE_POSITIVE: 'Too strict: it is harmless',
  FALSE_NEGATIVE: 'Too mild: it is harmful',
}

const STATUSES: Readonly<Record<DecisionReportStatus, { readonly label: string; readonly tone: Tone }>> = {
  OPEN: { label: 'open', tone: 'none' },
  ACCEPTED: { label: 'accepted', tone: 'good' },
  REJECTED: { label: 'rejected', tone: 'bad' },
}

type Key = { readonly id: string; readonly name: string }

/** The form of a report; `about`: a decision that it is of, null for any decision or target. */
export function reportForm(keys: readonly Key[], { about, session, site, typed }: ReportPlace): Html {
  return changeForm(
    REPORTS,
    session,
    site,
    html`${about === null ? html`<p><label for="about">Host, URL, or id of a decision</label><input type="text" id="about" name="about" value="${typed('about')}" maxlength="${MAX_TARGET_CHARACTERS}" autocomplete="off" required></p>` : html`<input type="hidden" name="about" value="${about}">`}
${keyField(keys, typed('key'))}
<p><label for="kind">What is wrong</label><select id="kind" name="kind">${options(REPORT_KINDS, typed('kind'))}</select></p>
<p><label for="expected">Expected action (optional)</label><select id="expected" name="expected"><option value="">Not said</option>${options(EXPECTED, typed('expected'))}</select></p>
<p><label for="text">Reason</label><textarea id="text" name="text" rows="4" maxlength="${MAX_TEXT_CHARACTERS}" required>
${typed('text')}</textarea></p>
<p class="quiet">The operator reads it with the host. Of http and https URLs in it, only the host stays; paths without a scheme are kept.${about === null && ' A host or URL is decided first, which is one scan.'}</p>
<p><button>Report it</button></p>`,
  )
}

type ReportPlace = {
  readonly about: string | null
  readonly session: Visit
  readonly site: Site
  readonly typed: (field: string) => string
}

const keyField = (keys: readonly Key[], chosen: string): Html =>
  keys.length === 1
    ? html`<input type="hidden" name="key" value="${keys[0]?.id}">`
    : html`<p><label for="key">Key</label><select id="key" name="key">${options(Object.fromEntries(keys.map(({ id, name }) => [id, name])), chosen)}</select></p>`

const EXPECTED: Readonly<Record<RecommendedAction, string>> = {
  PROCEED: ACTIONS.PROCEED.short,
  PROCEED_WITH_CAUTION: ACTIONS.PROCEED_WITH_CAUTION.short,
  SANDBOX: ACTIONS.SANDBOX.short,
  ESCALATE_TO_HUMAN: ACTIONS.ESCALATE_TO_HUMAN.short,
  DENY: ACTIONS.DENY.short,
}

const options = (labels: Readonly<Record<string, string>>, chosen: string): readonly Html[] =>
  Object.entries(labels).map(
    ([value, label]) => html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`,
  )

/** What became of one report. */
export const reportStatus = ({
  kind,
  expectedAction,
  text,
  status,
  answer,
  createdAt,
  resolvedAt,
}: AccountReportFragment): Html =>
  html`<p>${chip(STATUSES[status].label, STATUSES[status].tone)} <time datetime="${createdAt}">${momentOf(createdAt)}</time>: ${REPORT_KINDS[kind].toLowerCase()}${expectedAction != null && html`, expected: ${ACTIONS[expectedAction].short.toLowerCase()}`}.</p>
<p>${text}</p>
${answer != null && html`<p><strong>The operator answered${resolvedAt != null && html` <time datetime="${resolvedAt}">${momentOf(resolvedAt)}</time>`}:</strong> ${answer}</p>`}`

/** The newest reports of a key, of `total`. */
export const reportTable = (
  { name }: Key,
  reports: readonly AccountReportFragment[],
  total: number,
  decisionAt: (id: string) => string,
): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="Reports of ${name}"><table>
<thead><tr><th scope="col">Host</th><th scope="col">Decision</th><th scope="col">Status</th><th scope="col">Reported</th><th scope="col">Answer</th></tr></thead>
<tbody>${reports.map(
    ({ decisionId, host, action, kind, status, answer, createdAt }) =>
      html`<tr><th scope="row"><a href="${decisionAt(decisionId)}">${host}</a></th>
<td><span class="tone tone-${ACTIONS[action].tone}">${ACTIONS[action].short}</span>, ${kind === 'FALSE_POSITIVE' ? 'too strict' : 'too mild'}</td><td>${chip(STATUSES[status].label, STATUSES[status].tone)}</td><td><time datetime="${createdAt}">${momentOf(createdAt)}</time></td><td>${answer ?? '–'}</td></tr>`,
  )}</tbody></table></div>${total > reports.length && html`<p class="quiet">The newest ${reports.length} of ${whole(total)} are shown.</p>`}`
