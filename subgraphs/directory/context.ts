import type { DataLoader } from '../toolkit/loader.ts'
import type { Catalogue } from './item/catalogue.ts'
import type { ItemProvenance, ItemRepository } from './item/repository.ts'
import type { RepositoryFacts } from './observation/repository.ts'
import type { KnownPackage } from './published-package/repository.ts'
import type { ChangeOfItem, FeatureRow } from './server-features/repository.ts'
import type { SourceRepository } from './source/repository.ts'
import type { Source } from './source/source.ts'

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
    readonly provenanceByItem: DataLoader<string, ItemProvenance | null>
    /** By "owner/repository" in lower case. */
    readonly factsByRepository: DataLoader<string, RepositoryFacts | null>
    /** By `packageKey`. */
    readonly packageByKey: DataLoader<string, KnownPackage | null>
  }
  /** What clients see in front of every path of ours, without a slash at the end. */
  readonly publicUrl: string
  readonly sources: SourceRepository
  /** Deletes a source with everything that was read of it; returns how many items left. */
  readonly removeWithItems: (source: Source) => Promise<number>
  /** Rejects with UNAUTHENTICATED or FORBIDDEN unless the caller is an administrator. */
  readonly administrator: () => Promise<void>
  readonly now: () => Date
}
