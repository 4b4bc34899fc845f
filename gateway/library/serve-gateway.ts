import { listen } from '../../platform/http/listen.ts'
import { createHttpServer } from '../../platform/http/server.ts'
import type { IsProxy } from '../../platform/http/trusted-proxies.ts'
import type { Defer } from '../../platform/process/lifecycle.ts'
import { createLog } from '../../platform/process/log.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { serveInvalidations } from '../caching/entity-cache-endpoint.ts'
import { serveCallbacks } from '../transports/callback-endpoint.ts'
import { GRAPHQL_PATH, serveGraphql } from '../transports/http.ts'
import { serveWebSockets } from '../transports/websocket.ts'
import type { CreateGatewayOptions, FederatedGateway } from './create-gateway.ts'

/** Options of `serveGateway`. */
export type ServeGatewayOptions = Pick<CreateGatewayOptions, 'batchLimit' | 'log'> & {
  /** TCP port; 0 chooses a free one. Default: 4000. */
  readonly port?: number
  /** Listening address. Default: 127.0.0.1. */
  readonly host?: string
  /**
   * Maximum concurrent requests and WebSocket operations; further ones get 503. 0: unlimited.
   * Default: 1000.
   */
  readonly loadLimit?: number
  /** Proxies whose `X-Forwarded-*` headers are trusted. Default: none. */
  readonly isProxy?: IsProxy
  /** Token for `POST /entity-cache/invalidations`, at least 16 characters. Default: not served. */
  readonly invalidationToken?: string
  /** Token for `/canary`, at least 16 characters. Default: not served. */
  readonly canaryToken?: string
  /** Time that `close` waits for running requests, in seconds. Default: 10. */
  readonly graceSeconds?: number
}

/** A listening server. */
export type RunningServer = {
  /** URL of the graph over HTTP; WebSockets use the same path. */
  readonly url: string
  /** Waits for running requests, then closes the port. The gateway stays open. */
  readonly close: () => Promise<void>
}

/**
 * Serves a gateway at `/graphql` over HTTP, WebSocket (graphql-transport-ws) and server-sent
 * events, with `/health` and `/ready`. Rejects when it cannot listen on the port.
 */
export async function serveGateway(
  { gateway, invalidateEntities, callbacks, canary }: FederatedGateway,
  options: ServeGatewayOptions = {},
): Promise<RunningServer> {
  const { port = 4_000, host = '127.0.0.1', loadLimit = 1_000, graceSeconds = 10, batchLimit = 0, isProxy } = options
  const app = createHttpServer({ log: options.log ?? createLog('warn'), loadLimit, isProxy })
  await serveGraphql(app, gateway, { batchLimit })
  serveWebSockets(app, gateway, { isProxy })
  serveCallbacks(app, callbacks)
  if (options.invalidationToken !== undefined)
    serveInvalidations(app, { invalidate: invalidateEntities }, options.invalidationToken)
  if (options.canaryToken !== undefined) {
    if (!canary) throw new OperatorError('Expected the gateway to have the option "canary", since there is a "canaryToken".')
    // Imported on demand: most gateways have no candidate.
    const { serveCanary } = await import('../canary/canary-endpoint.ts')
    serveCanary(app, canary, options.canaryToken)
  }
  const closers: Parameters<Defer>[0][] = []
  await listen(app, { host, port, graceSeconds }, (close) => void closers.push(close))
  const address = app.server.address()
  const opened = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${opened}${GRAPHQL_PATH}`,
    close: async () => {
      for (const close of closers) await close()
    },
  }
}
