import {
  AccountChangesDocument,
  AccountDecisionDocument,
  type AccountDecisionQuery,
  AccountReportsDocument,
  AccountTrustDocument,
  AccountWatchesDocument,
  type AccountWatchesQuery,
} from '#generated/operations.ts'
import type { ClientResult } from '../../gateway/client.ts'
import { userPage } from '../account/page.ts'
import { counted, momentOf, whole } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf, foundIn, type RunPageOperation } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { decidedBody } from './decision.ts'
import { changeTable, riskPlot } from './history.ts'
import { ACTIONS, humanize } from './labels.ts'
import { reportForm, reportStatus, reportTable } from './reports.ts'

const PATH = '/account/trust'
const DECISION = `${PATH}/decision`
const DOMAIN = `${PATH}/domain`
const MAX_ID_CHARACTERS = 200

type Watched = AccountWatchesQuery['watchedDomains']['edges'][number]['node']
type Key = { readonly id: string; readonly name: string }

/** Message for a key above its request rate; null for other answers. */
const rateLimitOf = ({ errors }: ClientResult<unknown>): string | null =>
  errors.find(({ extensions }) => extensions?.code === 'RATE_LIMITED')?.message ?? null

const keysOf = async (run: RunPageOperation): Promise<readonly Key[]> => dataOf(await run(AccountTrustDocument, {})).trustKeys

/** Watched domains and reports of the user's keys, and the way to a decision. */
export const trust = userPage({
  path: PATH,
  label: 'Trust',
  operations: [AccountTrustDocument, AccountWatchesDocument, AccountReportsDocument],
  notices: { reported: 'The report was sent. Its answer will be here.' },
  async body({ run, site, session, typed }) {
    const keys = await keysOf(run)
    const watched = await Promise.all(
      keys.map(async (key) => {
        const answer = await run(AccountWatchesDocument, { keyId: key.id, domain: null })
        const limited = rateLimitOf(answer)
        if (limited !== null) return { key, limited, total: 0, domains: [] }
        const { watchedDomains } = dataOf(answer)
        return { key, limited, total: watchedDomains.totalCount, domains: watchedDomains.edges.map(({ node }) => node) }
      }),
    )
    return {
      title: 'Trust',
      body: html`<h1>Trust</h1>
<p class="lead">Decisions, reports and watched domains of your keys. Nobody else sees them; reports go to the operator, too.</p>
<section aria-labelledby="decision"><h2 id="decision">A decision</h2>
<form class="sign-in" method="get" action="${site.at(DECISION)}"><p><label for="id">Its id, <code>request_id</code> of the answer</label><input type="text" id="id" name="id" maxlength="${MAX_ID_CHARACTERS}" placeholder="dec_…" autocomplete="off" required></p><p><button>Show the decision</button></p></form></section>
<section aria-labelledby="watched"><h2 id="watched">Watched domains</h2>
${
  keys.length === 0
    ? html`<p>You have no keys yet: <a href="${site.at('/account/keys')}">make one</a>.</p>`
    : watched.map(
        ({ key, limited, total, domains }) =>
          html`<h3>${key.name}</h3>${limited !== null ? html`<p role="status">${limited} The domains of your other keys are shown.</p>` : domains.length === 0 ? html`<p class="quiet">This key watches no domains.</p>` : table(key, domains, site)}${total > domains.length && html`<p class="quiet">The first ${domains.length} of ${whole(total)} are shown.</p>`}`,
      )
}</section>
${
  keys.length > 0 &&
  html`<section aria-labelledby="reports"><h2 id="reports">Reports of wrong decisions</h2>
${await reportsOf(keys, run, site)}
<details class="write"${typed('about') !== '' && html` open`}><summary>Report a wrong decision</summary>${reportForm(keys, { about: null, session, site, typed })}</details></section>`
}`,
    }
  },
})

/** The newest reports of each key that has some. */
async function reportsOf(keys: readonly Key[], run: RunPageOperation, site: Site): Promise<readonly Html[]> {
  const found = await Promise.all(
    keys.map(async (key) => {
      const answer = await run(AccountReportsDocument, { keyId: key.id })
      const limited = rateLimitOf(answer)
      if (limited !== null) return html`<h3>${key.name}</h3><p role="status">${limited}</p>`
      const { edges, totalCount } = dataOf(answer).decisionReports
      const reports = edges.map(({ node }) => node)
      return reports.length === 0
        ? null
        : html`<h3>${key.name}</h3>${reportTable(key, reports, totalCount, (id) => site.at(decisionPath(id)))}`
    }),
  )
  const tables = found.filter((each) => each !== null)
  return tables.length > 0 ? tables : [html`<p class="quiet">No reports yet.</p>`]
}

const decisionPath = (id: string): string => `${DECISION}?${new URLSearchParams({ id })}`

const table = (key: Key, domains: readonly Watched[], site: Site): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="Domains that ${key.name} watches"><table>
<thead><tr><th scope="col">Domain</th><th scope="col">Action</th><th scope="col" class="number">Threat</th><th scope="col">Assessed</th></tr></thead>
<tbody>${domains.map(
    ({ domain, verdict, checkedAt }) =>
      html`<tr><th scope="row"><a href="${site.at(`${DOMAIN}?${new URLSearchParams({ key: key.id, domain })}`)}">${domain}</a></th>
<td${verdict && html` class="tone-${ACTIONS[verdict.action].tone}"`}>${verdict ? html`<span class="tone">${ACTIONS[verdict.action].short}</span>` : 'not assessed yet'}</td><td class="number">${verdict?.threatScore}</td><td>${checkedAt != null && momentOf(checkedAt)}</td></tr>`,
  )}</tbody></table></div>`

/** One decision of a key of the user, whichever made it. */
export const trustDecision = userPage({
  path: DECISION,
  operations: [AccountTrustDocument, AccountDecisionDocument],
  parameters: { id: { kind: 'text', max: MAX_ID_CHARACTERS, required: true } },
  async body({ run, query: { id }, site, session, typed }) {
    const limited: ClientResult<AccountDecisionQuery>[] = []
    for (const key of await keysOf(run)) {
      const answer = await run(AccountDecisionDocument, { id, keyId: key.id })
      if (rateLimitOf(answer) !== null) limited.push(answer)
      if (rateLimitOf(answer) !== null) continue
      const { decision, decisionReports } = dataOf(answer)
      if (!decision) continue
      const report = decisionReports.edges[0]?.node ?? null
      return {
        title: `Decision about ${decision.assessment.target.unicode}`,
        body: html`${decisionBody(decision, key, site)}
<section aria-labelledby="report"><h2 id="report">${report ? 'Your report' : 'Is it wrong?'}</h2>
${report ? reportStatus(report) : html`<details class="write"><summary>Report this decision</summary>${reportForm([key], { about: id, session, site, typed })}</details>`}</section>`,
      }
    }
    // It may be one of a key that could not be searched.
    for (const answer of limited) foundIn(null, answer)
    return null
  },
})

function decisionBody(
  { id, decidedAt, assessment, audit }: NonNullable<AccountDecisionQuery['decision']>,
  key: Key,
  site: Site,
): Html {
  const { interaction, policy, override } = assessment
  const { sources } = audit.snapshot
  return html`<p><a href="${site.at(PATH)}">Trust</a></p>
<h1>Decision about ${assessment.target.unicode}</h1>
<p class="lead">Made <time datetime="${decidedAt}">${momentOf(decidedAt)}</time> for ${key.name}: ${humanize(interaction.kind)}, ${humanize(interaction.mode)}, sensitivity ${humanize(interaction.sensitivity)}, policy ${humanize(policy.profile)}. <code>${id}</code></p>
${override && html`<p>An override decided: ${override.reason}</p>`}
${decidedBody({ assessment, audit }, null)}
<details class="working"><summary>What each source said</summary>${sources.map(
    ({ source, status, facts }) =>
      html`<h3 id="facts-${source}">${source}</h3>${facts == null ? html`<p class="quiet">No facts: ${status}.</p>` : html`<pre tabindex="0" aria-labelledby="facts-${source}"><code>${JSON.stringify(facts, null, 2)}</code></pre>`}`,
  )}</details>`
}

/** How the verdict on a domain changed. */
export const trustDomain = userPage({
  path: DOMAIN,
  operations: [AccountWatchesDocument, AccountChangesDocument],
  parameters: {
    key: { kind: 'text', max: MAX_ID_CHARACTERS, required: true },
    domain: { kind: 'text', max: 2_048, required: true },
  },
  async body({ run, query: { key, domain }, site }) {
    const { watchedDomains } = dataOf(await run(AccountWatchesDocument, { keyId: key, domain }))
    const [watch] = watchedDomains.edges
    if (!watch) return null
    const { verdictChanges } = dataOf(await run(AccountChangesDocument, { keyId: key, watchId: watch.node.id }))
    if (!verdictChanges) return null
    const changes = verdictChanges.edges.map(({ node }) => node)
    const { checkedAt } = watch.node
    const until = new Date(checkedAt ?? changes[0]?.changedAt ?? 0)
    return {
      title: watch.node.domain,
      body: html`<p><a href="${site.at(PATH)}">Trust</a></p>
<h1>${watch.node.domain}</h1>
<p class="lead">${checkedAt == null ? 'Not assessed yet.' : html`Last assessed <time datetime="${checkedAt}">${momentOf(checkedAt)}</time>.`}</p>
${riskPlot(watch.node.domain, changes, until)}
${changes.length > 0 && html`<h2>${counted(verdictChanges.totalCount, 'change')}</h2>${changeTable(changes)}${verdictChanges.totalCount > changes.length && html`<p class="quiet">The newest ${changes.length} are shown.</p>`}`}`,
    }
  },
})
