import {
  CreateShippingMethodDocument,
  DeleteShippingMethodDocument,
  GetShippingMethodDocument,
  ListShippingMethodsDocument,
  UpdateShippingMethodDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const shippingMethodRoutes = [
  route({ run: ListShippingMethodsDocument, answer: 'shippingMethods' }),
  route({ run: GetShippingMethodDocument, answer: 'shippingMethod' }),
  route({ run: CreateShippingMethodDocument, answer: 'result.shippingMethod' }),
  route({ run: UpdateShippingMethodDocument, answer: 'result.shippingMethod' }),
  route({ run: DeleteShippingMethodDocument }),
]
