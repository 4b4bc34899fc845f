import {
  CreateCustomFieldDocument,
  DeleteCustomFieldDocument,
  GetCustomFieldDocument,
  ListCustomFieldsDocument,
  UpdateCustomFieldDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const customFieldRoutes = [
  route({ run: ListCustomFieldsDocument, answer: 'customFields.nodes' }),
  route({ run: GetCustomFieldDocument, answer: 'customField' }),
  route({ run: CreateCustomFieldDocument, answer: 'result.customField' }),
  route({ run: UpdateCustomFieldDocument, answer: 'result.customField' }),
  route({ run: DeleteCustomFieldDocument }),
]
