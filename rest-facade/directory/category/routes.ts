import { ListCategoriesDocument } from '#generated/operations.ts'
import { route } from '../../http/route.ts'

export const categoryRoutes = [
  route({
    on: 'GET /api/categories',
    run: ListCategoriesDocument,
    variables: () => ({}),
    body: ({ categories }) => categories,
  }),
]
