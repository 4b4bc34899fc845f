import { X509Certificate } from 'node:crypto'
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'
import { isAddress } from '../../../platform/outbound/address-policy.ts'
import { connectTo } from '../../../platform/outbound/addresses.ts'
import { Fault, faultOf } from '../../../platform/outbound/fault.ts'
import { describeCertificate } from './certificate.ts'
import type { Collector } from './collector.ts'

const HOUR_SECONDS = 3_600
const MAX_CHAIN = 10

/** OpenSSL's messages for bytes that are no TLS. */
const NOT_TLS =
  /WRONG_VERSION_NUMBER|HTTP_REQUEST|PACKET_LENGTH_TOO_LONG|UNEXPECTED_MESSAGE|RECORD_LAYER|UNSUPPORTED_PROTOCOL_FAMILY|BAD_RECORD_TYPE|INVALID_RECORD/

/**
 * Makes a TLS handshake with one of the host's vetted addresses and reads the certificate. Nothing
 * is sent or read afterwards. Old protocols and weak keys are accepted here: they are evidence.
 */
export const collectTls: Collector<'tls'> = async ({ subject: { host }, parts, signal, addresses }) => {
  if (isAddress(host)) return { status: 'skipped', reason: 'not_applicable', validFor: HOUR_SECONDS }
  const where = await addresses()
  if (where.status === 'servfail') throw new Fault('unavailable', 'no addresses are known')
  if (where.a.length + where.aaaa.length === 0) return { status: 'skipped', reason: 'not_applicable', validFor: 60 }
  const { network } = parts
  const everywhere = [...where.a, ...where.aaaa]
  const isRefused = everywhere.some((address) => network.blockReason({ address, port: network.tlsPort }) !== null)
  if (isRefused) return { status: 'skipped', reason: 'not_applicable', validFor: 60 }

  return parts.slots.run(everywhere[0] ?? host, signal, async () => {
    try {
      const tcp = await connectTo(network, where, network.tlsPort, signal)
      const socket = await network.handshake(
        tcp,
        { servername: host, rejectUnauthorized: false, secureContext: network.lenient() },
        signal,
      )
      try {
        return { status: 'ok', facts: factsOf(socket, host, network.authorities), validFor: 6 * HOUR_SECONDS }
      } finally {
        socket.on('error', () => {}).destroy()
      }
    } catch (error) {
      const fault = faultOf(error)
      if (fault.reason === 'refused') return { status: 'absent', reason: 'refused', validFor: 600 }
      if (NOT_TLS.test(fault.message)) return { status: 'absent', reason: 'no_tls', validFor: 600 }
      if (/EXCESSIVE_MESSAGE_SIZE/.test(fault.message))
        throw new Fault('malformed', 'a chain that is too large', { cause: error })
      throw fault
    }
  })
}

function factsOf(socket: TLSSocket, host: string, authorities: readonly string[] | null) {
  const chain: X509Certificate[] = []
  const seen = new Set<string>()
  // The objects of node:tls are linked, and a root is linked with itself.
  for (
    let each: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
    each?.raw;
    each = each.issuerCertificate
  ) {
    if (seen.has(each.fingerprint256) || chain.length === MAX_CHAIN) break
    seen.add(each.fingerprint256)
    chain.push(new X509Certificate(each.raw))
  }
  if (chain.length === 0) throw new Fault('malformed', 'a handshake without a certificate')
  const protocol = socket.getProtocol() ?? 'unknown'
  return { protocol, ...describeCertificate(chain, { host, isAuthorized: socket.authorized, authorities }) }
}
