import {
  CountProductOptionsDocument,
  CountProductOptionValuesDocument,
  CreateProductOptionDocument,
  CreateProductOptionValueDocument,
  DeleteProductOptionDocument,
  DeleteProductOptionValueDocument,
  GetProductOptionDocument,
  GetProductOptionValueDocument,
  ListProductOptionsDocument,
  ListProductOptionValuesDocument,
  UpdateProductOptionDocument,
  UpdateProductOptionValueDocument,
} from '#generated/rest-facade/store.ts'
import { toCount } from '../count.ts'
import { route } from '../route.ts'

export const productOptionRoutes = [
  route({ run: ListProductOptionsDocument, answer: 'product.options' }),
  route({ run: CountProductOptionsDocument, answer: 'product.options', shape: toCount }),
  route({ run: GetProductOptionDocument, answer: 'productOption' }),
  route({ run: CreateProductOptionDocument, answer: 'result.productOption', input: { productId: 'id' } }),
  route({ run: UpdateProductOptionDocument, answer: 'result.productOption' }),
  route({ run: DeleteProductOptionDocument }),
  route({ run: ListProductOptionValuesDocument, answer: 'productOption.values' }),
  route({ run: CountProductOptionValuesDocument, answer: 'productOption.values', shape: toCount }),
  route({ run: GetProductOptionValueDocument, answer: 'productOptionValue' }),
  route({
    run: CreateProductOptionValueDocument,
    answer: 'result.productOptionValue',
    input: { productId: 'id', optionId: 'option_id' },
  }),
  route({ run: UpdateProductOptionValueDocument, answer: 'result.productOptionValue' }),
  route({ run: DeleteProductOptionValueDocument }),
]
