import type { DecisionReportStatus, OperatorReportFragment, OperatorReportsQuery } from '#generated/operations.ts'
import { noticesOf } from '../frame/change.ts'
import { counted, momentOf, whole } from '../frame/figures.ts'
import { changeForm, type Visit } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import type { WebPage } from '../frame/page.ts'
import { expiredForm } from '../frame/refusals.ts'
import type { Site } from '../frame/site.ts'
import { highlightsOf } from '../trust/highlights.ts'
import { ACTIONS, humanize, STATES, UNCERTAINTY } from '../trust/labels.ts'
import { MAX_TARGET_CHARACTERS, MAX_TEXT_CHARACTERS, REPORT_KINDS, reportStatus } from '../trust/reports.ts'

/** Path of the reports of wrong decisions, for keys of operators. */
export const OPERATOR_REPORTS = '/operations/reports'
export const REPORT_SIGN_IN = `${OPERATOR_REPORTS}/sign-in`
export const REPORT_SIGN_OUT = `${OPERATOR_REPORTS}/sign-out`
export const REPORT_ANSWER = `${OPERATOR_REPORTS}/answer`

/** Longest secret of a key that the form takes; ours have 46 characters. */
export const MAX_KEY_CHARACTERS = 255

/** Notices by the word `done` of the address that a form leads to. */
export const REPORT_NOTICES = {
  accepted: 'The report was accepted. Its owner sees the answer.',
  rejected: 'The report was rejected. Its owner sees the answer.',
  listed: 'The report was accepted, and the entry is on the list.',
} as const

/** Statuses as the address has them, in the order of the links. */
export const LISTED_STATUSES = ['open', 'accepted', 'rejected'] as const
type StatusName = (typeof LISTED_STATUSES)[number]

/** The sign-in form; `problem`: why it was refused, null for nothing. */
export const reportSignInPage = (visit: Visit, site: Site, problem: string | null): WebPage => ({
  title: 'Reports of wrong decisions',
  description: 'Reports of wrong trust decisions, for operators.',
  body: html`<h1>Reports of wrong decisions</h1>
<p class="lead">Sign in with an API key of an operator. <code>npx atrium trust key create --operator</code> makes one; its name is stored with each answer.</p>
<div class="sign-in">${changeForm(
    REPORT_SIGN_IN,
    visit,
    site,
    html`<p><label for="key">API key</label><input type="password" id="key" name="key" autocomplete="off" maxlength="${MAX_KEY_CHARACTERS}" required></p><p><button>Sign in</button></p>`,
  )}
${problem !== null && html`<p role="alert">${problem}</p>`}</div>
<p class="quiet">The browser stores an encrypted session cookie until you sign out, for eight hours at most.</p>`,
})

/** A form of another site, or one that is older than the session. */
export const foreignReportForm = (site: Site): WebPage => expiredForm(site, { path: OPERATOR_REPORTS, label: 'Open the reports' })

/** What one page of the list is made from. */
export type ReportList = {
  readonly reports: OperatorReportsQuery['allDecisionReports']
  readonly status: StatusName
  /** Cursor that the page begins after; null: the first page. */
  readonly after: string | null
  readonly visit: Visit
  readonly site: Site
  readonly notice: string | undefined
  /** The refused answer; null: none was. */
  readonly refused: RefusedAnswer | null
}

/** An answer that was refused, as it was typed. */
export type RefusedAnswer = {
  readonly id: string
  readonly problem: string
  readonly field: (name: string) => string
}

/** Reports of all keys with one status, newest first, with their evidence and a form for each open one. */
export function operatorReportsPage(list: ReportList): WebPage {
  const { reports, status, after, visit, site, notice, refused } = list
  const nodes = reports.edges.map(({ node }) => node)
  const isShown = refused !== null && nodes.some(({ id }) => id === refused.id)
  return {
    title: 'Reports of wrong decisions',
    description: 'Reports of wrong trust decisions, for operators.',
    ...(refused && { status: 422 }),
    body: html`${noticesOf(notice, refused ? [refused.problem] : [])}<h1>Reports of wrong decisions</h1>
<p class="lead">What owners of keys say of decisions. An answer is shown to the owner; only an entry of a list changes later decisions, those of all keys.</p>
<nav class="filters" aria-label="Status of the reports">${LISTED_STATUSES.map(
      (each) =>
        html`<a href="${site.at(addressOf(each))}"${each === status && html` aria-current="page"`}>${STATUS_LABELS[each]}</a>`,
    )}</nav>
${changeForm(REPORT_SIGN_OUT, visit, site, html`<p><button class="plain">Sign out</button></p>`)}
<p class="quiet">${counted(reports.totalCount, `${status} report`)}, newest first.</p>
${refused !== null && !isShown && html`<p>The report is on another page, or was answered meanwhile. Your answer: <q>${refused.field('answer')}</q></p>`}
${nodes.length === 0 && html`<p>${EMPTY[status]}</p>`}
${nodes.map((report, index) => reportSection(report, `r${index}`, list))}
<p class="pages">${after !== null && html`<a href="${site.at(addressOf(status))}">Back to the newest</a> `}${reports.pageInfo.hasNextPage && html`<a href="${site.at(addressOf(status, reports.pageInfo.endCursor ?? ''))}" rel="next">Older reports</a>`}</p>`,
  }
}

const STATUS_LABELS: Readonly<Record<StatusName, string>> = { open: 'Open', accepted: 'Accepted', rejected: 'Rejected' }
const EMPTY: Readonly<Record<StatusName, string>> = {
  open: 'No open reports.',
  accepted: 'No accepted reports yet.',
  rejected: 'No rejected reports yet.',
}

/** The enum value of the graph. */
export const STATUS_VALUES: Readonly<Record<StatusName, DecisionReportStatus>> = {
  open: 'OPEN',
  accepted: 'ACCEPTED',
  rejected: 'REJECTED',
}

const addressOf = (status: StatusName, after?: string): string => {
  const parameters = { ...(status !== 'open' && { status }), ...(after !== undefined && { after }) }
  const query = new URLSearchParams(parameters).toString()
  return query === '' ? OPERATOR_REPORTS : `${OPERATOR_REPORTS}?${query}`
}

/** `prefix`: of the ids on the page, one per report. */
function reportSection(report: OperatorReportFragment, prefix: string, { after, visit, site, refused }: ReportList): Html {
  const { id, host, action, decision, decisionId, status } = report
  const { short, tone } = ACTIONS[action]
  const typed = (name: string): string => (refused?.id === id ? refused.field(name) : '')
  return html`<section aria-labelledby="${prefix}"><h2 id="${prefix}">${host} <span class="tone tone-${tone}">${short}</span></h2>
${decision && decision.assessment.target.unicode !== host && html`<p>Readers see <strong>${decision.assessment.target.unicode}</strong>.</p>`}
${reportStatus(report)}
<details class="working"><summary>Evidence of the decision</summary>${
    decision
      ? html`<p class="quiet">Made <time datetime="${decision.decidedAt}">${momentOf(decision.decidedAt)}</time>. <code>${decisionId}</code></p>${evidenceOf(decision)}`
      : html`<p>The decision was deleted meanwhile.</p>`
  }</details>
${status === 'OPEN' && html`<details class="write"${refused?.id === id && html` open`}><summary>Answer</summary>${answerForm(report, { prefix, after, visit, site, typed })}</details>`}</section>`
}

type ReportedDecision = NonNullable<OperatorReportFragment['decision']>

/** Reasons, and what each source said. */
function evidenceOf({ assessment, audit }: ReportedDecision): Html {
  const { sources } = audit.snapshot
  const [withoutFacts, withFacts] = [sources.filter(({ facts }) => facts == null), sources.filter(({ facts }) => facts != null)]
  return html`${highlightsOf(assessment.evidence.highlights)}
<p>It is ${STATES[assessment.state]}. Trust ${assessment.scores.trust.score}, threat ${assessment.scores.threat.score}, deviation ${assessment.scores.deviation.score}; the decision is ${UNCERTAINTY[assessment.uncertainty.level]}.</p>
${
  withoutFacts.length > 0 &&
  html`<dl class="facts-list">${withoutFacts.map(({ source, status, reason }) => html`<dt>${source}</dt><dd>${status}${reason && `: ${humanize(reason)}`}</dd>`)}</dl>`
}
${withFacts.map(
  ({ source, status, facts }) =>
    html`<h3>${source} <span class="quiet">${status}</span></h3><pre tabindex="0" aria-label="Facts of ${source}"><code>${JSON.stringify(facts, null, 2)}</code></pre>`,
)}`
}

type FormParts = {
  readonly prefix: string
  /** As of the list, which a refused answer shows again. */
  readonly after: string | null
  readonly visit: Visit
  readonly site: Site
  readonly typed: (name: string) => string
}

/** The answer, and an entry of a list that is added in the same transaction. */
function answerForm({ id, host, kind }: OperatorReportFragment, { prefix, after, visit, site, typed }: FormParts): Html {
  const list = kind === 'FALSE_POSITIVE' ? 'ALLOW' : 'BLOCK'
  const idOf = (name: string): string => `${prefix}-${name}`
  const chosen = typed('list')
  return changeForm(
    after === null ? REPORT_ANSWER : `${REPORT_ANSWER}?${new URLSearchParams({ after })}`,
    visit,
    site,
    html`<input type="hidden" name="id" value="${id}">
<p><label for="${idOf('answer')}">Answer for the owner of the key</label><textarea id="${idOf('answer')}" name="answer" rows="3" maxlength="${MAX_TEXT_CHARACTERS}" required>
${typed('answer')}</textarea></p>
<p><label for="${idOf('list')}">When accepted, add to a list</label><select id="${idOf('list')}" name="list"><option value="">No list</option>${(
      ['ALLOW', 'BLOCK'] as const
    ).map(
      (each) =>
        html`<option value="${each}"${each === chosen && html` selected`}>${LISTS[each]}${each === list ? ', as the report suggests' : ''}</option>`,
    )}</select></p>
<p><label for="${idOf('target')}">Name, address or URL of the entry</label><input type="text" id="${idOf('target')}" name="target" value="${typed('target') || host}" maxlength="${MAX_TARGET_CHARACTERS}" autocomplete="off" autocapitalize="none" spellcheck="false"></p>
<p class="quiet">A name covers all hosts below it. The reason of the entry is your answer, up to ${whole(MAX_REASON_CHARACTERS)} characters.</p>
<p><button name="verdict" value="accept">Accept: ${REPORT_KINDS[kind].toLowerCase().split(':', 1)[0]}</button> <button class="plain" name="verdict" value="reject">Reject</button></p>`,
  )
}

/** As the graph: `OperatorListEntryInput.reason`. */
export const MAX_REASON_CHARACTERS = 500

const LISTS = { ALLOW: 'Allow: it may proceed', BLOCK: 'Block: it is denied' } as const
