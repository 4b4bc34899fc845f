import type { ConsoleOverviewQuery } from '#generated/operations.ts'
import { counted, money } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { plot } from '../frame/plot.ts'
import type { Site } from '../frame/site.ts'

type Sales = ConsoleOverviewQuery['salesReport']
type Day = Sales['days'][number]

/** Parameter of pages with sales: an ISO 4217 code; absent: the currency of the store. */
export const CURRENCY = { kind: 'text', max: 3 } as const

/** Sales of today beside those of the same weekday a week ago, a plot of all days, and their table. */
export function salesSection({ currency, timezone, days }: Sales, currencies: readonly string[], site: Site): Html {
  const [today, weekAgo] = [days.at(-1), days.at(-8)]
  return html`<section aria-labelledby="sales"><h2 id="sales">Sales</h2>
${currencies.length > 1 && html`<p>Orders in ${currencies.map((code) => html`<a href="${site.at(`/console?currency=${code}`)}"${code === currency && html` aria-current="true"`}>${code === currency ? html`<strong>${code}</strong>` : code}</a> `)}</p>`}
<dl class="figures">${today && figure(`today, ${counted(today.ordersPaid, 'paid order')} of ${today.ordersPlaced}`, today, currency)}${
    weekAgo &&
    figure(
      `${dayName(weekAgo.day, 'long')} a week ago, ${counted(weekAgo.ordersPaid, 'paid order')} of ${weekAgo.ordersPlaced}`,
      weekAgo,
      currency,
    )
  }</dl>
${
  days.every(({ ordersPlaced }) => ordersPlaced === 0)
    ? html`<div class="empty"><p><strong>No orders in ${days.length} days.</strong></p><p>Their sales appear here, day by day.</p></div>`
    : html`${bars(days, currency)}
<details><summary>The days as a table</summary>${table(days, currency)}</details>`
}
<p><a href="${site.at(`/console/sales.csv?currency=${currency}`)}" download>Download the days as CSV</a> <span class="quiet">Days in ${timezone}.</span></p></section>`
}

const figure = (label: string, { gross }: Day, currency: string): Html =>
  html`<div><dt>${label}</dt><dd>${money(gross, currency)}</dd></div>`

function bars(days: readonly Day[], currency: string): Html {
  // As numbers only to be drawn.
  const values = days.map(({ gross }) => Number(gross))
  const best = days[values.indexOf(Math.max(...values))]
  const first = days[0]?.day ?? ''
  return plot({
    kind: 'bars',
    heading: 'Gross sales by day',
    series: [{ name: '', values }],
    format: (value) => money(String(value), currency),
    min: 0,
    ticks: [dayName(first), dayName(days[Math.floor(days.length / 2)]?.day ?? ''), 'today'],
    summary: `at most ${best ? `${money(best.gross, currency)}, on ${dayName(best.day)}` : money('0', currency)}. All days are in the table below.`,
    titleOf: (index) => {
      const day = days[index]
      return day ? `${dayName(day.day)}: ${money(day.gross, currency)}, ${counted(day.ordersPaid, 'paid order')}` : ''
    },
  })
}

const table = (
  days: readonly Day[],
  currency: string,
): Html => html`<div class="wide" tabindex="0" role="region" aria-label="Sales by day"><table>
<thead><tr><th scope="col">Day</th><th scope="col" class="number">Placed</th><th scope="col" class="number">Paid</th><th scope="col" class="number">Canceled</th><th scope="col" class="number">Gross</th><th scope="col" class="number">Net</th><th scope="col" class="number">Refunded</th></tr></thead>
<tbody>${days.map(
  ({ day, ordersPlaced, ordersPaid, ordersCanceled, gross, net, refunded }) =>
    html`<tr><th scope="row"><time datetime="${day}">${dayName(day)}</time></th>${[ordersPlaced, ordersPaid, ordersCanceled].map((count) => html`<td class="number">${count}</td>`)}${[gross, net, refunded].map((each) => html`<td class="number">${money(each, currency)}</td>`)}</tr>`,
)}</tbody></table></div>`

/** Nov 5, or Thursday: of a day as YYYY-MM-DD. */
const dayName = (day: string, weekday?: 'long'): string =>
  new Intl.DateTimeFormat(
    'en',
    weekday ? { weekday, timeZone: 'UTC' } : { month: 'short', day: 'numeric', timeZone: 'UTC' },
  ).format(new Date(`${day}T00:00:00Z`))
