import type { AddressInfo } from 'node:net'
import type { JWTVerifyGetKey } from 'jose'
import pino from 'pino'
import { expect } from 'vitest'
import { builtInSupergraph } from '../../../composition/built-in-supergraph.ts'
import { startGateway } from '../../../gateway/gateway.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import { serveGraphql } from '../../../gateway/transports/http.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import { serveSocialApi } from '../../../rest-facade/social/serve.ts'
import { sessionCheck } from '../../../rest-facade/social/session/check.ts'
import type { RequestCounter } from '../../../rest-facade/store/caller/rate-limit.ts'
import { resources } from '../../../rest-facade/store/resources.ts'
import { serveStoreApi } from '../../../rest-facade/store/serve.ts'
import { serveTrustApi } from '../../../rest-facade/trust/serve.ts'
import { directorySubgraph } from '../../../subgraphs/directory/subgraph.ts'
import { socialSubgraph } from '../../../subgraphs/social/subgraph.ts'
import type { StoreQuotas } from '../../../subgraphs/store/quota/quota.ts'
import { publishedKeys, type SessionCheck } from '../../../subgraphs/toolkit/user-token.ts'
import { trustSubgraph } from '../../../subgraphs/trust/subgraph.ts'
import { PUBLIC_URL, startStore, type TestStore, type WebhookOptions } from '../../subgraphs/store/support/store.ts'
import { fixedSources } from '../../subgraphs/trust/support/trust.ts'
import { askRaw, type Reply } from '../ask.ts'
import { breaches, operationFor } from './contract.ts'

/** Counts nothing: a suite asks more often than any client may. */
export const UNLIMITED: RequestCounter = {
  count: () => ({ second: 1, minute: 1, secondEndsIn: 1, minuteEndsIn: 1, banEndsIn: 0 }),
  banEndsIn: () => 0,
  uses: async () => [],
  close: async () => {},
}

/** What is sent with a request. */
export type RequestOptions = {
  /** Sent as JSON; bytes and texts as they are. */
  readonly body?: unknown
  /**
   * Whose credentials are sent; null sends none. The store that the stack began with when absent.
   */
  readonly as?: TestStore | null
  readonly headers?: Readonly<Record<string, string>>
}

/** The store's REST API over the real graph, with one store that has nothing in it. */
export async function startStoreStack({
  now = () => new Date(),
  rateLimit = UNLIMITED,
  logTo,
  webhooks,
  quotas,
}: {
  /** The clock of the store. */
  readonly now?: () => Date
  readonly rateLimit?: RequestCounter
  /** Is given every line of the log. */
  readonly logTo?: (line: string) => void
  /** Webhooks are delivered, with these options; they are not when it is absent. */
  readonly webhooks?: WebhookOptions
  /** What each store may have and add; absent: as in an installation that sets none. */
  readonly quotas?: StoreQuotas
} = {}) {
  // The server that publishes the keys listens only when the store is there.
  let keys: JWTVerifyGetKey | null = null
  let check: Promise<SessionCheck> | null = null
  const store = await startStore(now, {
    userKeys: (header, token) => {
      keys ??= publishedKeys(url)
      return keys(header, token)
    },
    isSessionOpen: async (token) => (await check)?.(token) ?? false,
    webhooks,
    ...(quotas && { quotas }),
  })
  const { connection } = store.database
  const log = logTo ? pino({ level: 'trace' }, { write: logTo }) : pino({ level: process.env.TEST_LOG ?? 'fatal' })
  const directory = await directorySubgraph({ connection, publicUrl: PUBLIC_URL, log })
  const social = await socialSubgraph({ connection, log })
  const trust = await trustSubgraph({ connection, log, sources: fixedSources(now) })
  const gateway = await startGateway({
    ...builtInSupergraph(),
    links: [directory, social, store.subgraph, trust].map(createLocalLink),
    limits: { depth: 10, cost: 1000 },
    log,
  })
  check = sessionCheck(gateway.client)
  await check
  const stopDelivering = webhooks && (await store.subgraph.deliverWebhooks(await resources(gateway.client)))
  const app = createHttpServer({ log })
  await serveGraphql(app, gateway)
  await serveSocialApi(app, gateway.client, { publicUrl: PUBLIC_URL })
  await serveStoreApi(app, gateway.client, { publicUrl: PUBLIC_URL, rateLimit })
  await serveTrustApi(app, gateway.client, { publicUrl: PUBLIC_URL })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const own = await store.aStore()

  return {
    ...store,
    url,
    gateway,
    /** Asks the subgraph itself, for what the REST API does not have. */
    graph: store.ask,
    /** The store whose credentials are sent unless a request says otherwise. */
    own,
    /**
     * Sends one request, such as `GET /categories.json`, and fails the test when the answer breaks
     * the contract.
     */
    async ask(on: string, { body, as = own, headers = {} }: RequestOptions = {}): Promise<Reply> {
      const [method = '', path = ''] = on.split(' ')
      const isSent = body !== undefined
      const sent = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
      const reply = await askRaw(url, `/v1${path}`, {
        method,
        headers: {
          // Node says nothing about the length of a DELETE's body by itself.
          ...(isSent && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(sent)) }),
          ...(as && { authorization: `Basic ${Buffer.from(`${as.login}:${as.authtoken}`).toString('base64')}` }),
          ...headers,
        },
        ...(isSent && { body: sent }),
      })
      const operation = operationFor(method, `/v1${path.split('?')[0]}`)
      if (operation) expect([on, reply.status, breaches(operation, reply)]).toEqual([on, reply.status, []])
      return reply
    },
    close: async () => {
      await stopDelivering?.()
      await app.close()
      await gateway.close()
      await directory.close()
      await social.close()
      await trust.close()
      await store.close()
    },
  }
}

export type StoreRestStack = Awaited<ReturnType<typeof startStoreStack>>
