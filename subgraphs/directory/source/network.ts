import { withinAny } from '../../../platform/outbound/address-policy.ts'
import { dnsClient } from '../../../platform/outbound/dns-client.ts'
import { systemServers } from '../../../platform/outbound/dns-servers.ts'
import { type HttpClient, httpClient } from '../../../platform/outbound/http-client.ts'
import { safeNetwork } from '../../../platform/outbound/safe-connect.ts'
import type { SourceNetworkSettings } from './source.ts'

const MAX_REDIRECTS = 3

/** Opens no connection before the first request. */
export function sourceHttp({ privateNetworks }: Pick<SourceNetworkSettings, 'privateNetworks'>): HttpClient {
  const isAllowed = withinAny(privateNetworks)
  const network = safeNetwork({ resolvers: systemServers(), allow: ({ address }) => isAllowed(address) })
  return httpClient(network, dnsClient(network), { userAgent: 'atrium-directory', maxRedirects: MAX_REDIRECTS })
}
