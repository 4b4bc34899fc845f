import type { Connection } from '../../../platform/database/database.ts'
import type { GithubSettings, ObserveReport } from '../observation/observe.ts'
import type { DueRepository } from '../observation/repository.ts'
import type { DuePackage } from '../published-package/facts.ts'
import type { PackageReport, PackageSettings } from '../published-package/observe.ts'
import type { Source, SourceNetworkSettings } from '../source/source.ts'

/** Work that reads or merges much of the directory: structured-cloneable, and so are its results. */
export type Task =
  | {
      readonly kind: 'run-source'
      readonly connection: Connection
      /** Row id of the source. */
      readonly id: string
      readonly network: SourceNetworkSettings
    }
  | {
      readonly kind: 'observe-repositories'
      readonly connection: Connection
      readonly due: readonly DueRepository[]
      readonly github: GithubSettings
      readonly network: SourceNetworkSettings
    }
  | {
      readonly kind: 'observe-packages'
      readonly connection: Connection
      readonly due: readonly DuePackage[]
      readonly settings: PackageSettings
      readonly network: SourceNetworkSettings
    }
  | {
      readonly kind: 'remove-source'
      readonly connection: Connection
      readonly source: Pick<Source, 'id' | 'kind' | 'address' | 'repository'>
    }

/** What each kind of task results in. */
export type TaskResults = {
  readonly 'run-source': null
  readonly 'observe-repositories': ObserveReport
  readonly 'observe-packages': PackageReport
  /** Items that have no source left. */
  readonly 'remove-source': number
}

export type TaskResult<Kind extends Task['kind']> = TaskResults[Kind]

/** Messages of the thread: lines of its log as JSON, then one result or fault. */
export type ThreadMessage =
  | { readonly kind: 'log'; readonly line: string }
  | { readonly kind: 'done'; readonly result: TaskResults[Task['kind']] }
  | { readonly kind: 'failed'; readonly name: string; readonly message: string; readonly stack: string | undefined }
