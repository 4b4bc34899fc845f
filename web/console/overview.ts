import { ConsoleOverviewDocument, type ConsoleOverviewQuery } from '#generated/operations.ts'
import {
  type AddressUse,
  BAN_SECONDS,
  MAX_REQUESTS_OVER_LIMIT,
  MAX_REQUESTS_PER_MINUTE,
  MAX_REQUESTS_PER_SECOND,
} from '../../rest-facade/store/caller/rate-limit.ts'
import { counted, dayOf, whole } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import { pathIn, type Site } from '../frame/site.ts'
import { ORDERS } from './orders.ts'
import { consolePage } from './page.ts'
import { PRODUCTS } from './products.ts'
import { RETURNS } from './returns.ts'
import { CURRENCY, salesSection } from './sales.ts'
import { isFailing, WEBHOOKS } from './webhooks.ts'

export const overview = consolePage({
  path: '/console',
  label: 'Overview',
  needs: ['read_store', 'read_settings', 'read_products', 'read_orders', 'read_hooks'],
  operations: [ConsoleOverviewDocument],
  parameters: { currency: CURRENCY },
  scripts: ['live.js'],
  async body({ query, run, uses, site }) {
    const found = dataOf(await run(ConsoleOverviewDocument, { currency: query.currency }))
    const { store, all, onSale, salesReport } = found
    const used = await uses(store.code)
    return html`<h1>${store.name}</h1>
${all.totalCount === 0 && firstSteps(store, site)}
${toDo(found, site)}
${salesSection(salesReport, [store.currency, ...found.storeCurrencies.map(({ code }) => code)], site)}
<div class="halves">
<section aria-labelledby="facts"><h2 id="facts">The store</h2><dl class="facts-list">
<dt>Home page</dt><dd><a href="${pathIn(store.url)}">${store.url}</a></dd>
<dt>Code</dt><dd><code>${store.code}</code></dd>
<dt>Owner</dt><dd>${store.email ?? 'no e-mail address'}</dd>
<dt>Products</dt><dd><a href="${site.at('/console/products')}">${counted(all.totalCount, 'product')}</a>, ${whole(onSale.totalCount)} on sale</dd>
<dt>Currency</dt><dd>${store.currency}</dd>
<dt>Weight unit</dt><dd>${store.weightUnit.toLowerCase()}</dd>
<dt>Languages</dt><dd>${store.languages.map(({ name }) => name).join(', ')}</dd>
<dt>Country</dt><dd>${store.country}</dd>
<dt>Time zone</dt><dd>${store.timezone}</dd>
<dt>Plan</dt><dd>${store.subscriptionPlan} (${store.subscriptionStatus})</dd>
<dt>Since</dt><dd><time datetime="${store.createdAt}">${dayOf(store.createdAt)}</time></dd>
</dl></section>
<section aria-labelledby="limits"><h2 id="limits">Rate limits</h2>
<p>The <a href="${site.at('/reference/store')}">REST API</a> allows per IP address</p>
<ul><li><strong>${whole(MAX_REQUESTS_PER_SECOND)}</strong> requests per second, and</li><li><strong>${whole(MAX_REQUESTS_PER_MINUTE)}</strong> requests per minute.</li></ul>
<p>Response headers contain the remaining requests. An address that exceeds a limit ${whole(MAX_REQUESTS_OVER_LIMIT)} times is banned for ${counted(BAN_SECONDS / 3_600, 'hour')}.</p>
<h3>Used in this minute</h3>
${used.length === 0 ? html`<p>No requests yet.</p>` : usesOf(used)}</section>
</div>`
  },
})

type Overview = ConsoleOverviewQuery

/** What waits for the owner; each number leads to its list. */
const toDo = (
  { toSend, toBePaid, returns, lowStock, webhookSubscriptions }: Overview,
  { at }: Site,
): Html => html`<section aria-labelledby="to-do"><h2 id="to-do">To do</h2>
<dl class="figures" id="waiting" data-live>${[
  [toSend.totalCount, 'paid orders to send', `${ORDERS}?status=paid&delivery=unfulfilled`],
  [toBePaid.totalCount, 'orders to be paid', `${ORDERS}?status=pending`],
  [returns.totalCount, 'returns to decide or refund', `${RETURNS}?status=open`],
  [lowStock.totalCount, 'products low in stock', `${PRODUCTS}?stock=low`],
  [webhookSubscriptions.nodes.filter(isFailing).length, 'failing webhooks', `${WEBHOOKS}?state=failing`],
].map(
  ([count, label, path]) =>
    html`<div><dt>${label}</dt><dd><a href="${at(String(path))}" aria-label="${whole(Number(count))} ${label}">${whole(Number(count))}</a></dd></div>`,
)}</dl></section>`

/** How a store without products begins. */
const firstSteps = (
  { url }: Overview['store'],
  { at }: Site,
): Html => html`<section class="empty" aria-labelledby="first-steps"><h2 id="first-steps">First steps</h2>
<ol><li><a href="${at(`${PRODUCTS}/new`)}">Add a product</a>.</li>
<li>Say <a href="${at('/docs/guides/sell-with-atrium')}">how it is sent and paid</a>, and check it in the <a href="${at('/console/settings')}">settings</a>.</li>
<li><a href="${pathIn(url)}">Open your shop</a> and buy something.</li></ol></section>`

const usesOf = (used: readonly AddressUse[]): Html => html`<table aria-label="Used in this minute">
<thead><tr><th scope="col">Address</th><th scope="col">Requests</th></tr></thead>
<tbody>${used.map(
  ({ address, minute, banEndsIn }) =>
    html`<tr><th scope="row"><code>${address}</code></th><td><meter min="0" max="${MAX_REQUESTS_PER_MINUTE}" high="${MAX_REQUESTS_PER_MINUTE * 0.8}" value="${minute}" aria-label="Requests of ${address}"></meter> ${whole(minute)} of ${whole(MAX_REQUESTS_PER_MINUTE)}${
      banEndsIn > 0 &&
      html`, <strong class="tone tone-bad">banned</strong> for ${counted(Math.ceil(banEndsIn / 60_000), 'minute')} more`
    }</td></tr>`,
)}</tbody></table>`
