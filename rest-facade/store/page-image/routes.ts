import {
  CountPageImagesDocument,
  CreatePageImageDocument,
  DeletePageImageDocument,
  GetPageImageDocument,
  ListPageImagesDocument,
  UpdatePageImageDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const pageImageRoutes = [
  route({ run: ListPageImagesDocument, answer: 'page.images' }),
  route({ run: CountPageImagesDocument, answer: 'page' }),
  route({ run: GetPageImageDocument, answer: 'pageImage' }),
  route({
    run: CreatePageImageDocument,
    answer: 'result.pageImage',
    input: { pageId: 'id' },
    failures: { QuotaExceededError: 429 },
  }),
  route({ run: UpdatePageImageDocument, answer: 'result.pageImage', failures: { QuotaExceededError: 429 } }),
  route({ run: DeletePageImageDocument }),
]
