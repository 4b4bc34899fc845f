import { once } from '../../platform/collections/once.ts'
import { eventFeed } from '../../platform/events/event-feed.ts'
import type { Subgraph } from '../../platform/graphql/subgraph.ts'
import { subgraphSchema } from '../toolkit/subgraph-schema.ts'
import { createTrustContext } from './context.ts'
import { createTrustParts, type TrustOptions } from './parts.ts'
import { resolvers } from './resolvers.ts'

/** The same for all subgraphs of a process: options are in contexts. */
const executableSchema = once(() => subgraphSchema('trust', resolvers))

/**
 * Decisions about names for keys, and assessments of the directory's hosts. Sends nothing to the
 * network before `start` or a request. Rejects when the database cannot be read. `relayUrl`: a Redis
 * that relays events between copies; absent: each copy reads the database.
 */
export async function trustSubgraph(options: TrustOptions & { readonly relayUrl?: string | undefined }): Promise<Subgraph> {
  const { connection, pooler, relayUrl, log } = options
  const { parts, start, close } = createTrustParts(options)
  const events = await eventFeed({ connection, pooler, relayUrl, schema: 'trust', log }).catch(async (error: unknown) => {
    await close()
    throw error
  })
  return {
    name: 'trust',
    schema: executableSchema(),
    context: (caller) => createTrustContext({ ...parts, events }, caller),
    ready: async () => {
      const [, states] = await Promise.all([parts.keys.ping(), parts.sources.status()])
      return { degraded: states.filter(({ state }) => state === 'down').map(({ name }) => name) }
    },
    start() {
      // So that the first request does not wait for it.
      void parts.engine.prepare(parts.engine.policyVersion)
      start()
    },
    listeners: events.listeners,
    async close() {
      await events.close()
      await close()
    },
  }
}
