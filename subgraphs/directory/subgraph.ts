import type { Logger } from 'pino'
import { once } from '../../platform/collections/once.ts'
import { type Connection, openDatabase } from '../../platform/database/database.ts'
import { changeListeners } from '../../platform/events/change-listeners.ts'
import type { Subgraph } from '../../platform/graphql/subgraph.ts'
import { subgraphSchema } from '../toolkit/subgraph-schema.ts'
import { type RoleLookup, remoteRoleLookup, requireAdministrator } from '../toolkit/user-role.ts'
import type { CatalogueStore } from './catalogue-file/catalogue-store.ts'
import type { Context } from './context.ts'
import { itemLoaders } from './item/loaders.ts'
import { newestCatalogue } from './item/newest-catalogue.ts'
import { itemRepository } from './item/repository.ts'
import { followRevisions } from './item/revision-feed.ts'
import { openJobs } from './job-thread/open-jobs.ts'
import { runTask } from './job-thread/run-task.ts'
import { observationLoaders } from './observation/loaders.ts'
import type { GithubSettings } from './observation/observe.ts'
import { observationRepository } from './observation/repository.ts'
import { backgroundOf } from './probe/background.ts'
import { packageLoaders } from './published-package/loaders.ts'
import type { PackageSettings } from './published-package/observe.ts'
import { packageRepository } from './published-package/repository.ts'
import { resolvers } from './resolvers.ts'
import { safeNames } from './server-features/findings.ts'
import { featureLoaders } from './server-features/loaders.ts'
import { featureRepository } from './server-features/repository.ts'
import { sourceRepository } from './source/repository.ts'
import { feedsOf, PUBLIC_ONLY, type Source, type SourceNetworkSettings } from './source/source.ts'
import type { Tables } from './tables.ts'

/** The same for all subgraphs of a process: options are in contexts. */
const executableSchema = once(() => subgraphSchema('directory', resolvers))

/**
 * The directory, loaded and kept up to date with every import, whoever runs it. `publicUrl` stands
 * in front of the addresses of item pages. Rejects when the database cannot be read.
 */
export async function directorySubgraph({
  connection,
  pooler,
  publicUrl,
  log,
  probeHours = 0,
  sourceNetwork = PUBLIC_ONLY,
  github = null,
  packages = null,
  roleOf = remoteRoleLookup(publicUrl),
  stored = null,
}: {
  readonly connection: Connection
  /** A pooler in transaction mode, for everything but LISTEN; absent: none. */
  readonly pooler?: Connection | undefined
  readonly publicUrl: string
  readonly log: Logger
  /** Time after which a remote server is asked again what it offers; 0: never. */
  readonly probeHours?: number
  /** What runs of sources may connect to; absent: public addresses. */
  readonly sourceNetwork?: SourceNetworkSettings
  /** How repositories are observed; null: they are not. */
  readonly github?: GithubSettings | null
  /** How packages are observed; null: they are not. */
  readonly packages?: PackageSettings | null
  /** Finds the role of a user; absent: asks at `publicUrl`. */
  readonly roleOf?: RoleLookup
  /** Keeps the catalogue for the next start; null: nothing does. Closed with the subgraph. */
  readonly stored?: CatalogueStore | null
}): Promise<Subgraph> {
  // Not the error itself: pg hangs the whole client on it.
  const onError = ({ message }: Error) => log.warn({ reason: message }, 'a connection to the database broke')
  const database = openDatabase<Tables>(connection, { schema: 'directory', pooler, onError })
  const items = itemRepository(database.query, safeNames)
  const features = featureRepository(database.query)
  const first = await newestCatalogue(items, (await stored?.read()) ?? null)
  let { catalogue } = first
  stored?.offer(catalogue, first.changedItems)
  const { onChange, notify: deliver } = changeListeners()

  const unfollow = followRevisions(
    database.direct,
    async () => {
      const newest = await newestCatalogue(items, catalogue)
      if (newest.catalogue === catalogue) return
      catalogue = newest.catalogue
      // Everything that the directory answers is of one revision.
      deliver(null)
      log.info({ revision: catalogue.revision.number, items: catalogue.size }, 'the directory was refreshed')
      stored?.offer(catalogue, newest.changedItems)
    },
    log,
  )

  const sources = sourceRepository(database.query)
  const background = backgroundOf({
    openJobs: () => openJobs(connection, database.query, { probeHours, github, packages, network: sourceNetwork, log }),
    // Loaded here: most installations start without.
    startJobs: async (jobs) => (await import('./probe/jobs.ts')).startJobs(connection, jobs, { log }),
    log,
  })
  const removeWithItems = ({ id, kind, address, repository }: Source) =>
    runTask({ kind: 'remove-source', connection, source: { id, kind, address, repository } }, { log })

  return {
    name: 'directory',
    schema: executableSchema(),
    context: (caller): Context => ({
      catalogue,
      items,
      load: {
        ...itemLoaders(items),
        ...featureLoaders(features),
        ...observationLoaders(observationRepository(database.query)),
        ...packageLoaders(packageRepository(database.query)),
      },
      publicUrl,
      sources,
      removeWithItems,
      administrator: once(() => requireAdministrator(caller, roleOf)),
      now: () => new Date(),
    }),
    ready: items.currentRevision,
    onChange,
    start: background.start,
    jobs: background.queues,
    feeds: async () => feedsOf(await sources.list(), new Date()),
    close: async () => {
      await background.close()
      await unfollow()
      await stored?.close()
      await database.close()
    },
  }
}
