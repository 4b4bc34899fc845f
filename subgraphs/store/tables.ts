import type { OutboxTables } from '../../platform/events/outbox.ts'
import type { AppTables } from './tables/app.ts'
import type { CatalogueTables } from './tables/catalogue.ts'
import type { ContentTables } from './tables/content.ts'
import type { CustomerTables } from './tables/customer.ts'
import type { InventoryTables } from './tables/inventory.ts'
import type { OrderTables } from './tables/order.ts'
import type { PricingTables } from './tables/pricing.ts'
import type { StoreTables } from './tables/store.ts'
import type { WebhookTables } from './tables/webhook.ts'

/** The tables of the schema `store`, as the migrations make them. */
export type Tables = OutboxTables &
  StoreTables &
  AppTables &
  CatalogueTables &
  InventoryTables &
  CustomerTables &
  PricingTables &
  OrderTables &
  ContentTables &
  WebhookTables
