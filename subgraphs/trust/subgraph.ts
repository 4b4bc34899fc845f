import { buildSubgraphSchema } from '@apollo/subgraph'
import type { Logger } from 'pino'
import { type Connection, openDatabase } from '../runtime/database.ts'
import { sdlOf } from '../runtime/sdl.ts'
import type { Subgraph } from '../runtime/subgraph.ts'
import { background } from './assessment/background.ts'
import { engine as current, type Engine } from './assessment/engine.ts'
import { snapshotRepository } from './assessment/repository.ts'
import type { Sources } from './assessment/sources.ts'
import { listRepository } from './collectors/list-repository.ts'
import { evidenceRepository } from './collectors/repository.ts'
import { type SourcesOptions, type TrustSources, trustSources } from './collectors/sources.ts'
import { contextOf, type Parts } from './context.ts'
import { decisionRepository } from './decision/repository.ts'
import { keyRepository } from './key/repository.ts'
import { overrideRepository } from './override/repository.ts'
import { resolvers } from './resolvers.ts'
import type { Tables } from './tables.ts'

/** What collectors need beside the database. */
export type CollectorOptions = Pick<SourcesOptions, 'config' | 'network' | 'isScheduled'>

type Options = {
  readonly connection: Connection
  readonly log: Logger
  /** The real collectors, or other sources, which are closed with the subgraph. */
  readonly sources: CollectorOptions | Sources
  /** Another engine than this release's: for tests of replays. */
  readonly engine?: Engine
  readonly now?: () => Date
}

/** The parts of the subgraph without its schema: what `npx atrium trust` works with. */
export function trustParts({ connection, log, sources: wanted, engine = current, now = () => new Date() }: Options): {
  readonly parts: Parts
  readonly close: () => Promise<void>
} {
  // Not the error itself: pg hangs the whole client on it.
  const onError = ({ message }: Error) => log.warn({ reason: message }, 'a connection to the database broke')
  const { query, close } = openDatabase<Tables>(connection, { schema: 'trust', onError })
  const sources = 'evidenceFor' in wanted ? wanted : collecting(wanted)
  const unattended = background(sources, log)
  return {
    parts: {
      engine,
      sources,
      background: unattended,
      keys: keyRepository(query),
      decisions: decisionRepository(query),
      overrides: overrideRepository(query),
      snapshots: snapshotRepository(query),
      now,
    },
    close: async () => {
      await unattended.close()
      await sources.close()
      await close()
    },
  }

  function collecting(options: CollectorOptions): TrustSources {
    return trustSources({
      ...options,
      evidence: evidenceRepository(query),
      lists: listRepository(query),
      log,
      now,
      snapshotOf: engine.snapshotOf,
    })
  }
}

/** Whether a name may be trusted: decisions for keys, and assessments of what the directory lists. Asks nothing of the network before it is asked. */
export function trustSubgraph(options: Options): Subgraph {
  const { parts, close } = trustParts(options)
  return {
    name: 'trust',
    schema: buildSubgraphSchema([{ typeDefs: sdlOf('trust'), resolvers: resolvers as never }]),
    context: (caller) => contextOf(parts, caller),
    ready: async () => {
      const [, states] = await Promise.all([parts.keys.ping(), parts.sources.status()])
      return { degraded: states.filter(({ state }) => state === 'down').map(({ name }) => name) }
    },
    close,
  }
}
