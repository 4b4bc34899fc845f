import type { AddressInfo } from 'node:net'
import tls, { type TLSSocket } from 'node:tls'
import type { NetworkOptions, SocketEndpoint } from '../../../../../platform/outbound/safe-connect.ts'
import { type Answerer, a, type DnsServer, startDnsServer } from '../../../../support/dns-server.ts'
import { type Handler, type HttpServer, json, startHttpServer } from '../../../../support/http-server.ts'
import { aCertificate, anAuthority } from './certificates.ts'

/** An internet on loopback. */
export type World = {
  readonly dns: DnsServer
  /** Also has the list of registries, at `/dns.json`. */
  readonly registry: HttpServer
  /** What collectors need to reach it: its ports, and its authority. */
  readonly network: Required<Omit<NetworkOptions, 'resolvers' | 'whoisPort'>>
  /** Names that came with handshakes. */
  readonly handshakes: string[]
  /** How often the registry was asked about a domain. */
  readonly registrations: () => number
  readonly close: () => Promise<void>
}

export type WorldOptions = {
  /** Of the registry; otherwise it knows every domain since 2015. */
  readonly rdap?: Handler | undefined
  /** Of DNS; otherwise every name is here, but for those that look made up. */
  readonly answer?: Answerer | undefined
  /**
   * What the list of registries says beside .com, for a list of usual length or another registry.
   */
  readonly services?: (registryPort: number) => readonly (readonly [suffixes: readonly string[], urls: readonly string[]])[]
  /** Further endpoints that may be connected to. */
  readonly allow?: (endpoint: SocketEndpoint) => boolean
}

/**
 * DNS that answers every name, a registry that knows every .com, and a TLS server behind all of
 * them.
 */
export async function startWorld({ rdap, answer, services = () => [], allow = () => false }: WorldOptions = {}): Promise<World> {
  const authority = await anAuthority()
  const handshakes: string[] = []
  const server = tls.createServer({
    ...(await aCertificate({ names: ['*.com'], authority })),
    SNICallback: (name, callback) => {
      handshakes.push(name)
      callback(null)
    },
  })
  server.on('secureConnection', (socket: TLSSocket) => socket.on('error', () => {})).on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const tlsPort = (server.address() as AddressInfo).port
  const dns = await startDnsServer(
    answer ?? (({ name, type }) => (/^[0-9a-f]{16}\./.test(name) ? undefined : type === 'A' ? a(name, '127.0.0.1') : {})),
  )
  const registered: Handler = (request, response) =>
    json({
      objectClassName: 'domain',
      ldhName: request.url?.split('/').at(-1),
      events: [{ eventAction: 'registration', eventDate: '2015-03-01T10:00:00Z' }],
    })(request, response)
  const registry: HttpServer = await startHttpServer({
    '/dns.json': (request, response) =>
      json({ services: [[['com'], [`http://${request.headers.host}/`]], ...services(registry.port)] })(request, response),
    '*': rdap ?? registered,
  })
  return {
    dns,
    registry,
    network: {
      tlsPort,
      authorities: [authority.pem],
      allow: (endpoint) => endpoint.port === tlsPort || endpoint.port === registry.port || allow(endpoint),
    },
    handshakes,
    registrations: () => registry.requests.filter((path) => path.startsWith('/domain/')).length,
    async close() {
      server.close()
      await Promise.all([dns.close(), registry.close()])
    },
  }
}
