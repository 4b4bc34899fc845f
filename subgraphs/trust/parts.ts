import type { Logger } from 'pino'
import { type Connection, openDatabase } from '../runtime/database.ts'
import { background } from './assessment/background.ts'
import { engine as current, type Engine } from './assessment/engine.ts'
import { snapshotRepository } from './assessment/repository.ts'
import type { Sources } from './assessment/sources.ts'
import { listRepository } from './collectors/list-repository.ts'
import { evidenceRepository } from './collectors/repository.ts'
import { type SourcesOptions, type TrustSources, trustSources } from './collectors/sources.ts'
import type { Parts } from './context.ts'
import { decisionRepository } from './decision/repository.ts'
import { keyRepository } from './key/repository.ts'
import { overrideRepository } from './override/repository.ts'
import type { Tables } from './tables.ts'

/** What collectors need beside the database. */
export type CollectorOptions = Pick<SourcesOptions, 'config' | 'network' | 'isScheduled'>

export type TrustOptions = {
  readonly connection: Connection
  readonly log: Logger
  /** The real collectors, or other sources, which are closed with the subgraph. */
  readonly sources: CollectorOptions | Sources
  /** Another engine than this release's: for tests of replays. */
  readonly engine?: Engine
  readonly now?: () => Date
}

/** The parts of the subgraph without its schema: what `npx atrium trust` works with. */
export function trustParts({ connection, log, sources: wanted, engine = current, now = () => new Date() }: TrustOptions): {
  readonly parts: Parts
  /** Downloads the lists that are due. */
  readonly refreshLists: () => Promise<void>
  readonly close: () => Promise<void>
} {
  // Not the error itself: pg hangs the whole client on it.
  const onError = ({ message }: Error) => log.warn({ reason: message }, 'a connection to the database broke')
  const { query, close } = openDatabase<Tables>(connection, { schema: 'trust', onError })
  const sources: Sources | TrustSources = 'evidenceFor' in wanted ? wanted : collecting(wanted)
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
    refreshLists: async () => {
      if ('refreshLists' in sources) await sources.refreshLists()
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
