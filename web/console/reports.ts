import { ConsoleReportsDocument, type OrderPeriod } from '#generated/operations.ts'
import { type LookupTable, lookupTable } from '../../platform/collections/lookup-table.ts'
import { money, whole } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import { plot } from '../frame/plot.ts'
import type { Site } from '../frame/site.ts'
import { consolePage } from './page.ts'
import { REPORT_NAMES, type ReportTable, reportTables } from './report-tables.ts'
import { CURRENCY } from './sales.ts'

export const REPORTS_PATH = '/console/reports'

/** Words of addresses for periods. */
const PERIODS: LookupTable<readonly [period: OrderPeriod, label: string]> = lookupTable({
  today: ['TODAY', 'today'],
  yesterday: ['YESTERDAY', 'yesterday'],
  'last-7-days': ['LAST_7_DAYS', '7 days'],
  'last-30-days': ['LAST_30_DAYS', '30 days'],
  'last-90-days': ['LAST_90_DAYS', '90 days'],
})
const USUAL_PERIOD = 'last-30-days'
/** Rows of a table on the page, before the one that sums the others. */
const PAGE_ROWS = 20
/** Of a word below a plot. */
const MAX_TICK_CHARACTERS = 30

export const REPORT_PARAMETERS = {
  period: { kind: 'enum', values: Object.keys(PERIODS), default: USUAL_PERIOD },
  currency: CURRENCY,
} as const

/** The period of the graph for that of an address. */
export const orderPeriodOf = (word: unknown): OrderPeriod => PERIODS[String(word)]?.[0] ?? 'LAST_30_DAYS'

export const reports = consolePage({
  path: REPORTS_PATH,
  label: 'Reports',
  needs: ['read_store', 'read_settings', 'read_products', 'read_orders'],
  operations: [ConsoleReportsDocument],
  parameters: REPORT_PARAMETERS,
  async body({ query: { period, currency: wanted }, run, site }) {
    const found = dataOf(await run(ConsoleReportsDocument, { period: orderPeriodOf(period), currency: wanted, first: PAGE_ROWS }))
    const { currency } = found.salesReport
    const tables = reportTables(found)
    const currencies = [found.store.currency, ...found.storeCurrencies.map(({ code }) => code)]
    const link = (to: { readonly period: string; readonly currency: string }, label: string, isChosen: boolean) =>
      html`<a href="${site.at(`${REPORTS_PATH}?${new URLSearchParams(to)}`)}"${isChosen && html` aria-current="true"`}>${label}</a> `
    return html`<h1>Reports</h1>
<p class="lead">Orders count on the day of their creation, as they are now. Refunds are not subtracted.</p>
<nav class="filters" aria-label="Period">${Object.entries(PERIODS).map(([word, each]) => link({ period: word, currency }, each[1], word === period))}</nav>
${currencies.length > 1 && html`<nav class="filters" aria-label="Currency">${currencies.map((code) => link({ period, currency: code }, code, code === currency))}</nav>`}
${REPORT_NAMES.map((name) => tables[name] && section(name, tables[name], new URLSearchParams({ period, currency }), site))}`
  },
})

const section = (name: string, table: ReportTable, query: URLSearchParams, { at }: Site): Html =>
  html`<section aria-labelledby="${name}"><h2 id="${name}">${table.heading}</h2>
${table.rows.length === 0 ? html`<p>None yet.</p>` : html`${bars(table)}${tableOf(table)}`}
<p><a href="${at(`${REPORTS_PATH}/${name}.csv?${query}`)}" download>Download ${table.heading.toLowerCase()} as CSV</a></p></section>`

function bars({ plotted, subject, currency, rows }: ReportTable): Html {
  const [first, last] = [rows[0], rows.at(-1)]
  return plot({
    kind: 'bars',
    heading: `${plotted} by ${subject.toLowerCase()}`,
    series: [{ name: '', values: rows.map(({ bar }) => Math.max(0, bar)) }],
    format: (value) => money(String(value), currency),
    min: 0,
    ticks: (rows.length > 1 ? [first, last] : [first]).map((row) => shortened(row?.label ?? '')),
    summary: `${first?.label}: ${money(String(first?.bar ?? 0), currency)}. All rows are in the table below.`,
    titleOf: (index) => {
      const row = rows[index]
      return row ? `${row.label}: ${money(String(row.bar), currency)}` : ''
    },
  })
}

/** Names of products may be longer than a plot is wide. */
const shortened = (label: string): string =>
  label.length > MAX_TICK_CHARACTERS ? `${[...label].slice(0, MAX_TICK_CHARACTERS - 1).join('')}…` : label

const tableOf = ({ heading, subject, columns, currency, rows }: ReportTable): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="${heading}"><table>
<thead><tr><th scope="col">${subject}</th>${columns.map(({ label, kind }) => label !== undefined && html`<th scope="col"${kind !== 'text' && html` class="number"`}>${label}</th>`)}</tr></thead>
<tbody>${rows.map(
    ({ label, values }) =>
      html`<tr><th scope="row">${label}</th>${columns.map(({ label: shown, kind }, index) => shown !== undefined && html`<td${kind !== 'text' && html` class="number"`}>${cell(kind, values[index] ?? null, currency)}</td>`)}</tr>`,
  )}</tbody></table></div>`

function cell(kind: 'text' | 'count' | 'money', value: string | number | boolean | null, currency: string): string {
  if (value === null) return kind === 'text' ? '' : 'unknown'
  if (kind === 'text') return String(value)
  return kind === 'money' ? money(String(value), currency) : whole(Number(value))
}
