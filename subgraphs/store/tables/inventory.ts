import type { Generated, GeneratedAlways } from 'kysely'

/** Where how much of it is, as tables: decimals are exact text. */
export type InventoryTables = {
  location: {
    store_id: number
    id: GeneratedAlways<number>
    name: string
    email: string | null
    active: Generated<boolean>
    main: Generated<boolean>
    pickup_point: Generated<boolean>
    is_stock_origin: Generated<boolean>
    address: unknown
    created_at: Date
    updated_at: Date
    version: Generated<number>
  }
  inventory_level: {
    store_id: number
    id: GeneratedAlways<number>
    location_id: number
    product_id: number
    variant_id: number | null
    stock: number
    updated_at: Date
  }
  stock_allocation: {
    store_id: number
    id: GeneratedAlways<number>
    order_line_id: number
    location_id: number | null
    product_id: number
    variant_id: number | null
    quantity: number
  }
}
