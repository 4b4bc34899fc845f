import type { DataLoader } from '../toolkit/loader.ts'
import type { Catalogue } from './item/catalogue.ts'
import type { ItemRepository } from './item/repository.ts'
import type { ChangeOfItem, FeatureRow } from './server-features/repository.ts'

/** What the resolvers of one operation work with. */
export type Context = {
  /** The directory as it was when the operation began: one operation sees one revision. */
  readonly catalogue: Catalogue
  readonly items: ItemRepository
  /** By row id of the item. */
  readonly load: {
    readonly featuresByItem: DataLoader<string, FeatureRow | null>
    /** Newest first. */
    readonly changesByItem: DataLoader<string, readonly ChangeOfItem[]>
  }
  /** What clients see in front of every path of ours, without a slash at the end. */
  readonly publicUrl: string
}
