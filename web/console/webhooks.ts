import {
  ConsoleCreateWebhookDocument,
  ConsoleRotateHooksTokenDocument,
  ConsoleWebhooksDocument,
  type ConsoleWebhooksQuery,
} from '#generated/operations.ts'
import { toChanged } from '../frame/change.ts'
import { counted, momentOf } from '../frame/figures.ts'
import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { consoleChange } from './change.ts'
import { eventOf, eventOptions, isEvent } from './events.ts'
import { consolePage } from './page.ts'

export const WEBHOOKS = '/console/webhooks'

/** How long the old secret signs as well, in hours, and what people read. */
const OVERLAPS = [
  [24, 'for a day'],
  [168, 'for a week'],
  [0, 'no overlap: it has leaked'],
] as const

type Webhook = ConsoleWebhooksQuery['webhookSubscriptions']['nodes'][number]

export const webhooks = consolePage({
  path: WEBHOOKS,
  label: 'Webhooks',
  needs: ['read_hooks'],
  operations: [ConsoleWebhooksDocument],
  parameters: { state: { kind: 'enum', values: ['failing'] } },
  notices: {
    deleted: 'The webhook was deleted. Its waiting deliveries are not sent.',
    rotated: 'The secret was rotated. Set the new one in the programs that verify signatures.',
  },
  async body({ query: { state }, run, site, visit, typed }) {
    const { store, webhookSubscriptions: found } = dataOf(await run(ConsoleWebhooksDocument, {}))
    return html`<h1>Webhooks</h1>
<p class="lead">A webhook sends events of the store to a program of yours by HTTP.</p>
${found.nodes.length === 0 ? html`<div class="empty" role="status"><p><strong>No webhooks yet.</strong></p><p>Create the first one below, and <a href="${site.at('/docs/guides/verify-a-webhook')}">verify what it sends</a>.</p></div>` : state === 'failing' ? failing(found.nodes.filter(isFailing), site) : table(found.nodes, site)}
<div class="halves">
<section aria-labelledby="another"><h2 id="another">New webhook</h2>
${changeForm(
  WEBHOOKS,
  visit,
  site,
  html`<p><label for="event">Event</label><select id="event" name="event">${eventOptions(typed('event'))}</select></p>
<p><label for="url">URL</label><input type="url" id="url" name="url" value="${typed('url')}" placeholder="https://" maxlength="2000" spellcheck="false" autocomplete="off" required></p>
<p><label for="name">Name (optional)</label><input type="text" id="name" name="name" value="${typed('name')}" maxlength="100" autocomplete="off"></p>
<p><button>Create</button></p>`,
)}</section>
<section aria-labelledby="secret"><h2 id="secret">Secret</h2>
<p>It signs deliveries (HMAC-SHA256), so that your program can verify their origin. Keep it secret: it allows forging deliveries.</p>
<details><summary>Show the secret</summary><p><code>${store.hooksToken}</code></p></details>
${store.previousHooksTokenUntil != null && html`<p>The previous secret also signs until <time datetime="${store.previousHooksTokenUntil}">${momentOf(store.previousHooksTokenUntil)}</time>.</p>`}
${changeForm(
  `${WEBHOOKS}/secret`,
  visit,
  site,
  html`<p><label for="overlap">The current secret remains valid</label><select id="overlap" name="overlap">${OVERLAPS.map(([hours, label]) => html`<option value="${hours}">${label}</option>`)}</select></p>
<p><button class="secondary">Rotate the secret</button></p>`,
)}</section>
</div>`
  },
})

export const webhooksChanges = [
  consoleChange({
    path: WEBHOOKS,
    on: webhooks,
    operations: [ConsoleCreateWebhookDocument],
    async make({ field, run }) {
      const event = field('event')
      if (!isEvent(event)) return { kind: 'refused', problems: ['Choose an event.'] }
      const name = field('name').trim()
      const { result } = dataOf(
        await run(ConsoleCreateWebhookDocument, { event, url: field('url').trim(), name: name === '' ? null : name }),
      )
      const number = result.__typename === 'CreateWebhookSubscriptionSuccess' ? result.webhookSubscription.number : ''
      return toChanged(result, { at: `${WEBHOOKS}/${number}`, notice: 'created' })
    },
  }),
  consoleChange({
    path: `${WEBHOOKS}/secret`,
    on: webhooks,
    operations: [ConsoleRotateHooksTokenDocument],
    async make({ field, run }) {
      const [overlapHours] = OVERLAPS.find(([hours]) => String(hours) === field('overlap')) ?? []
      if (overlapHours === undefined) return { kind: 'refused', problems: ['Choose how long the current secret remains valid.'] }
      const { result } = dataOf(await run(ConsoleRotateHooksTokenDocument, { overlapHours }))
      return toChanged(result, { at: WEBHOOKS, notice: 'rotated' })
    },
  }),
]

const failing = (nodes: readonly Webhook[], site: Site): Html =>
  html`${
    nodes.length === 0 ? html`<p>No webhook is failing.</p>` : table(nodes, site)
  }<p><a href="${site.at(WEBHOOKS)}">All webhooks</a></p>`

/** Whether the last attempt failed. */
export const isFailing = ({ failureCount }: Pick<Webhook, 'failureCount'>): boolean => failureCount > 0

const table = (nodes: readonly Webhook[], { at }: Site): Html => html`<table aria-label="Webhooks">
<thead><tr><th scope="col">Event</th><th scope="col">URL</th><th scope="col">State</th></tr></thead>
<tbody>${nodes.map(
  (webhook) =>
    html`<tr><th scope="row"><a href="${at(`${WEBHOOKS}/${webhook.number}`)}">${eventOf(webhook.event)}</a>${webhook.name !== null && html`<br><span class="quiet">${webhook.name}</span>`}</th><td><code>${webhook.url}</code></td><td>${stateOf(webhook)}</td></tr>`,
)}</tbody></table>`

/** How a webhook is, in words. */
export const stateOf = ({ pausedAt, failureCount }: Pick<Webhook, 'pausedAt' | 'failureCount'>): Html => {
  const failures = failureCount > 0 && `${counted(failureCount, 'failed attempt')} in a row`
  if (pausedAt !== null) return html`<span class="tone tone-bad">paused</span>${failures && `, ${failures}`}`
  return failures
    ? html`<span class="tone tone-doubt">failing</span>, ${failures}`
    : html`<span class="tone tone-good">active</span>`
}
