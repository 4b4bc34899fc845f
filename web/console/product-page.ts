import type { ConsoleProductQuery } from '#generated/operations.ts'
import type { Visit } from '../frame/form-token.ts'
import type { Site } from '../frame/site.ts'
import type { FormState } from './form-state.ts'

export type ConsoleProduct = NonNullable<ConsoleProductQuery['product']>

/** What sections of the page of a product are made of. */
export type ProductPage = {
  readonly product: ConsoleProduct
  readonly data: ConsoleProductQuery
  readonly path: string
  readonly form: (path: string) => FormState
  readonly visit: Visit
  readonly site: Site
}
