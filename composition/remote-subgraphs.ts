import { remoteRoutes } from '../gateway/signed-link/remote-routes.ts'
import { createSessionKey, createSigner } from '../gateway/signed-link/signature.ts'
import { linkSecretsOf, locationsOf } from '../gateway/signed-link/variables.ts'
import { checkReachability, isReady } from '../gateway/subgraph-client/health.ts'
import { createRemoteLink } from '../gateway/subgraph-client/remote-subgraph.ts'
import type { Defer } from '../platform/process/lifecycle.ts'
import { OAUTH_ROUTES } from '../subgraphs/store/oauth/routes.ts'
import { PAYMENT_ROUTES } from '../subgraphs/store/payment/routes.ts'
import type { ConnectedSubgraphs } from './local-subgraphs.ts'
import type { AtriumConfig, SubgraphDeps } from './subgraph-factories.ts'

/** Connects to subgraphs in other processes over HTTP. */
export function createRemoteSubgraphs(
  config: AtriumConfig,
  { log, defer }: Pick<SubgraphDeps, 'log'> & { readonly defer: Defer },
): ConnectedSubgraphs {
  const locations = locationsOf(config)
  const secrets = linkSecretsOf(config)
  const [sign, sessionKey] = [createSigner(secrets, Date.now), createSessionKey(secrets)]
  const timeoutMilliseconds = config.SUBGRAPH_TIMEOUT_MILLISECONDS
  const links = locations.map(({ name, url }) =>
    createRemoteLink({ name, url: `${url}/graphql`, timeoutMilliseconds, log, sign, sessionKey }),
  )
  const store = remoteRoutes([...OAUTH_ROUTES, ...PAYMENT_ROUTES], {
    url: locations.find(({ name }) => name === 'store')?.url ?? '',
    sign,
  })
  defer(async () => {
    await Promise.all([...links.map((link) => link.close()), store.close()])
  })
  return {
    links,
    checks: [{ name: 'subgraphs', check: (signal) => checkReachability(locations, isReady, signal) }],
    httpRoutes: store.httpRoutes,
    listeners: () => 0,
    connectClient: async () => {},
    start: () => {},
  }
}
