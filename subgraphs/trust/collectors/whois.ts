import type { Socket } from 'node:net'
import { connectTo, resolveAddresses } from '../../../platform/outbound/addresses.ts'
import { deadline } from '../../../platform/outbound/deadline.ts'
import { Fault, faultOf } from '../../../platform/outbound/fault.ts'
import type { RdapFacts } from '../evidence.ts'
import type { CollectorParts } from './collector.ts'
import type { WhoisRegistry } from './whois-registries.ts'
import { parseWhois } from './whois-response.ts'

/** RFC 3912 §2. */
export const WHOIS_PORT = 43
/** RFC 3912 has no end of an answer but the end of the connection; the longest known is 6 kB. */
const MAX_BYTES = 64 * 1024
/**
 * Within the time of one decision: a WHOIS server that is later is as good as none, and other
 * clocks count then. Milliseconds.
 */
const TIMEOUT_MS = 1_900

/**
 * Queries a registry's WHOIS service about a name; null when it is not registered. The server's
 * name is from our table; its address must pass the policy of all outbound connections. Throws a
 * `Fault`.
 */
export async function queryWhois(
  name: string,
  registry: WhoisRegistry,
  { network, dns, slots, circuits }: CollectorParts,
  signal: AbortSignal,
): Promise<RdapFacts | null> {
  const { server } = registry
  const { whoisPort } = network
  if (whoisPort === null) throw new Fault('blocked', 'WHOIS is not allowed here')
  const own = deadline(TIMEOUT_MS, signal)
  try {
    return await circuits.run(server, () =>
      slots.run(server, own.signal, async () => {
        const socket = await connectTo(network, await resolveAddresses(dns, server, own.signal), whoisPort, own.signal)
        return parseWhois(await exchange(socket, `${name}${registry.querySuffix ?? ''}\r\n`, own.signal), name, registry)
      }),
    )
  } finally {
    own.clear()
  }
}

/** Sends one line, and reads until the server closes. Throws a `Fault`. */
async function exchange(socket: Socket, query: string, signal: AbortSignal): Promise<string> {
  const onAbort = () => socket.destroy(new Fault('timeout', 'no WHOIS answer in time'))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    if (signal.aborted) onAbort()
    socket.write(query)
    const pieces: Buffer[] = []
    let bytes = 0
    for await (const piece of socket) {
      bytes += piece.length
      if (bytes > MAX_BYTES) throw new Fault('too_large', `a WHOIS answer of more than ${MAX_BYTES} bytes`)
      pieces.push(piece)
    }
    if (bytes === 0) throw new Fault('unavailable', 'the WHOIS server closed without an answer')
    return Buffer.concat(pieces).toString('utf8')
  } catch (error) {
    throw faultOf(error)
  } finally {
    signal.removeEventListener('abort', onAbort)
    socket.on('error', () => {}).destroy()
  }
}
