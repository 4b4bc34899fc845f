import {
  CountPagesDocument,
  CreatePageDocument,
  DeletePageDocument,
  GetPageDocument,
  ListPagesDocument,
  UpdatePageDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const pageRoutes = [
  route({ run: ListPagesDocument, answer: 'pages.nodes' }),
  route({ run: CountPagesDocument, answer: 'pages' }),
  route({ run: GetPageDocument, answer: 'page' }),
  route({ run: CreatePageDocument, answer: 'result.page' }),
  route({ run: UpdatePageDocument, answer: 'result.page' }),
  route({ run: DeletePageDocument }),
]
