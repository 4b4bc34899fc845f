import type { Resolvers } from '#generated/store/resolvers.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { demandBody } from '../access/event-scopes.ts'
import { eventName, eventWord } from '../events.ts'
import { decodeId, present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import { replayWebhookDelivery } from './actions.ts'
import { deliveryId, deliveryRow } from './ids.ts'
import type { DeliveryStatus, WebhookDelivery } from './webhook-delivery.ts'

const NEWEST_FIRST: KeysetList<WebhookDelivery> = {
  name: 'webhookDeliveries',
  parts: ['row'],
  positionOf: ({ id }) => [String(id)],
}

export const webhookDeliveryResolvers = {
  Query: {
    webhookDelivery: (_, { id }, { load }) => {
      const row = deliveryRow(id)
      return row === null ? null : load.webhookDeliveryById.load(row)
    },
    webhookDeliveries: async (_, { filter, ...page }, { storeId, webhookDeliveries }) => {
      const range = keysetRange(NEWEST_FIRST, page, LIST_SIZES)
      const store = await storeId()
      const which = {
        // An invalid id matches nothing.
        subscriptionId:
          filter?.webhookSubscriptionId == null ? null : (decodeId(filter.webhookSubscriptionId, 'WebhookSubscription') ?? 0),
        // The enum of the graph in lower case.
        status: filter?.status == null ? null : (filter.status.toLowerCase() as DeliveryStatus),
        event: filter?.event == null ? null : eventName(filter.event),
      }
      const rows = await webhookDeliveries.list(store, which, range)
      return keysetPage(NEWEST_FIRST, range, rows, () => webhookDeliveries.count(store, which))
    },
  },
  Mutation: {
    replayWebhookDelivery: (_, given, { write, webhooks }) =>
      write('replayWebhookDelivery', given, (unit) => replayWebhookDelivery(unit, webhooks, given.id)),
  },
  WebhookDelivery: {
    __resolveReference: ({ id }, { load }) => {
      const row = deliveryRow(id)
      return row === null ? null : load.webhookDeliveryById.load(row)
    },
    id: ({ id }) => deliveryId(id),
    webhookSubscription: ({ subscriptionId }, _, { load }) =>
      present(load.webhookSubscriptionById.load(subscriptionId), 'webhook'),
    event: ({ event }) => eventWord(event),
    body: async ({ event, body }, _, { access }) => {
      demandBody(await access(), event)
      return body
    },
    subjectType: ({ entity }) => entity,
    subjectNumber: ({ entityId }) => entityId,
    status: ({ status }) => STATUSES[status],
    dueAt: ({ status, dueAt }) => (status === 'waiting' ? dueAt : null),
    attempts: ({ id }, _, { load }) => load.attemptsOfWebhookDelivery.load(id),
  },
  WebhookDeliveryConnection: connectionFields,
  ReplayWebhookDeliverySuccess: {
    webhookDelivery: ({ webhookDelivery }, _, { load }) => present(load.webhookDeliveryById.load(webhookDelivery), 'delivery'),
  },
} satisfies Resolvers

const STATUSES = { waiting: 'WAITING', delivered: 'DELIVERED', failed: 'FAILED' } as const
