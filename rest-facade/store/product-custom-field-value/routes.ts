import {
  AddProductFieldDocument,
  CountProductFieldsDocument,
  DeleteProductFieldDocument,
  ListProductFieldsDocument,
  UpdateProductFieldDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const productCustomFieldValueRoutes = [
  route({ run: ListProductFieldsDocument, answer: 'product.customFieldValues' }),
  route({ run: CountProductFieldsDocument, answer: 'product' }),
  route({ run: AddProductFieldDocument, answer: 'result.product', input: { productId: 'id' } }),
  route({ run: UpdateProductFieldDocument, answer: 'result.customFieldValue' }),
  route({ run: DeleteProductFieldDocument }),
]
