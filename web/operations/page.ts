import type { OperationsPageQuery } from '#generated/operations.ts'
import type { Sample } from '../../gateway/observability/history.ts'
import type { readinessOf } from '../../platform/http/readiness.ts'
import { chip } from '../frame/chip.ts'
import { counted, momentOf, whole } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import type { WebPage } from '../frame/page.ts'
import { plot } from '../frame/plot.ts'
import type { Site } from '../frame/site.ts'
import { OPERATOR_REPORTS } from './report-pages.ts'

/** How every part of the process is; null where nothing could be learned. */
export type OperationsState = {
  readonly samples: readonly Sample[]
  readonly readiness: Awaited<ReturnType<typeof readinessOf>>
  readonly circuits: readonly { readonly name: string; readonly state: string }[]
  readonly data: OperationsPageQuery | null
}

/** The page of who runs this. */
export function operationsPage({ samples, readiness, circuits, data }: OperationsState, site: Site): WebPage {
  const since = sinceOf(samples)
  return {
    title: 'Operations',
    description: 'Metrics of this process.',
    scripts: ['live.js'],
    body: html`<h1>Operations</h1>
<div id="figures" data-live>
<p class="quiet">This process, the last ${samples.length === 0 ? 'moments' : spanOf(samples)}. Refreshed every five seconds; all metrics are at <code>/metrics</code>. What to do when a figure is wrong: <a href="${site.at('/docs/operations/runbooks')}">runbooks</a>.</p>
<section aria-labelledby="graph"><h2 id="graph">The graph</h2><div class="plots">
${lines('Operations per second', [{ name: '', values: series(samples, 'operationsPerSecond') }], { format: rate, min: 1, since })}
${lines('Failures per second', [{ name: '', values: series(samples, 'failuresPerSecond') }], { format: rate, min: 1, since })}
${lines(
  'Latency of operations',
  [
    { name: 'p50', values: series(samples, 'medianSeconds') },
    { name: 'p95', values: series(samples, 'slowSeconds') },
  ],
  { format: milliseconds, min: 0.001, since },
)}
${lines('Plan cache hit rate', [{ name: '', values: series(samples, 'planCacheHits') }], { format: share, min: 1, since })}
${lines('Response cache hit rate', [{ name: '', values: series(samples, 'answerCacheHits') }], { format: share, min: 1, since })}
${lines('Subscriptions', [{ name: '', values: series(samples, 'subscriptions') }], { format: whole, min: 1, since })}
${lines('WebSockets', [{ name: '', values: series(samples, 'sockets') }], { format: whole, min: 1, since })}
${lines('Memory', [{ name: '', values: series(samples, 'memoryBytes') }], { format: megabytes, min: 1, since })}
${lines('Processor', [{ name: '', values: series(samples, 'cpu') }], { format: share, min: 1, since })}
</div></section>
<section aria-labelledby="parts"><h2 id="parts">Subgraphs</h2><div class="plots plots-pairs">${subgraphs(samples, readiness, circuits)}</div></section>
<section aria-labelledby="jobs"><h2 id="jobs">Jobs</h2>${queues(samples)}</section>
<section aria-labelledby="sources"><h2 id="sources">Sources of the directory</h2>${data && sourcesTable(data)}</section>
<section aria-labelledby="threat-feeds"><h2 id="threat-feeds">Threat feeds</h2>${data && threatFeeds(data)}</section>
<div class="halves">
<section aria-labelledby="feeds"><h2 id="feeds">Feeds and sources</h2>${
      data === null
        ? html`<p>The graph is unavailable.</p>`
        : html`<ul class="sources">${data.trustSources.map(
            ({ name, state, reason }) =>
              html`<li><span class="state-${state.toLowerCase()}">${state.toLowerCase()}</span> <strong>${name}</strong>${reason && html` <span class="quiet">(${reason})</span>`}</li>`,
          )}</ul>`
    }</section>
<section aria-labelledby="lists"><h2 id="lists">Lists of the operator</h2>${data && operatorLists(data)}</section>
<section aria-labelledby="reports"><h2 id="reports">Reports of wrong decisions</h2>${data && reports(data, site)}</section>
<section aria-labelledby="imports"><h2 id="imports">Imports</h2>${data && imports(data)}</section>
</div>
</div>`,
  }
}

function subgraphs(
  samples: readonly Sample[],
  readiness: OperationsState['readiness'],
  circuits: OperationsState['circuits'],
): Html {
  const since = sinceOf(samples)
  return html`${readiness.map(({ name, state, without }) => {
    const own = samples.map((sample) => sample.subgraphs.find((each) => each.name === name))
    const circuit = circuits.find((each) => each.name === name)?.state
    return html`<div class="part"><h3>${name} <span class="state-${state}">${state}</span>${circuit && html` <span class="quiet">circuit ${circuit}</span>`}</h3>
${without.length > 0 && html`<p class="quiet">Without ${without.join(', ')}.</p>`}
${lines(
  'Fetches per second',
  [
    { name: 'all', values: own.map((sample) => sample?.fetchesPerSecond ?? 0) },
    { name: 'failed', values: own.map((sample) => sample?.failuresPerSecond ?? 0) },
  ],
  { format: rate, min: 1, since },
)}
${lines('Latency of fetches', [{ name: 'p50', values: own.map((sample) => sample?.medianSeconds ?? null) }], { format: milliseconds, min: 0.001, since })}</div>`
  })}`
}

type Source = OperationsPageQuery['directorySources'][number]

const CHIPS: Readonly<Record<Source['health'], Parameters<typeof chip>[1]>> = {
  OK: 'good',
  LATE: 'doubt',
  FAILING: 'bad',
  NEW: 'none',
  DISABLED: 'none',
}

/** A row per source. Addresses and errors are for administrators: `npx atrium source list`. */
const sourcesTable = ({ directorySources }: OperationsPageQuery): Html =>
  directorySources.length === 0
    ? html`<p>None: the directory is as old as its last import. <code>npx atrium source add</code> adds one.</p>`
    : html`<div class="wide" tabindex="0" role="region" aria-label="Sources of the directory"><table class="unbroken">
<thead><tr><th scope="col">Source</th><th scope="col">Health</th><th scope="col" class="number">Lag</th><th scope="col">Next run</th><th scope="col" class="number">Added</th><th scope="col" class="number">Updated</th><th scope="col" class="number">Removed</th><th scope="col" class="number">Rejected</th></tr></thead>
<tbody>${directorySources.map(sourceRow)}</tbody></table></div>`

const sourceRow = (
  source: Source,
): Html => html`<tr><th scope="row">${source.name}<br><span class="quiet">${words(source.kind)}, every ${minutes(source.intervalMinutes)}</span></th>
<td>${chip(words(source.health), CHIPS[source.health])}${source.problem && html`<br><span class="quiet">${words(source.problem)}</span>`}</td>
<td class="number">${source.lagSeconds === null ? '–' : minutes(Math.round(source.lagSeconds / 60))}</td>
<td>${source.nextRunAt === null ? '–' : html`<time datetime="${source.nextRunAt}">${momentOf(source.nextRunAt)}</time>`}</td>
${[source.added, source.updated, source.removed, source.rejected].map((count) => html`<td class="number">${count === null ? '–' : whole(count)}</td>`)}</tr>`

const words = (name: string): string => name.toLowerCase().replaceAll('_', ' ')

const minutes = (count: number): string =>
  count < 120
    ? counted(count, 'minute')
    : count < 2_880
      ? counted(Math.round(count / 60), 'hour')
      : counted(Math.round(count / 1_440), 'day')

/** What applies to all keys; the entries themselves are for keys of operators. */
const operatorLists = ({ operatorLists: lists }: OperationsPageQuery): Html =>
  html`<ul class="sources">${lists.map(
    ({ list, entries, expired, hits, lastHitAt, changedAt }) =>
      html`<li><strong>${list.toLowerCase()}</strong> ${counted(entries, 'entry', 'entries')}, ${counted(hits, 'hit')} <span class="quiet">(${
        changedAt ? `changed ${momentOf(changedAt)}` : 'never changed'
      }${lastHitAt ? `, last hit ${momentOf(lastHitAt)}` : ''}${expired > 0 ? `, ${whole(expired)} expired` : ''})</span></li>`,
  )}</ul>`

type Feed = OperationsPageQuery['threatFeeds'][number]

/** A row per feed: what its listings were worth comes first, because a narrow page shows no more. */
const threatFeeds = ({ threatFeeds: feeds }: OperationsPageQuery): Html =>
  feeds.length === 0
    ? html`<p>None: <code>TRUST_LISTS</code> names those that are downloaded, <code>TRUST_OWN_FEEDS</code> your own.</p>`
    : html`<div class="wide" tabindex="0" role="region" aria-label="Threat feeds"><table class="unbroken">
<thead><tr><th scope="col">Feed</th><th scope="col" class="number">Hits</th><th scope="col" class="number">Precision</th><th scope="col">Listings</th><th scope="col">Last hit</th><th scope="col">Health</th><th scope="col" class="number">Entries</th><th scope="col">Copy of</th></tr></thead>
<tbody>${feeds.map(feedRow)}</tbody></table></div>
<p class="quiet">Precision: confirmed of confirmed and refuted listings. An answered report, or another feed within seven days, confirms; an accepted report, or removal from a feed that keeps its entries, refutes. Entries of other feeds end by themselves, so that only reports refute them. Agreement counts after the seven days. Of more than 1,000 listings of a feed a sample, for 180 days.</p>`

const FEED_CHIPS: Readonly<Record<NonNullable<Feed['state']>, Parameters<typeof chip>[1]>> = {
  UP: 'good',
  DOWN: 'bad',
  UNTRIED: 'none',
  OFF: 'none',
}

const feedRow = ({ name, state, reason, entries, asOf, hits, lastHitAt, precision, assessments }: Feed): Html =>
  html`<tr><th scope="row">${name}</th><td class="number">${whole(hits)}</td><td class="number">${precision == null ? '–' : share(precision)}</td><td>${assessmentsOf(assessments)}</td>
<td>${lastHitAt == null ? '–' : html`<time datetime="${lastHitAt}">${momentOf(lastHitAt)}</time>`}</td>
<td>${state == null ? html`<span class="quiet">no copy</span>` : chip(state.toLowerCase(), FEED_CHIPS[state])}${reason && html`<br><span class="quiet">${reason}</span>`}</td>
<td class="number">${entries == null ? '–' : whole(entries)}</td><td>${asOf == null ? '–' : html`<time datetime="${asOf}">${momentOf(asOf)}</time>`}</td></tr>`

const assessmentsOf = (counts: Feed['assessments']): Html =>
  Object.values(counts).every((count) => count === 0)
    ? html`<span class="quiet">none yet</span>`
    : html`${whole(counts.confirmedByReport + counts.confirmedByFeed)} confirmed (${whole(counts.confirmedByReport)} by reports), ${whole(counts.refutedByReport + counts.refutedByRemoval)} refuted (${whole(counts.refutedByReport)} by reports), ${whole(counts.unconfirmed + counts.expired + counts.pending)} open`

/** How many wait, and which feeds were wrong; texts and hosts are for keys of operators. */
const reports = (
  { decisionReportStats: { open, oldestOpenAt, accepted, rejected, feeds } }: OperationsPageQuery,
  site: Site,
): Html =>
  html`<p>${counted(open, 'open report')}${oldestOpenAt != null && html`, the oldest of <time datetime="${oldestOpenAt}">${momentOf(oldestOpenAt)}</time>`}; ${whole(accepted)} accepted, ${whole(rejected)} rejected. <a href="${site.at(OPERATOR_REPORTS)}">${open > 0 ? 'Answer them' : 'Show reports'}</a></p>
${feeds.length > 0 && html`<ul class="sources">${feeds.map(({ feed, reported, accepted: wrong }) => html`<li><strong>${feed}</strong> ${counted(wrong, 'false positive')} <span class="quiet">(of ${whole(reported)} reported)</span></li>`)}</ul>`}`

/** The newest look says which queues there are. */
function queues(samples: readonly Sample[]): Html {
  const found = samples.at(-1)?.queues ?? []
  const since = sinceOf(samples)
  if (found.length === 0) return html`<p>No queue data yet.</p>`
  return html`${found.map(({ name, later, oldestSeconds }) => {
    const own = samples.map((sample) => sample.queues.find((each) => each.name === name))
    const figure = (of: 'waiting' | 'active' | 'failed') =>
      lines(JOBS[of], [{ name: '', values: own.map((sample) => sample?.[of] ?? null) }], { format: whole, min: 1, since })
    return html`<div class="part"><h3>${name}</h3>
<p class="quiet">${oldestSeconds < 1 ? 'No job is overdue' : `The oldest waiting job is ${duration(oldestSeconds)} old`}; ${whole(later)} not due yet. Totals over all processes.</p>
<div class="plots">${figure('waiting')}${figure('active')}${figure('failed')}</div></div>`
  })}`
}

const JOBS = { waiting: 'Due and waiting', active: 'Being done', failed: 'Failed, to be done again' } as const

const imports = ({ directoryStats: stats }: OperationsPageQuery): Html => html`<dl class="facts-list">
<dt>Directory</dt><dd>${counted(stats.tools, 'server')}, ${counted(stats.plugins, 'plugin')}, ${counted(stats.skills, 'skill')}</dd>
<dt>Revision</dt><dd><code>${stats.revision}</code></dd>
<dt>Last change</dt><dd>${stats.changedAt ? html`<time datetime="${stats.changedAt}">${stats.changedAt.replace('T', ' ').slice(0, 19)} UTC</time>` : 'never'}</dd>
</dl>`

/** Where plots of the samples begin. */
const sinceOf = (samples: readonly Sample[]): string => {
  const span = spanOf(samples)
  return samples.length < 2 ? '' : `${span === 'minute' ? 'a minute' : span} ago`
}

/** Lines over the samples, with their last values. */
function lines(
  heading: string,
  all: readonly { readonly name: string; readonly values: readonly (number | null)[] }[],
  { format, min, since }: { readonly format: (value: number) => string; readonly min: number; readonly since: string },
): Html {
  const measured = all.flatMap(({ values }) => values).filter((value) => value !== null)
  const last = all[0]?.values.findLast((value) => value !== null)
  const summary = last == null ? 'no data yet' : `now ${format(last)}, at most ${format(Math.max(0, ...measured))}`
  return plot({ kind: 'lines', heading, series: all, format, min, summary, ticks: [since, 'now'], hasLastValues: true })
}

type Figure = Exclude<keyof Sample, 'at' | 'subgraphs' | 'queues'>
const series = (samples: readonly Sample[], name: Figure): readonly (number | null)[] => samples.map((sample) => sample[name])

/** How long the samples reach back, in whole minutes. */
function spanOf(samples: readonly Sample[]): string {
  const milliseconds = (samples.at(-1)?.at.getTime() ?? 0) - (samples[0]?.at.getTime() ?? 0)
  const minutes = Math.round(milliseconds / 60_000)
  return minutes <= 1 ? 'minute' : counted(minutes, 'minute')
}

const rate = (value: number): string => (value >= 10 ? whole(Math.round(value)) : value.toFixed(1))
const milliseconds = (seconds: number): string =>
  `${seconds < 0.01 ? (seconds * 1000).toFixed(1) : Math.round(seconds * 1000)} ms`
const duration = (seconds: number): string =>
  seconds < 120 ? counted(Math.round(seconds), 'second') : counted(Math.round(seconds / 60), 'minute')
const share = (value: number): string => `${Math.round(value * 100)} %`
const megabytes = (bytes: number): string => `${Math.round(bytes / 1_000_000)} MB`
