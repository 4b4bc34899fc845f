import type { AddressInfo } from 'node:net'
import pino from 'pino'
import { builtInSupergraph } from '../../composition/built-in-supergraph.ts'
import { startGateway } from '../../gateway/gateway.ts'
import { createLocalLink } from '../../gateway/subgraph-client/local-subgraph.ts'
import { createHttpServer } from '../../platform/http/server.ts'
import { serveDirectoryApi } from '../../rest-facade/directory/serve.ts'
import { serveTrustApi } from '../../rest-facade/trust/serve.ts'
import { directorySubgraph } from '../../subgraphs/directory/subgraph.ts'
import { socialSubgraph } from '../../subgraphs/social/subgraph.ts'
import { storeSubgraph } from '../../subgraphs/store/subgraph.ts'
import type { CollectorOptions } from '../../subgraphs/trust/parts.ts'
import { startTrust, type TestKey } from '../subgraphs/trust/support/trust.ts'
import { temporaryFiles } from '../support/files.ts'
import { askRaw, type Reply } from './ask.ts'

export const PUBLIC_URL = 'https://trust.example'

/**
 * The trust API over the real graph, with fixed evidence in place of collectors unless some are
 * given.
 */
export async function startTrustStack(collectors: CollectorOptions | null = null) {
  const trust = await startTrust(undefined, collectors)
  const { connection } = trust.database
  const log = pino({ level: process.env.TEST_LOG ?? 'fatal' })
  const directory = await directorySubgraph({ connection, publicUrl: PUBLIC_URL, log })
  const social = await socialSubgraph({ connection, log })
  const store = await storeSubgraph({ connection, publicUrl: PUBLIC_URL, files: await temporaryFiles(), log })
  const gateway = await startGateway({
    ...builtInSupergraph(),
    links: [directory, social, store, trust.subgraph].map(createLocalLink),
    limits: { depth: 10, cost: 1000 },
    log,
  })
  const app = createHttpServer({
    log,
    checks: [directory, social, store, trust.subgraph].map(({ name, ready }) => ({ name, check: ready })),
  })
  await serveDirectoryApi(app, gateway.client, { publicUrl: PUBLIC_URL })
  await serveTrustApi(app, gateway.client, { publicUrl: PUBLIC_URL })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`

  return {
    ...trust,
    url,
    gateway,
    /** Sends JSON, or the text that is given, with a key. */
    send: (on: string, key: TestKey | null, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> => {
      const [method = '', path = ''] = on.split(' ')
      return askRaw(url, path, {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(key && { 'x-api-key': key.secret }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
    },
    close: async () => {
      await app.close()
      await gateway.close()
      await directory.close()
      await social.close()
      await store.close()
      await trust.close()
    },
  }
}
