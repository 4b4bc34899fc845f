import {
  CreateCheckoutCustomFieldDocument,
  DeleteCheckoutCustomFieldDocument,
  GetCheckoutCustomFieldDocument,
  ListCheckoutCustomFieldsDocument,
  UpdateCheckoutCustomFieldDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const checkoutCustomFieldRoutes = [
  route({ run: ListCheckoutCustomFieldsDocument, answer: 'checkoutCustomFields.nodes' }),
  route({ run: GetCheckoutCustomFieldDocument, answer: 'checkoutCustomField' }),
  route({ run: CreateCheckoutCustomFieldDocument, answer: 'result.checkoutCustomField' }),
  route({ run: UpdateCheckoutCustomFieldDocument, answer: 'result.checkoutCustomField' }),
  route({ run: DeleteCheckoutCustomFieldDocument }),
]
