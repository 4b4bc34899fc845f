import {
  CreateCustomerFieldDocument,
  DeleteCustomerFieldDocument,
  GetCustomerFieldDocument,
  ListCustomerFieldsDocument,
  UpdateCustomerFieldDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const customerFieldRoutes = [
  route({ run: ListCustomerFieldsDocument, answer: 'customer.additionalFields' }),
  route({ run: GetCustomerFieldDocument, answer: 'customerAdditionalField' }),
  route({ run: CreateCustomerFieldDocument, answer: 'result.customerAdditionalField', input: { customerId: 'id' } }),
  route({ run: UpdateCustomerFieldDocument, answer: 'result.customerAdditionalField' }),
  route({ run: DeleteCustomerFieldDocument }),
]
