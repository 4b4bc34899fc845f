import {
  CountFulfillmentsDocument,
  CreateFulfillmentDocument,
  GetFulfillmentDocument,
  GetFulfillmentLabelDocument,
  ListFulfillmentsDocument,
  ListOrderFulfillmentsDocument,
  QuoteFulfillmentRatesDocument,
  UpdateFulfillmentDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const fulfillmentRoutes = [
  route({ run: ListFulfillmentsDocument, answer: 'fulfillments.nodes' }),
  route({ run: CountFulfillmentsDocument, answer: 'fulfillments' }),
  route({ run: GetFulfillmentDocument, answer: 'fulfillment' }),
  route({ run: GetFulfillmentLabelDocument, answer: 'result.label', failures: { FulfillmentHasNoLabel: 400 } }),
  route({ run: ListOrderFulfillmentsDocument, answer: 'orderFulfillments' }),
  route({ run: QuoteFulfillmentRatesDocument, answer: 'result.rates' }),
  route({ run: CreateFulfillmentDocument, answer: 'result.fulfillment' }),
  route({ run: UpdateFulfillmentDocument, answer: 'result.fulfillment' }),
]
