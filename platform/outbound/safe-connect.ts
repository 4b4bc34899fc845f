import { createSocket, type Socket as Datagrams } from 'node:dgram'
import net from 'node:net'
import tls from 'node:tls'
import { isAddress, specialRange } from './address-policy.ts'
import { Fault, faultOf } from './fault.ts'

/** An address, never a name, and a port. */
export type SocketEndpoint = { readonly address: string; readonly port: number }

export type NetworkOptions = {
  /**
   * DNS servers of the operator, in order of use. Exempt from the address policy: they are usually
   * private.
   */
  readonly resolvers: readonly SocketEndpoint[]
  /**
   * Allows further endpoints and plain HTTP to them. Only for tests, whose servers are on loopback;
   * no setting leads here.
   */
  readonly allow?: (endpoint: SocketEndpoint) => boolean
  /** The port of TLS; tests cannot use 443. */
  readonly tlsPort?: number
  /** A further port that may be connected to, for WHOIS; none by default. */
  readonly whoisPort?: number
  /** PEM certificate authorities instead of the built-in ones. */
  readonly authorities?: readonly string[]
}

/**
 * The only function that opens a socket to an address named by a client. Checks the address right
 * before connecting, wherever it was resolved.
 */
export type Network = {
  readonly resolvers: readonly SocketEndpoint[]
  readonly tlsPort: number
  /** The port of WHOIS servers; null: WHOIS is off. */
  readonly whoisPort: number | null
  readonly authorities: readonly string[] | null
  /**
   * TLS context for inspection: allows old protocols and weak keys. Created once: it holds all
   * authorities.
   */
  readonly lenient: () => tls.SecureContext
  /** Why the policy blocks this endpoint; null when allowed. */
  readonly blockReason: (endpoint: SocketEndpoint) => string | null
  /** Whether plain HTTP to this endpoint is allowed. */
  readonly allowsPlainHttp: (endpoint: SocketEndpoint) => boolean
  /** A TCP connection. Throws a `Fault`. */
  readonly connect: (endpoint: SocketEndpoint, signal: AbortSignal) => Promise<net.Socket>
  /**
   * Upgrades such a connection to TLS and takes it over. Throws a `Fault` or the handshake error.
   */
  readonly handshake: (socket: net.Socket, options: tls.ConnectionOptions, signal: AbortSignal) => Promise<tls.TLSSocket>
  /** A TCP connection to one of `resolvers`. Throws a `Fault`. */
  readonly resolverStream: (resolver: SocketEndpoint, signal: AbortSignal) => Promise<net.Socket>
  /** UDP from a random local port, connected to one of `resolvers`: other senders are dropped. */
  readonly resolverDatagrams: (resolver: SocketEndpoint) => Promise<Datagrams>
}

/** The ports of the web; what else is connected to names its port in the options. */
const WEB_PORTS = [443, 80]

export function safeNetwork({ resolvers, allow = () => false, tlsPort = 443, whoisPort, authorities }: NetworkOptions): Network {
  const ports = [...WEB_PORTS, tlsPort, ...(whoisPort === undefined ? [] : [whoisPort])]
  const refusal = (endpoint: SocketEndpoint): string | null => {
    if (!isAddress(endpoint.address)) return 'not an address'
    if (allow(endpoint)) return null
    if (!ports.includes(endpoint.port)) return `port ${endpoint.port}`
    return specialRange(endpoint.address)
  }
  const assertResolver = (resolver: SocketEndpoint): void => {
    if (!resolvers.includes(resolver)) throw new Error('Expected one of the configured DNS servers.')
  }

  let lenient: tls.SecureContext | null = null

  return {
    resolvers,
    tlsPort,
    whoisPort: whoisPort ?? null,
    authorities: authorities ?? null,
    lenient() {
      lenient ??= tls.createSecureContext({
        minVersion: 'TLSv1',
        ciphers: 'DEFAULT@SECLEVEL=0',
        ...(authorities ? { ca: [...authorities] } : {}),
      })
      return lenient
    },
    blockReason: refusal,
    allowsPlainHttp: allow,
    async connect(endpoint, signal) {
      const reason = refusal(endpoint)
      if (reason !== null) throw new Fault('blocked', `no connection to ${endpoint.address}: ${reason}`)
      return open(endpoint, signal)
    },
    handshake: (socket, options, signal) =>
      whenOpen(tls.connect({ ...options, socket }), 'secureConnect', signal).catch((error: unknown) => {
        socket.destroy()
        throw error
      }),
    async resolverStream(resolver, signal) {
      assertResolver(resolver)
      return open(resolver, signal)
    },
    async resolverDatagrams(resolver) {
      assertResolver(resolver)
      const socket = createSocket(net.isIPv6(resolver.address) ? 'udp6' : 'udp4')
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      socket.once('error', reject)
      // Port 0 is random: a forger must guess it together with the id.
      socket.bind(0, () =>
        socket.connect(resolver.port, resolver.address, (error?: Error) => (error ? reject(error) : resolve())),
      )
      try {
        await promise
      } catch (error) {
        socket.close()
        throw faultOf(error)
      }
      socket.removeListener('error', reject)
      return socket
    },
  }
}

async function open({ address, port }: SocketEndpoint, signal: AbortSignal): Promise<net.Socket> {
  try {
    // A literal address needs no lookup and no address selection.
    return await whenOpen(net.connect({ host: address, port, autoSelectFamily: false, noDelay: true }), 'connect', signal)
  } catch (error) {
    throw faultOf(error)
  }
}

/** Resolves with the open socket. Destroys one that failed or is too late. */
function whenOpen<Socket extends net.Socket>(socket: Socket, event: string, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const onAbort = () => reject(new Fault('timeout', 'no connection in time'))
  const onClose = () => reject(new Fault('unavailable', 'closed by the other side'))
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  socket.once(event, () => resolve(socket))
  socket.once('error', reject)
  socket.once('close', onClose)
  return promise.then(
    (opened) => {
      signal.removeEventListener('abort', onAbort)
      opened.removeListener('close', onClose)
      return opened
    },
    (error: unknown) => {
      signal.removeEventListener('abort', onAbort)
      socket.on('error', () => {})
      socket.destroy()
      throw error
    },
  )
}
