import {
  CreateCustomFieldSelectOptionDocument,
  DeleteCustomFieldSelectOptionDocument,
  GetCustomFieldSelectOptionDocument,
  ListCustomFieldSelectOptionsDocument,
  UpdateCustomFieldSelectOptionDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const customFieldSelectOptionRoutes = [
  route({ run: ListCustomFieldSelectOptionsDocument, answer: 'customField.selectOptions' }),
  route({ run: GetCustomFieldSelectOptionDocument, answer: 'customFieldSelectOption' }),
  route({ run: CreateCustomFieldSelectOptionDocument, answer: 'result.customFieldSelectOption', input: { customFieldId: 'id' } }),
  route({ run: UpdateCustomFieldSelectOptionDocument, answer: 'result.customFieldSelectOption' }),
  route({ run: DeleteCustomFieldSelectOptionDocument }),
]
