import { getServers } from 'node:dns'
import { isIP } from 'node:net'
import type { SocketEndpoint } from './safe-connect.ts'

/** The DNS servers of the system configuration. */
export const systemServers = (): SocketEndpoint[] => getServers().flatMap((server) => parseDnsServer(server) ?? [])

/** `9.9.9.9`, `9.9.9.9:53`, `2620:fe::fe` or `[2620:fe::fe]:53`; null for anything else. */
export function parseDnsServer(text: string): SocketEndpoint | null {
  if (isIP(text)) return { address: text, port: 53 }
  const match = /^(?:\[([^\]]+)\]|([\d.]+)):(\d{1,5})$/.exec(text)
  const address = match?.[1] ?? match?.[2] ?? ''
  const port = Number(match?.[3])
  return isIP(address) && port > 0 && port < 65_536 ? { address, port } : null
}
