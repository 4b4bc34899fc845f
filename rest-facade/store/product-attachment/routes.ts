import {
  CountProductAttachmentsDocument,
  CreateProductAttachmentDocument,
  DeleteProductAttachmentDocument,
  GetProductAttachmentDocument,
  ListProductAttachmentsDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const productAttachmentRoutes = [
  route({ run: ListProductAttachmentsDocument, answer: 'product.attachments' }),
  route({ run: CountProductAttachmentsDocument, answer: 'product' }),
  route({ run: GetProductAttachmentDocument, answer: 'productAttachment' }),
  route({
    run: CreateProductAttachmentDocument,
    answer: 'result.productAttachment',
    input: { productId: 'id' },
    failures: { QuotaExceededError: 429 },
  }),
  route({ run: DeleteProductAttachmentDocument }),
]
