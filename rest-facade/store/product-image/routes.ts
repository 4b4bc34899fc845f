import {
  CountProductImagesDocument,
  CreateProductImageDocument,
  DeleteProductImageDocument,
  GetProductImageDocument,
  ListProductImagesDocument,
  MoveProductImageDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const productImageRoutes = [
  route({ run: ListProductImagesDocument, answer: 'product.images' }),
  route({ run: CountProductImagesDocument, answer: 'product' }),
  route({ run: GetProductImageDocument, answer: 'productImage' }),
  route({
    run: CreateProductImageDocument,
    answer: 'result.productImage',
    input: { productId: 'id' },
    failures: { QuotaExceededError: 429 },
  }),
  route({ run: MoveProductImageDocument, answer: 'result.productImage' }),
  route({ run: DeleteProductImageDocument }),
]
