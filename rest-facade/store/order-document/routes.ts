import {
  CreateOrderDocumentDocument,
  DeleteOrderDocumentDocument,
  ListDocumentsDocument,
  ListOrderDocumentsDocument,
  UpdateOrderDocumentDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const orderDocumentRoutes = [
  route({ run: ListOrderDocumentsDocument, answer: 'order.documents' }),
  route({ run: ListDocumentsDocument, answer: 'orderDocuments.nodes' }),
  route({ run: CreateOrderDocumentDocument, answer: 'result.document' }),
  route({ run: UpdateOrderDocumentDocument, answer: 'result.document' }),
  route({ run: DeleteOrderDocumentDocument }),
]
