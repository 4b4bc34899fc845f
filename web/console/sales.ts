import type { ConsoleOverviewQuery } from '#generated/operations.ts'
import { counted, money } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import type { Site } from '../frame/site.ts'

type Sales = ConsoleOverviewQuery['salesReport']
type Day = Sales['days'][number]

/** Of the drawing; it is stretched to the width of the page. */
const WIDTH_PIXELS = 600
const HEIGHT_PIXELS = 160
/** Part of a day's width that its bar fills. */
const BAR_SHARE = 0.7

/** Sales of today beside those of the same weekday a week ago, a plot of all days, and their table. */
export function salesSection({ currency, timezone, days }: Sales, site: Site): Html {
  const [today, weekAgo] = [days.at(-1), days.at(-8)]
  return html`<section aria-labelledby="sales"><h2 id="sales">Sales</h2>
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
    : html`${plot(days, currency)}
<details><summary>The days as a table</summary>${table(days, currency)}</details>`
}
<p><a href="${site.at('/console/sales.csv')}" download>Download the days as CSV</a> <span class="quiet">Days in ${timezone}.</span></p></section>`
}

const figure = (label: string, { gross }: Day, currency: string): Html =>
  html`<div><dt>${label}</dt><dd>${money(gross, currency)}</dd></div>`

/** A bar per day from zero, with the amounts beside and the days below. */
function plot(days: readonly Day[], currency: string): Html {
  // As numbers only to be drawn.
  const highest = Math.max(...days.map(({ gross }) => Number(gross)))
  const top = roundedUp(highest)
  const [first, last] = [days[0]?.day ?? '', days.at(-1)?.day ?? '']
  const best = days.find(({ gross }) => Number(gross) === highest)
  const step = WIDTH_PIXELS / days.length
  return html`<figure class="bars"><figcaption>Gross sales by day, ${dayName(first)} to ${dayName(last)}</figcaption>
<div class="amounts" aria-hidden="true"><span>${amount(top, currency)}</span><span>${amount(top / 2, currency)}</span><span>0</span></div>
<svg viewBox="0 0 ${WIDTH_PIXELS} ${HEIGHT_PIXELS}" preserveAspectRatio="none" role="img" aria-label="Gross sales by day: at most ${best ? `${money(best.gross, currency)}, on ${dayName(best.day)}` : amount(0, currency)}. All days are in the table below.">
<path d="M0 0H${WIDTH_PIXELS}M0 ${HEIGHT_PIXELS / 2}H${WIDTH_PIXELS}M0 ${HEIGHT_PIXELS}H${WIDTH_PIXELS}" vector-effect="non-scaling-stroke"/>
${days.map(({ day, gross, ordersPaid }, index) => {
  const height = (Number(gross) / top) * HEIGHT_PIXELS
  return html`<rect x="${(index * step + (step * (1 - BAR_SHARE)) / 2).toFixed(1)}" y="${(HEIGHT_PIXELS - height).toFixed(1)}" width="${(step * BAR_SHARE).toFixed(1)}" height="${height.toFixed(1)}"><title>${dayName(day)}: ${money(gross, currency)}, ${counted(ordersPaid, 'paid order')}</title></rect>`
})}</svg>
<div class="days" aria-hidden="true"><span>${dayName(first)}</span><span>${dayName(days[Math.floor(days.length / 2)]?.day ?? '')}</span><span>today</span></div></figure>`
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

/** The next of 1, 2, 5, 10, 20, 50, … that is not less. */
function roundedUp(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5].find((factor) => factor * power >= value) ?? 10) * power
}

const amount = (value: number, currency: string): string => money(String(value), currency)

/** Nov 5, or Thursday: of a day as YYYY-MM-DD. */
const dayName = (day: string, weekday?: 'long'): string =>
  new Intl.DateTimeFormat(
    'en',
    weekday ? { weekday, timeZone: 'UTC' } : { month: 'short', day: 'numeric', timeZone: 'UTC' },
  ).format(new Date(`${day}T00:00:00Z`))
