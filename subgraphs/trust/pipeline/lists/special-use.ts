/**
 * Names outside of the public DNS, by suffix: IANA's registry of special-use domain names (RFC
 * 6761; as of November 2026), and `internal`, which ICANN reserved for private use in 2024. Left
 * out: names in the registry that resolve normally (`example.com`, `ip6.arpa`). `local-network` is
 * in the network of the caller, `overlay` in a network beside the DNS, `nowhere` in none.
 */
export type SpecialUse = 'local-network' | 'overlay' | 'nowhere'

export const SPECIAL_USE: Readonly<Record<string, SpecialUse>> = {
  localhost: 'local-network', // RFC 6761
  local: 'local-network', // RFC 6762, multicast DNS
  'home.arpa': 'local-network', // RFC 8375
  internal: 'local-network', // ICANN board resolution 2024.07.29.06
  'ipv4only.arpa': 'local-network', // RFC 7050 and 8880, DNS64
  'resolver.arpa': 'local-network', // RFC 9462
  'service.arpa': 'local-network', // RFC 9665
  '6tisch.arpa': 'local-network', // RFC 9031
  'eap-noob.arpa': 'nowhere', // RFC 9140
  onion: 'overlay', // RFC 7686
  alt: 'overlay', // RFC 9476
  example: 'nowhere', // RFC 6761
  invalid: 'nowhere', // RFC 6761
  test: 'nowhere', // RFC 6761
}
