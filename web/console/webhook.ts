import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import {
  ConsoleDeleteWebhookDocument,
  ConsolePauseWebhookDocument,
  ConsoleReplayDeliveryDocument,
  ConsoleResumeWebhookDocument,
  ConsoleTestWebhookDocument,
  ConsoleWebhookDocument,
  type ConsoleWebhookQuery,
  type WebhookDeliveryStatus,
} from '#generated/operations.ts'
import { lookupTable } from '../../platform/collections/lookup-table.ts'
import { type MutationPayload, toChanged } from '../frame/change.ts'
import { counted, momentOf, whole } from '../frame/figures.ts'
import type { Visit } from '../frame/form-token.ts'
import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { consoleChange } from './change.ts'
import { eventOf } from './events.ts'
import { type ListLabels, nextLinks, wordOf } from './list.ts'
import { consolePage } from './page.ts'
import { stateOf, WEBHOOKS } from './webhooks.ts'

/** What each status is called in addresses and on the page. */
const STATUSES: ListLabels<WebhookDeliveryStatus> = lookupTable({
  waiting: ['WAITING', 'waiting'],
  delivered: ['DELIVERED', 'delivered'],
  failed: ['FAILED', 'failed'],
})

const TONES: Readonly<Record<WebhookDeliveryStatus, string>> = { WAITING: 'doubt', DELIVERED: 'good', FAILED: 'bad' }

type Webhook = NonNullable<ConsoleWebhookQuery['webhookSubscription']>
type Delivery = ConsoleWebhookQuery['webhookDeliveries']['nodes'][number]
type Attempt = Delivery['attempts'][number]
type WebhookPage = { readonly path: string; readonly visit: Visit; readonly site: Site }

export const webhook = consolePage({
  path: `${WEBHOOKS}/{webhook}`,
  label: 'Webhook',
  operations: [ConsoleWebhookDocument],
  scripts: ['live.js'],
  parameters: {
    status: { kind: 'enum', values: Object.keys(STATUSES) },
    after: { kind: 'text', max: 1_000 },
  },
  notices: {
    created: 'The webhook was created for future events.',
    paused: 'The webhook is paused: events are stored for it.',
    resumed: 'The webhook was resumed: stored events are being sent.',
    tested: 'The test delivery is scheduled. Its result appears below; without JavaScript, reload the page.',
    replayed: 'The delivery is scheduled again. Its result appears below; without JavaScript, reload the page.',
  },
  async body({ path: { webhook: number }, query: { status, after }, run, site, visit }) {
    if (!/^[1-9]\d{0,9}$/.test(number)) return null
    const chosen = status === null ? undefined : STATUSES[status]?.[0]
    const answer = await run(ConsoleWebhookDocument, {
      number,
      deliveries: { webhookSubscriptionId: number, ...(chosen && { status: chosen }) },
      after,
    })
    const { webhookSubscription: found, webhookDeliveries: sent } = dataOf(answer)
    if (found === null) return null
    const place = { path: `${WEBHOOKS}/${found.number}`, visit, site }
    return html`<p class="trail"><a href="${site.at(WEBHOOKS)}">Webhooks</a></p>
<h1>${eventOf(found.event)}</h1>
${factsOf(found)}
${actions(found, place)}
<section aria-labelledby="sent"><h2 id="sent">Deliveries</h2>
<nav class="filters" aria-label="Deliveries">${[null, ...Object.keys(STATUSES)].map(
      (word) =>
        html`<a href="${site.at(place.path)}${word && html`?status=${word}`}"${word === status && html` aria-current="true"`}>${word === null ? 'all' : STATUSES[word]?.[1]}</a>`,
    )}</nav>
<div id="deliveries" data-live><p role="status">${sent.totalCount === 0 ? 'No deliveries yet.' : `${counted(sent.totalCount, 'delivery', 'deliveries')}, newest first. They are stored for 30 days.`}</p>
${sent.nodes.map((delivery) => deliveryOf(delivery, place))}
${nextLinks(place.path, { status, after }, sent.pageInfo, site)}</div></section>`
  },
})

type AboutWebhook = TypedDocumentNode<{ readonly result: MutationPayload }, { readonly number: string }>

/** A button that is about this webhook, and where it leads. */
const button = (word: string, document: AboutWebhook, notice: string, leadsTo?: string) =>
  consoleChange({
    path: `${WEBHOOKS}/{webhook}/${word}`,
    on: webhook,
    operations: [document],
    async make({ path: { webhook: number }, run }) {
      const { result } = dataOf(await run(document, { number }))
      return toChanged(result, { at: leadsTo ?? `${WEBHOOKS}/${number}`, notice })
    },
  })

export const webhookChanges = [
  button('pause', ConsolePauseWebhookDocument, 'paused'),
  button('resume', ConsoleResumeWebhookDocument, 'resumed'),
  button('test', ConsoleTestWebhookDocument, 'tested'),
  button('delete', ConsoleDeleteWebhookDocument, 'deleted', WEBHOOKS),
  consoleChange({
    path: `${WEBHOOKS}/{webhook}/replay`,
    on: webhook,
    operations: [ConsoleReplayDeliveryDocument],
    async make({ path: { webhook: number }, field, run }) {
      const { result } = dataOf(await run(ConsoleReplayDeliveryDocument, { id: field('delivery') }))
      return toChanged(result, { at: `${WEBHOOKS}/${number}`, notice: 'replayed' })
    },
  }),
]

const factsOf = (webhook: Webhook): Html => html`<dl class="facts-list">
${webhook.name !== null && html`<dt>Name</dt><dd>${webhook.name}</dd>`}
<dt>URL</dt><dd><code>${webhook.url}</code></dd>
<dt>State</dt><dd>${stateOf(webhook)}${webhook.pausedAt !== null && html`, since ${moment(webhook.pausedAt)}`}</dd>
${webhook.failingSince !== null && html`<dt>Failing since</dt><dd>${moment(webhook.failingSince)}</dd>`}
<dt>Created</dt><dd>${moment(webhook.createdAt)}</dd>
</dl>`

const actions = ({ pausedAt }: Webhook, { path, visit, site }: WebhookPage): Html => {
  const [word, label] = pausedAt === null ? ['pause', 'Pause'] : ['resume', 'Resume']
  return html`<div class="actions">
${changeForm(`${path}/${word}`, visit, site, html`<button class="secondary">${label}</button>`)}
${changeForm(`${path}/test`, visit, site, html`<button class="secondary">Send a test</button>`)}
</div>
<details class="confirm"><summary>Delete…</summary>${changeForm(`${path}/delete`, visit, site, html`<p>Waiting deliveries are not sent, and its deliveries are deleted.</p><p><button class="danger">Delete this webhook</button></p>`)}</details>`
}

const deliveryOf = (delivery: Delivery, { path, visit, site }: WebhookPage): Html => {
  const { status, attempts, body, dueAt } = delivery
  return html`<details class="delivery" id="delivery-${delivery.id}"><summary><span class="tone tone-${TONES[status]}">${wordOf(status, STATUSES)}</span> <strong>${subjectOf(delivery)}</strong> ${moment(delivery.triggeredAt)}${delivery.isTest && html` <span class="mark-test">test</span>`}</summary>
${dueAt !== null && html`<p>The next attempt is due at ${moment(dueAt)}.</p>`}
${attempts.length === 0 ? html`<p>No attempts yet.</p>` : attemptsOf(attempts)}
${body !== null && html`<h3>Request body</h3><pre tabindex="0">${body}</pre>`}
${status !== 'WAITING' && changeForm(`${path}/replay`, visit, site, html`<input type="hidden" name="delivery" value="${delivery.id}"><p><button class="secondary">Retry</button></p>`)}
</details>`
}

const attemptsOf = (attempts: readonly Attempt[]): Html => html`<table aria-label="Attempts">
<thead><tr><th scope="col">Attempt</th><th scope="col">Time</th><th scope="col">Duration</th><th scope="col">Response</th></tr></thead>
<tbody>${attempts.map(
  ({
    number,
    startedAt,
    milliseconds,
    status,
    error,
    response,
  }) => html`<tr><th scope="row">${number}</th><td>${moment(startedAt)}</td><td>${whole(milliseconds)} ms</td>
<td>${status !== null && html`<code>${status}</code> `}${error}${response !== null && response !== '' && html`<br><code class="quiet">${response}</code>`}</td></tr>`,
)}</tbody></table>`

const subjectOf = ({ subjectType, subjectNumber }: Delivery): string =>
  subjectNumber === 0 ? `${subjectType}, sample` : `${subjectType} ${subjectNumber}`

const moment = (time: string): Html => html`<time datetime="${time}">${momentOf(time)}</time>`
