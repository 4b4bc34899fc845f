import type { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import { isAddress } from '../../../platform/outbound/address-policy.ts'
import { connectTo } from '../../../platform/outbound/addresses.ts'
import { Fault, faultOf } from '../../../platform/outbound/fault.ts'
import { describeCertificate } from './certificate.ts'
import { certificateTurn } from './collection-turns.ts'
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
      socket.on('error', () => {})
      try {
        // Before others get their turns: what closes loses them.
        const seen = { ...certificatesOf(socket), protocol: socket.getProtocol() ?? 'unknown', isAuthorized: socket.authorized }
        await certificateTurn()
        return { status: 'ok', facts: factsOf(seen, host, network.authorities), validFor: 6 * HOUR_SECONDS }
      } finally {
        socket.destroy()
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

type Handshake = {
  /** Begins with that of the host. */
  readonly chain: readonly X509Certificate[]
  readonly protocol: string
  /** Whether OpenSSL trusts chain, dates and name. */
  readonly isAuthorized: boolean
}

/** As the server sent them, but for an authorized one: nothing is left to be verified there. */
function certificatesOf(socket: TLSSocket): Pick<Handshake, 'chain'> {
  const leaf = socket.getPeerX509Certificate()
  if (!leaf) throw new Fault('malformed', 'a handshake without a certificate')
  const chain = [leaf]
  if (socket.authorized) return { chain }
  for (let next = leaf.issuerCertificate; next && chain.length < MAX_CHAIN; next = next.issuerCertificate) chain.push(next)
  return { chain }
}

const factsOf = ({ chain, protocol, isAuthorized }: Handshake, host: string, authorities: readonly string[] | null) => ({
  protocol,
  ...describeCertificate(chain, { host, isAuthorized, authorities }),
})
