import { ConsoleOverviewDocument } from '#generated/operations.ts'
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
import { pathIn } from '../frame/site.ts'
import { consolePage } from './page.ts'

export const overview = consolePage({
  path: '/console',
  label: 'Overview',
  operations: [ConsoleOverviewDocument],
  async body({ run, uses, site }) {
    const { store, all, onSale } = dataOf(await run(ConsoleOverviewDocument, {}))
    const used = await uses(store.code)
    return html`<h1>${store.name}</h1>
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

const usesOf = (used: readonly AddressUse[]): Html => html`<table aria-label="Used in this minute">
<thead><tr><th scope="col">Address</th><th scope="col">Requests</th></tr></thead>
<tbody>${used.map(
  ({ address, minute, banEndsIn }) =>
    html`<tr><th scope="row"><code>${address}</code></th><td><meter min="0" max="${MAX_REQUESTS_PER_MINUTE}" high="${MAX_REQUESTS_PER_MINUTE * 0.8}" value="${minute}" aria-label="Requests of ${address}"></meter> ${whole(minute)} of ${whole(MAX_REQUESTS_PER_MINUTE)}${
      banEndsIn > 0 &&
      html`, <strong class="tone tone-bad">banned</strong> for ${counted(Math.ceil(banEndsIn / 60_000), 'minute')} more`
    }</td></tr>`,
)}</tbody></table>`
