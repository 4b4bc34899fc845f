import type { Logger } from 'pino'
import { once } from '../../platform/collections/once.ts'
import { type Connection, openDatabase } from '../../platform/database/database.ts'
import { changeListeners } from '../../platform/events/change-listeners.ts'
import type { Subgraph } from '../../platform/graphql/subgraph.ts'
import { subgraphSchema } from '../toolkit/subgraph-schema.ts'
import type { Context } from './context.ts'
import { catalogueOf } from './item/catalogue.ts'
import { itemRepository } from './item/repository.ts'
import { followRevisions } from './item/revision-feed.ts'
import { backgroundOf } from './probe/background.ts'
import { probeRepository } from './probe/repository.ts'
import { resolvers } from './resolvers.ts'
import { safeNames } from './server-features/findings.ts'
import { featureLoaders } from './server-features/loaders.ts'
import { featureRepository } from './server-features/repository.ts'
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
}: {
  readonly connection: Connection
  /** A pooler in transaction mode, for everything but LISTEN; absent: none. */
  readonly pooler?: Connection | undefined
  readonly publicUrl: string
  readonly log: Logger
  /** Time after which a remote server is asked again what it offers; 0: never. */
  readonly probeHours?: number
}): Promise<Subgraph> {
  // Not the error itself: pg hangs the whole client on it.
  const onError = ({ message }: Error) => log.warn({ reason: message }, 'a connection to the database broke')
  const database = openDatabase<Tables>(connection, { schema: 'directory', pooler, onError })
  const items = itemRepository(database.query, safeNames)
  const features = featureRepository(database.query)
  let catalogue = await items.snapshot().then(catalogueOf)
  const { onChange, notify: deliver } = changeListeners()

  const unfollow = followRevisions(
    database.direct,
    async () => {
      const { dataset, number } = await items.currentRevision()
      if (dataset === catalogue.revision.dataset && number === catalogue.revision.number) return
      catalogue = await items.snapshot().then(catalogueOf)
      // Everything that the directory answers is of one revision.
      deliver(null)
      log.info({ revision: catalogue.revision.number, items: catalogue.items.length }, 'the directory was refreshed')
    },
    log,
  )

  const background = backgroundOf({
    probes: probeRepository(database.query),
    probeHours,
    // Loaded here: most installations start without.
    startJobs: async (jobs) => (await import('./probe/jobs.ts')).startJobs(connection, jobs, { log }),
    log,
  })

  return {
    name: 'directory',
    schema: executableSchema(),
    context: (): Context => ({ catalogue, items, load: featureLoaders(features), publicUrl }),
    ready: items.currentRevision,
    onChange,
    start: background.start,
    jobs: background.queues,
    close: async () => {
      await background.close()
      await unfollow()
      await database.close()
    },
  }
}
