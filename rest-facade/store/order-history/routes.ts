import { CreateOrderHistoryDocument, ListOrderHistoryDocument } from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const orderHistoryRoutes = [
  route({ run: ListOrderHistoryDocument, answer: 'order.history.nodes' }),
  route({ run: CreateOrderHistoryDocument, answer: 'result.entry' }),
]
