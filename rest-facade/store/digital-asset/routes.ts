import {
  CountDigitalProductsDocument,
  CreateDigitalProductDocument,
  DeleteDigitalProductDocument,
  GetDigitalProductDocument,
  ListDigitalProductsDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const digitalAssetRoutes = [
  route({ run: ListDigitalProductsDocument, answer: 'product.digitalAssets' }),
  route({ run: CountDigitalProductsDocument, answer: 'product' }),
  route({ run: GetDigitalProductDocument, answer: 'digitalAsset' }),
  route({
    run: CreateDigitalProductDocument,
    answer: 'result.digitalAsset',
    input: { productId: 'id' },
    failures: { QuotaExceededError: 429 },
  }),
  route({ run: DeleteDigitalProductDocument }),
]
