import type { WebhookEvent } from '#generated/operations.ts'
import { type Html, html } from '../frame/html.ts'

/** What can happen, as people say it, by what it happens to. */
const EVENTS: Readonly<Record<string, Partial<Readonly<Record<WebhookEvent, string>>>>> = {
  Orders: {
    ORDER_CREATED: 'Order is new',
    ORDER_PENDING_PAYMENT: 'Order is to be paid',
    ORDER_PAID: 'Order is paid',
    ORDER_SHIPPED: 'Order has left',
    ORDER_CANCELED: 'Order is canceled',
    ORDER_ABANDONED: 'Cart is left',
    ORDER_UPDATED: 'Order changes',
  },
  Products: {
    PRODUCT_CREATED: 'Product is new',
    PRODUCT_UPDATED: 'Product changes',
    PRODUCT_DELETED: 'Product is deleted',
    PRODUCT_STOCK_UPDATED: 'Stock of a product changes',
    INVENTORY_LEVEL_CHANGED: 'Stock changes at a location',
  },
  Deliveries: {
    FULFILLMENT_CREATED: 'Goods are handed over',
    FULFILLMENT_UPDATED: 'Delivery changes',
    FULFILLMENT_DELETED: 'Delivery is deleted',
  },
  Customers: {
    CUSTOMER_CREATED: 'Customer is new',
    CUSTOMER_UPDATED: 'Customer changes',
    CUSTOMER_DELETED: 'Customer is deleted',
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
