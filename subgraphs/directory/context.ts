import type { Catalogue } from './item/catalogue.ts'
import type { ItemRepository } from './item/repository.ts'

/** What the resolvers of one operation work with. */
export type Context = {
  /** The directory as it was when the operation began: one operation sees one revision. */
  readonly catalogue: Catalogue
  readonly items: ItemRepository
  /** What clients see in front of every path of ours, without a slash at the end. */
  readonly publicUrl: string
}
