import type { ListRepository } from './list-repository.ts'

/** The list of registries' services, as `lists.ts` downloads it. */
export const BOOTSTRAP = 'iana-rdap'

/**
 * Registries' RDAP services for an installation that has not loaded IANA's list yet (https://data.iana.org/rdap/dns.json, public domain by IANA's and
 * IETF's statement of 2021-11-10): the largest top-level domains only, as facts, seen in November 2026.
 */
const SHIPPED: Readonly<Record<string, string>> = {
  app: 'https://pubapi.registry.google/rdap/',
  br: 'https://rdap.registro.br/',
  com: 'https://rdap.verisign.com/com/v1/',
  cz: 'https://rdap.nic.cz/',
  dev: 'https://pubapi.registry.google/rdap/',
  fr: 'https://rdap.nic.fr/',
  net: 'https://rdap.verisign.com/net/v1/',
  nl: 'https://rdap.sidn.nl/',
  no: 'https://rdap.norid.no/',
  org: 'https://rdap.publicinterestregistry.org/rdap/',
  page: 'https://pubapi.registry.google/rdap/',
  pl: 'https://rdap.dns.pl/',
  uk: 'https://rdap.nominet.uk/uk/',
}

/** Where the registry of a name answers; 'none': it has no such service; 'unknown': the list was never loaded. */
export async function rdapServiceOf(lists: ListRepository, registrable: string): Promise<string | 'none' | 'unknown'> {
  // RFC 9224 §4: the entry with the most labels wins.
  const labels = registrable.split('.')
  const zones = labels.map((_, index) => labels.slice(index).join('.')).slice(1)
  const found = await lists.find([BOOTSTRAP], zones)
  const known = zones.flatMap((zone) => found.filter((entry) => entry.key === zone)).at(0)
  if (known) return known.indicator
  if (await lists.edition(BOOTSTRAP)) return 'none'
  return zones.flatMap((zone) => SHIPPED[zone] ?? []).at(0) ?? 'unknown'
}
