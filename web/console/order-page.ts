import type { ConsoleOrderQuery } from '#generated/operations.ts'
import type { Visit } from '../frame/form-token.ts'
import type { Site } from '../frame/site.ts'
import type { FormState } from './form-state.ts'

export type ConsoleOrder = NonNullable<ConsoleOrderQuery['order']>

/** What sections of the page of an order are made of. */
export type OrderPage = {
  readonly order: ConsoleOrder
  readonly locations: ConsoleOrderQuery['locations']
  readonly path: string
  readonly form: (path: string) => FormState
  readonly visit: Visit
  readonly site: Site
}
