import {
  CountOrdersDocument,
  CreateOrderDocument,
  GetCartDocument,
  GetOrderDocument,
  ListCustomerOrdersByStatusDocument,
  ListCustomerOrdersDocument,
  ListOrdersAfterDocument,
  ListOrdersByStatusDocument,
  ListOrdersDocument,
  type OrderPeriod,
  type OrderStatus,
  SearchOrdersDocument,
  UpdateOrderDocument,
} from '#generated/rest-facade/store.ts'
import { type LookupTable, lookupTable } from '../../../platform/collections/lookup-table.ts'
import { route } from '../route.ts'
import type { Parameters } from '../wire/parameters.ts'

/**
 * Order states by value of `status_filters[]`: `created` is every order that is more than a cart.
 */
const STATES: LookupTable<readonly OrderStatus[]> = lookupTable({
  abandoned: ['ABANDONED'],
  canceled: ['CANCELED'],
  created: ['CANCELED', 'PENDING_PAYMENT', 'PAID'],
  paid: ['PAID'],
  pending_payment: ['PENDING_PAYMENT'],
})

const PERIODS: LookupTable<OrderPeriod> = lookupTable({
  customDate: 'CUSTOM',
  last7days: 'LAST_7_DAYS',
  last30days: 'LAST_30_DAYS',
  last90days: 'LAST_90_DAYS',
  today: 'TODAY',
  yesterday: 'YESTERDAY',
})

/**
 * Filters of lists. `locale` and `fields` are ignored: texts of an order stay in the language that
 * it was created in, and responses have every documented key.
 */
function filters({ query }: Parameters) {
  const values = query['status_filters[]']
  const status = Array.isArray(values) ? values.flatMap((value) => STATES[String(value)] ?? []) : []
  const period = PERIODS[String(query.dateFilter)]
  const days = { firstDay: dayIn(query.initialDate), lastDay: dayIn(query.finalDate) }
  return {
    ...(status.length > 0 && { status }),
    // Days next to another period are ignored.
    ...(period && { createdWithin: period === 'CUSTOM' ? { period, ...days } : { period } }),
  }
}

const dayIn = (value: unknown): string | null => (typeof value === 'string' ? value : null)

export const orderRoutes = [
  route({ run: ListOrdersDocument, answer: 'orders.nodes', variables: filters }),
  route({ run: SearchOrdersDocument, answer: 'orders', variables: filters }),
  route({ run: CountOrdersDocument, answer: 'orders' }),
  route({ run: ListOrdersByStatusDocument, answer: 'orders.nodes' }),
  route({ run: ListOrdersAfterDocument, answer: 'orders.nodes' }),
  route({ run: GetOrderDocument, answer: 'order' }),
  // `locale` is ignored here as well.
  route({ run: GetCartDocument, answer: 'cart', variables: () => ({}) }),
  route({
    run: CreateOrderDocument,
    answer: 'result.order',
    input: { locale: 'locale' },
    failures: { InsufficientStock: 400 },
  }),
  route({ run: UpdateOrderDocument, answer: 'result.order', failures: { InsufficientStock: 400 } }),
  route({ run: ListCustomerOrdersDocument, answer: 'customer.orders.nodes' }),
  route({ run: ListCustomerOrdersByStatusDocument, answer: 'customer.orders.nodes' }),
]
