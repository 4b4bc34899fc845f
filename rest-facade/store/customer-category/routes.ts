import {
  AddCustomerCategoryMembersDocument,
  CreateCustomerCategoryDocument,
  DeleteCustomerCategoryDocument,
  GetCustomerCategoryDocument,
  ListCustomerCategoriesDocument,
  ListCustomerCategoryMembersDocument,
  RemoveCustomerCategoryMemberDocument,
  UpdateCustomerCategoryDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const customerCategoryRoutes = [
  route({ run: ListCustomerCategoriesDocument, answer: 'customerCategories.nodes' }),
  route({ run: GetCustomerCategoryDocument, answer: 'customerCategory' }),
  route({ run: CreateCustomerCategoryDocument, answer: 'result.customerCategory' }),
  route({ run: UpdateCustomerCategoryDocument, answer: 'result.customerCategory' }),
  route({ run: DeleteCustomerCategoryDocument }),
  route({ run: ListCustomerCategoryMembersDocument, answer: 'customerCategory.customers.nodes' }),
  route({ run: AddCustomerCategoryMembersDocument, answer: 'result.customers' }),
  route({ run: RemoveCustomerCategoryMemberDocument }),
]
