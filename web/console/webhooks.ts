import {
  ConsoleCreateWebhookDocument,
  ConsoleRotateHooksTokenDocument,
  ConsoleWebhooksDocument,
  type ConsoleWebhooksQuery,
} from '#generated/operations.ts'
import { counted, momentOf } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { changedBy, consoleChange } from './change.ts'
import { eventOf, eventOptions, isEvent } from './events.ts'
import { changeForm, consolePage } from './page.ts'

export const WEBHOOKS = '/console/webhooks'

/** How long the old secret signs as well, in hours, and what people read. */
const OVERLAPS = [
  [24, 'for a day'],
  [168, 'for a week'],
  [0, 'no longer: somebody knows it'],
] as const

type Webhook = ConsoleWebhooksQuery['webhookSubscriptions']['nodes'][number]

export const webhooks = consolePage({
  path: WEBHOOKS,
  label: 'Webhooks',
  asks: [ConsoleWebhooksDocument],
  notices: {
    deleted: 'The webhook is deleted. What waited for it is not sent.',
    rotated: 'There is another secret. Give it to the programs that check what they are told.',
  },
  async body({ ask, site, visit, typed }) {
    const { store, webhookSubscriptions: found } = dataOf(await ask(ConsoleWebhooksDocument, {}))
    return html`<h1>Webhooks</h1>
<p class="lead">A webhook tells a program of yours, by HTTP, when something happens in the store.</p>
${found.nodes.length === 0 ? html`<p>There is none yet.</p>` : table(found.nodes, site)}
<div class="halves">
<section aria-labelledby="another"><h2 id="another">Another webhook</h2>
${changeForm(
  WEBHOOKS,
  visit,
  site,
  html`<p><label for="event">When</label><select id="event" name="event">${eventOptions(typed('event'))}</select></p>
<p><label for="url">Tell this address</label><input type="url" id="url" name="url" value="${typed('url')}" placeholder="https://" maxlength="2000" spellcheck="false" autocomplete="off" required></p>
<p><label for="name">Name, if you like</label><input type="text" id="name" name="name" value="${typed('name')}" maxlength="100" autocomplete="off"></p>
<p><button>Create</button></p>`,
)}</section>
<section aria-labelledby="secret"><h2 id="secret">Secret</h2>
<p>What is sent is signed with it (HMAC-SHA256), so that your program knows that it comes from here. Whoever knows it can forge messages.</p>
<details><summary>Show the secret</summary><p><code>${store.hooksToken}</code></p></details>
${store.previousHooksTokenUntil != null && html`<p>The one before signs as well until <time datetime="${store.previousHooksTokenUntil}">${momentOf(store.previousHooksTokenUntil)}</time>.</p>`}
${changeForm(
  `${WEBHOOKS}/secret`,
  visit,
  site,
  html`<p><label for="overlap">The present secret goes on to sign</label><select id="overlap" name="overlap">${OVERLAPS.map(([hours, label]) => html`<option value="${hours}">${label}</option>`)}</select></p>
<p><button class="secondary">Make another secret</button></p>`,
)}</section>
</div>`
  },
})

export const webhooksChanges = [
  consoleChange({
    path: WEBHOOKS,
    on: webhooks,
    asks: [ConsoleCreateWebhookDocument],
    async make({ field, ask }) {
      const event = field('event')
      if (!isEvent(event)) return { kind: 'refused', problems: ['Choose what it is to be told of.'] }
      const name = field('name').trim()
      const { outcome } = dataOf(
        await ask(ConsoleCreateWebhookDocument, { event, url: field('url').trim(), name: name === '' ? null : name }),
      )
      const number = outcome.__typename === 'CreateWebhookSubscriptionSuccess' ? outcome.webhookSubscription.number : ''
      return changedBy(outcome, { at: `${WEBHOOKS}/${number}`, notice: 'created' })
    },
  }),
  consoleChange({
    path: `${WEBHOOKS}/secret`,
    on: webhooks,
    asks: [ConsoleRotateHooksTokenDocument],
    async make({ field, ask }) {
      const [overlapHours] = OVERLAPS.find(([hours]) => String(hours) === field('overlap')) ?? []
      if (overlapHours === undefined) return { kind: 'refused', problems: ['Choose how long the present secret is to sign.'] }
      const { outcome } = dataOf(await ask(ConsoleRotateHooksTokenDocument, { overlapHours }))
      return changedBy(outcome, { at: WEBHOOKS, notice: 'rotated' })
    },
  }),
]

const table = (nodes: readonly Webhook[], { at }: Site): Html => html`<table aria-label="Webhooks">
<thead><tr><th scope="col">When</th><th scope="col">Tells</th><th scope="col">State</th></tr></thead>
<tbody>${nodes.map(
  (webhook) =>
    html`<tr><th scope="row"><a href="${at(`${WEBHOOKS}/${webhook.number}`)}">${eventOf(webhook.event)}</a>${webhook.name !== null && html`<br><span class="quiet">${webhook.name}</span>`}</th><td><code>${webhook.url}</code></td><td>${stateOf(webhook)}</td></tr>`,
)}</tbody></table>`

/** How a webhook is, in words. */
export const stateOf = ({ pausedAt, failureCount }: Pick<Webhook, 'pausedAt' | 'failureCount'>): Html => {
  const failures = failureCount > 0 && `${counted(failureCount, 'attempt')} failed in a row`
  if (pausedAt !== null) return html`<span class="tone tone-bad">paused</span>${failures && `, ${failures}`}`
  return failures
    ? html`<span class="tone tone-doubt">failing</span>, ${failures}`
    : html`<span class="tone tone-good">working</span>`
}
