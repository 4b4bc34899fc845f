import {
  CreatePaymentMethodDocument,
  GetPaymentMethodDocument,
  ListPaymentMethodsDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const paymentMethodRoutes = [
  route({ run: ListPaymentMethodsDocument, answer: 'paymentMethods' }),
  route({ run: GetPaymentMethodDocument, answer: 'paymentMethod' }),
  route({ run: CreatePaymentMethodDocument, answer: 'result.paymentMethod' }),
]
