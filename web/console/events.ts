import type { WebhookEvent } from '#generated/operations.ts'
import { type Html, html } from '../frame/html.ts'

/** Subject and name of each event for people. */
const EVENTS: Readonly<Record<WebhookEvent, readonly [subject: string, label: string]>> = {
  ORDER_CREATED: ['Orders', 'Order created'],
  ORDER_PENDING_PAYMENT: ['Orders', 'Order payment pending'],
  ORDER_PAID: ['Orders', 'Order paid'],
  ORDER_SHIPPED: ['Orders', 'Order shipped'],
  ORDER_CANCELED: ['Orders', 'Order canceled'],
  ORDER_ABANDONED: ['Orders', 'Cart abandoned'],
  ORDER_UPDATED: ['Orders', 'Order changed'],
  ORDER_RETURN_REQUESTED: ['Returns', 'Return requested by a customer'],
  ORDER_RETURN_UPDATED: ['Returns', 'Return created or changed'],
  PRODUCT_CREATED: ['Products', 'Product created'],
  PRODUCT_UPDATED: ['Products', 'Product changed'],
  PRODUCT_DELETED: ['Products', 'Product deleted'],
  PRODUCT_STOCK_UPDATED: ['Products', 'Product stock changed'],
  INVENTORY_LEVEL_CHANGED: ['Products', 'Inventory level changed'],
  FULFILLMENT_CREATED: ['Deliveries', 'Fulfillment created'],
  FULFILLMENT_UPDATED: ['Deliveries', 'Fulfillment changed'],
  FULFILLMENT_DELETED: ['Deliveries', 'Fulfillment deleted'],
  CUSTOMER_CREATED: ['Customers', 'Customer created'],
  CUSTOMER_UPDATED: ['Customers', 'Customer changed'],
  CUSTOMER_DELETED: ['Customers', 'Customer deleted'],
}

/** Whether a word of a form is an event. */
export const isEvent = (word: string): word is WebhookEvent => Object.hasOwn(EVENTS, word)

/** What people read for an event. */
export const eventOf = (event: WebhookEvent): string => EVENTS[event][1]

/** The events of a `<select>`. */
export const eventOptions = (chosen: string): readonly Html[] =>
  [...Map.groupBy(Object.entries(EVENTS), ([, [subject]]) => subject)].map(
    ([subject, events]) =>
      html`<optgroup label="${subject}">${events.map(
        ([event, [, label]]) => html`<option value="${event}"${event === chosen && html` selected`}>${label}</option>`,
      )}</optgroup>`,
  )
