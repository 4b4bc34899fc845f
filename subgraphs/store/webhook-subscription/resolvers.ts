import type { Resolvers } from '#generated/store/resolvers.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { demandEvents } from '../access/event-scopes.ts'
import { eventName, eventWord } from '../events.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import {
  createWebhookSubscription,
  deleteWebhookSubscription,
  pauseWebhookSubscription,
  resumeWebhookSubscription,
  rotateHooksToken,
  testWebhookSubscription,
  updateWebhookSubscription,
} from './actions.ts'
import type { WebhookSubscription } from './webhook-subscription.ts'

const ALL: KeysetList<WebhookSubscription> = { name: 'webhookSubscriptions', parts: ['number'], positionOf: ({ id }) => [id] }
const USUAL_OVERLAP_HOURS = 24

export const webhookSubscriptionResolvers = {
  Query: {
    webhookSubscription: (_, { id }, { load }) => {
      const row = decodeId(id, 'WebhookSubscription')
      return row === null ? null : load.webhookSubscriptionById.load(row)
    },
    webhookSubscriptions: async (_, page, { storeId, webhookSubscriptions }) => {
      const range = keysetRange(ALL, page, LIST_SIZES)
      const store = await storeId()
      return keysetPage(ALL, range, await webhookSubscriptions.list(store, range), () => webhookSubscriptions.count(store))
    },
  },
  Mutation: {
    createWebhookSubscription: async (_, { input }, { access, write, webhooks }) => {
      const fields = { name: input.name ?? null, event: eventName(input.event), url: input.url }
      demandEvents(await access(), [fields.event])
      return write('createWebhookSubscription', input, (unit) => createWebhookSubscription(unit, webhooks, fields))
    },
    updateWebhookSubscription: async (_, { id, input }, { access, write, webhooks }) => {
      const change = { ...input, event: input.event == null ? input.event : eventName(input.event) }
      const held = await access()
      return write('updateWebhookSubscription', { ...input, id }, (unit) =>
        updateWebhookSubscription(unit, webhooks, id, change, (events) => demandEvents(held, events)),
      )
    },
    deleteWebhookSubscription: (_, given, { write, webhooks }) =>
      write('deleteWebhookSubscription', given, (unit) => deleteWebhookSubscription(unit, webhooks, given.id, given)),
    pauseWebhookSubscription: (_, given, { write, webhooks }) =>
      write('pauseWebhookSubscription', given, (unit) => pauseWebhookSubscription(unit, webhooks, given.id)),
    resumeWebhookSubscription: (_, given, { write, webhooks }) =>
      write('resumeWebhookSubscription', given, (unit) => resumeWebhookSubscription(unit, webhooks, given.id)),
    testWebhookSubscription: (_, given, { write, webhooks }) =>
      write('testWebhookSubscription', given, (unit) => testWebhookSubscription(unit, webhooks, given.id)),
    rotateHooksToken: (_, { input }, { write }) =>
      write('rotateHooksToken', input, (unit) => rotateHooksToken(unit, input.overlapHours ?? USUAL_OVERLAP_HOURS)),
  },
  Store: {
    previousHooksTokenUntil: ({ previousHooksTokenUntil: until }, _, { now }) => (until !== null && until > now() ? until : null),
  },
  WebhookSubscription: {
    ...identified('WebhookSubscription'),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'WebhookSubscription')
      return row === null ? null : load.webhookSubscriptionById.load(row)
    },
    event: ({ event }) => eventWord(event),
  },
  WebhookSubscriptionConnection: connectionFields,
  CreateWebhookSubscriptionSuccess: {
    webhookSubscription: ({ webhookSubscription }, _, { load }) =>
      present(load.webhookSubscriptionById.load(webhookSubscription), 'webhook'),
  },
  UpdateWebhookSubscriptionSuccess: {
    webhookSubscription: ({ webhookSubscription }, _, { load }) =>
      present(load.webhookSubscriptionById.load(webhookSubscription), 'webhook'),
  },
  DeleteWebhookSubscriptionSuccess: gone('WebhookSubscription'),
  PauseWebhookSubscriptionSuccess: {
    webhookSubscription: ({ webhookSubscription }, _, { load }) =>
      present(load.webhookSubscriptionById.load(webhookSubscription), 'webhook'),
  },
  ResumeWebhookSubscriptionSuccess: {
    webhookSubscription: ({ webhookSubscription }, _, { load }) =>
      present(load.webhookSubscriptionById.load(webhookSubscription), 'webhook'),
  },
  TestWebhookSubscriptionSuccess: {
    webhookDelivery: ({ webhookDelivery }, _, { load }) => present(load.webhookDeliveryById.load(webhookDelivery), 'delivery'),
  },
  RotateHooksTokenSuccess: { store: ({ store }, _, { load }) => present(load.storeById.load(store), 'store') },
} satisfies Resolvers
