import {
  CountCategoriesDocument,
  CreateCategoryDocument,
  DeleteCategoryDocument,
  GetCategoryDocument,
  ListCategoriesDocument,
  UpdateCategoryDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const productCategoryRoutes = [
  route({ run: ListCategoriesDocument, answer: 'productCategories.nodes' }),
  route({ run: CountCategoriesDocument, answer: 'productCategories' }),
  route({ run: GetCategoryDocument, answer: 'productCategory' }),
  route({ run: CreateCategoryDocument, answer: 'result.productCategory' }),
  route({ run: UpdateCategoryDocument, answer: 'result.productCategory' }),
  route({ run: DeleteCategoryDocument }),
]
