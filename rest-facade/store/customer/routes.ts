import {
  CountCustomersDocument,
  CreateCustomerDocument,
  DeleteCustomerDocument,
  GetCustomerByEmailDocument,
  GetCustomerDocument,
  ListCustomersDocument,
  SearchCustomersDocument,
  UpdateCustomerDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const customerRoutes = [
  route({ run: ListCustomersDocument, answer: 'customers.nodes' }),
  route({ run: SearchCustomersDocument, answer: 'customers.nodes' }),
  route({ run: CountCustomersDocument, answer: 'customers' }),
  route({ run: GetCustomerDocument, answer: 'customer' }),
  route({ run: GetCustomerByEmailDocument, answer: 'customerByEmail' }),
  route({ run: CreateCustomerDocument, answer: 'result.customer' }),
  route({ run: UpdateCustomerDocument, answer: 'result.customer' }),
  route({ run: DeleteCustomerDocument }),
]
