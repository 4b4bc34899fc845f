import {
  CountProductVariantsDocument,
  CreateProductVariantDocument,
  GetProductVariantDocument,
  ListProductVariantsDocument,
  UpdateProductVariantDocument,
} from '#generated/rest-facade/store.ts'
import { toCount } from '../count.ts'
import { route } from '../route.ts'

export const productVariantRoutes = [
  route({ run: ListProductVariantsDocument, answer: 'product.variants' }),
  route({ run: CountProductVariantsDocument, answer: 'product.variants', shape: toCount }),
  route({ run: GetProductVariantDocument, answer: 'productVariant' }),
  route({ run: CreateProductVariantDocument, answer: 'result.productVariant', input: { productId: 'id' } }),
  route({ run: UpdateProductVariantDocument, answer: 'result.productVariant' }),
]
