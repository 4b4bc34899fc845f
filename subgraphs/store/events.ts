import { lowerCase, upperCase } from '../../platform/text/case.ts'

/**
 * Events of a store, each with its data; `order_updated` is any change of the state of an order.
 */
export const EVENTS = {
  customer_created: [],
  customer_deleted: [],
  customer_updated: [],
  fulfillment_created: [],
  fulfillment_deleted: [],
  fulfillment_updated: [],
  inventory_level_changed: [],
  order_abandoned: ['order_updated'],
  order_canceled: ['order_updated'],
  order_created: [],
  order_paid: ['order_updated'],
  order_pending_payment: ['order_updated'],
  order_return_requested: ['order_updated'],
  order_return_updated: ['order_updated'],
  order_shipped: ['order_updated'],
  order_updated: [],
  product_created: [],
  product_deleted: [],
  product_stock_updated: [],
  product_updated: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type EventName = keyof typeof EVENTS

/**
 * An event of a store, for webhooks and subscriptions. `entity` is its type in the schema, `id` its
 * row.
 */
export type StoreEvent = {
  readonly event: EventName
  readonly entity: string
  readonly id: number
  /** Which level changed, where it did. Only of `inventory_level_changed`. */
  readonly inventoryLevelId?: number
  readonly locationId?: number
}

/** The topic of all events of a store. */
export const topicOf = (storeId: number): string => `store:${storeId}`

/** Events of one change, in order, without duplicates. */
export function deliveredOf(happened: readonly StoreEvent[]): readonly StoreEvent[] {
  const delivered = new Map<string, StoreEvent>()
  for (const each of happened) {
    for (const event of [each.event, ...EVENTS[each.event]]) {
      const key = [event, each.entity, each.id, each.inventoryLevelId ?? ''].join()
      if (!delivered.has(key)) delivered.set(key, { ...each, event })
    }
  }
  return [...delivered.values()]
}

/** The event as the schema spells it, and back. */
export const eventWord = (event: EventName): Uppercase<EventName> => upperCase(event)
export const eventName = (word: Uppercase<EventName>): EventName => lowerCase(word)

/** Tables of what events are about. */
export type SubjectTable = 'customer' | 'fulfillment' | 'order' | 'product'

/** Subject of an event: its type in the schema, and its table. Stock belongs to its product. */
export function subjectOf(event: EventName): { readonly entity: string; readonly table: SubjectTable } {
  if (event.startsWith('customer_')) return { entity: 'Customer', table: 'customer' }
  if (event.startsWith('fulfillment_')) return { entity: 'Fulfillment', table: 'fulfillment' }
  return event.startsWith('order_') ? { entity: 'Order', table: 'order' } : { entity: 'Product', table: 'product' }
}
