import {
  CountProductsByCategoryDocument,
  CountProductsByStatusDocument,
  CountProductsDocument,
  CreateProductDocument,
  DeleteProductDocument,
  GetProductDocument,
  ListProductsAfterDocument,
  ListProductsByCategoryDocument,
  ListProductsByStatusDocument,
  ListProductsDocument,
  type ProductSearchField,
  type ProductStatus,
  SearchProductsDocument,
  UpdateProductDocument,
} from '#generated/rest-facade/store.ts'
import { constantCase } from '../../../platform/text/case.ts'
import { route } from '../route.ts'
import type { WireValue } from '../wire/parameters.ts'

export const productRoutes = [
  route({ run: ListProductsDocument, answer: 'products.nodes' }),
  route({ run: CountProductsDocument, answer: 'products' }),
  route({ run: ListProductsAfterDocument, answer: 'products.nodes' }),
  route({ run: ListProductsByStatusDocument, answer: 'products.nodes' }),
  route({ run: CountProductsByStatusDocument, answer: 'products' }),
  route({ run: ListProductsByCategoryDocument, answer: 'productCategory.products.nodes' }),
  route({ run: CountProductsByCategoryDocument, answer: 'productCategory.products' }),
  route({
    run: SearchProductsDocument,
    answer: 'products.nodes',
    variables: ({ query }) => ({
      search: { query: String(query.query), fields: enumValuesOf<ProductSearchField>(query.fields) },
      filter: {
        ...(query.status === 'featured' ? { featured: true } : { status: enumValuesOf<ProductStatus>(query.status) }),
        categoryIds: Array.isArray(query.categories) ? query.categories.map(String) : null,
      },
    }),
  }),
  route({ run: GetProductDocument, answer: 'product' }),
  route({
    run: CreateProductDocument,
    answer: 'result.product',
    input: { locale: 'locale' },
    failures: { QuotaExceededError: 429 },
  }),
  route({ run: UpdateProductDocument, answer: 'result.product', input: { locale: 'locale' } }),
  route({ run: DeleteProductDocument }),
]

/** Enum values of the graph for those of the contract. */
const enumValuesOf = <Word extends string>(given: WireValue | undefined): Word[] | null =>
  // The parameter reader accepts values of the contract only, and these are the enum's in lower
  // case.
  given == null ? null : [given].flat().map((value) => constantCase(String(value)) as Word)
