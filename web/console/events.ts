import type { WebhookEvent } from '#generated/operations.ts'
import { type Html, html } from '../frame/html.ts'

/** Names of events for people, by their subject. */
const EVENTS: Readonly<Record<string, Partial<Readonly<Record<WebhookEvent, string>>>>> = {
  Orders: {
    ORDER_CREATED: 'Order created',
    ORDER_PENDING_PAYMENT: 'Order payment pending',
    ORDER_PAID: 'Order paid',
    ORDER_SHIPPED: 'Order shipped',
    ORDER_CANCELED: 'Order canceled',
    ORDER_ABANDONED: 'Cart abandoned',
    ORDER_UPDATED: 'Order changed',
  },
  Products: {
    PRODUCT_CREATED: 'Product created',
    PRODUCT_UPDATED: 'Product changed',
    PRODUCT_DELETED: 'Product deleted',
    PRODUCT_STOCK_UPDATED: 'Product stock changed',
    INVENTORY_LEVEL_CHANGED: 'Inventory level changed',
  },
  Deliveries: {
    FULFILLMENT_CREATED: 'Fulfillment created',
    FULFILLMENT_UPDATED: 'Fulfillment changed',
    FULFILLMENT_DELETED: 'Fulfillment deleted',
  },
  Customers: {
    CUSTOMER_CREATED: 'Customer created',
    CUSTOMER_UPDATED: 'Customer changed',
    CUSTOMER_DELETED: 'Customer deleted',
  },
}

const ALL: ReadonlyMap<string, string> = new Map(Object.values(EVENTS).flatMap((group) => Object.entries(group)))

/** Whether a word of a form is an event. */
export const isEvent = (word: string): word is WebhookEvent => ALL.has(word)

/** What people read for an event. */
export const eventOf = (event: WebhookEvent): string => ALL.get(event) ?? event

/** The events of a `<select>`. */
export const eventOptions = (chosen: string): readonly Html[] =>
  Object.entries(EVENTS).map(
    ([group, events]) =>
      html`<optgroup label="${group}">${Object.entries(events).map(
        ([event, label]) => html`<option value="${event}"${event === chosen && html` selected`}>${label}</option>`,
      )}</optgroup>`,
  )
