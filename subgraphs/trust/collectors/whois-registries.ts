/** Order of day, month and year in a registry's dates; a month may be written as a word. */
export type DateOrder = 'ymd' | 'dmy' | 'mdy'

/** How one registry's WHOIS service (RFC 3912) answers. All texts are lower case. */
export type WhoisRegistry = {
  /** Suffixes below which it registers names, as A-labels. */
  readonly suffixes: readonly string[]
  readonly server: string
  /** Appended to the name in a query: JPRS answers in English to `name/e`. */
  readonly querySuffix?: string
  /** What a line with the date of registration begins with, before dots, colons and blanks. */
  readonly created: readonly string[]
  readonly expires: readonly string[]
  readonly dateOrder: DateOrder
  /** Part of the answer, with single blanks, for an unregistered name. */
  readonly absent: string
}

/** Registries with the form that ICANN demands of generic suffixes (RAA 2013, WHOIS §1.4). */
const icann = (suffixes: readonly string[], server: string, absent: string): WhoisRegistry => ({
  suffixes,
  server,
  created: ['creation date'],
  expires: ['registry expiry date'],
  dateOrder: 'ymd',
  absent,
})

/**
 * Registries without RDAP that publish the date of registration by WHOIS. Servers are those of
 * IANA's root zone database; labels and dates are those of these servers. Registries without a
 * published date (.de, .at, .eu, .il, .ir …) are left out.
 */
export const WHOIS_REGISTRIES: readonly WhoisRegistry[] = [
  {
    suffixes: ['jp'],
    server: 'whois.jprs.jp',
    querySuffix: '/e',
    // Names below .jp itself; names below co.jp, ac.jp and others.
    created: ['[created on]', '[registered date]'],
    expires: ['[expires on]'],
    dateOrder: 'ymd',
    absent: 'no match!!',
  },
  {
    suffixes: ['cn', 'xn--fiqs8s', 'xn--fiqz9s'],
    server: 'whois.cnnic.cn',
    created: ['registration time'],
    expires: ['expiration time'],
    dateOrder: 'ymd',
    absent: 'no matching record',
  },
  {
    suffixes: ['ru', 'su', 'xn--p1ai'],
    server: 'whois.tcinet.ru',
    created: ['created'],
    expires: ['paid-till'],
    dateOrder: 'ymd',
    absent: 'no entries found',
  },
  {
    suffixes: ['it'],
    server: 'whois.nic.it',
    created: ['created'],
    expires: ['expire date'],
    dateOrder: 'ymd',
    absent: 'status: available',
  },
  {
    suffixes: ['tr'],
    server: 'whois.trabis.gov.tr',
    created: ['created on'],
    expires: ['expires on'],
    dateOrder: 'ymd',
    absent: 'no match found',
  },
  {
    suffixes: ['kr', 'xn--3e0b707e'],
    server: 'whois.kr',
    created: ['registered date'],
    expires: ['expiration date'],
    dateOrder: 'ymd',
    absent: 'domain name was not found',
  },
  {
    suffixes: ['hk', 'xn--j6w193g'],
    server: 'whois.hkirc.hk',
    created: ['domain name commencement date'],
    expires: ['expiry date'],
    dateOrder: 'dmy',
    absent: 'the domain has not been registered',
  },
  {
    suffixes: ['be'],
    server: 'whois.dns.be',
    created: ['registered'],
    expires: [],
    dateOrder: 'mdy',
    absent: 'status: available',
  },
  {
    suffixes: ['dk'],
    server: 'whois.punktum.dk',
    created: ['registered'],
    expires: ['expires'],
    dateOrder: 'ymd',
    absent: 'no entries found',
  },
  {
    suffixes: ['se'],
    server: 'whois.iis.se',
    created: ['created'],
    expires: ['expires'],
    dateOrder: 'ymd',
    absent: 'not found',
  },
  {
    suffixes: ['nu'],
    server: 'whois.iis.nu',
    created: ['created'],
    expires: ['expires'],
    dateOrder: 'ymd',
    absent: 'not found',
  },
  {
    suffixes: ['mx'],
    server: 'whois.mx',
    created: ['created on'],
    expires: ['expiration date'],
    dateOrder: 'ymd',
    absent: 'object_not_found',
  },
  {
    suffixes: ['ro'],
    server: 'whois.rotld.ro',
    created: ['registered on'],
    expires: ['expires on'],
    dateOrder: 'ymd',
    absent: 'no entries found',
  },
  {
    suffixes: ['hu'],
    server: 'whois.nic.hu',
    created: ['record created'],
    expires: [],
    dateOrder: 'ymd',
    absent: 'no match',
  },
  {
    suffixes: ['sk'],
    server: 'whois.sk-nic.sk',
    created: ['created'],
    expires: ['valid until'],
    dateOrder: 'ymd',
    absent: 'domain not found',
  },
  {
    suffixes: ['rs', 'xn--90a3ac'],
    server: 'whois.rnids.rs',
    created: ['registration date'],
    expires: ['expiration date'],
    dateOrder: 'dmy',
    absent: 'domain is not registered',
  },
  {
    suffixes: ['mk'],
    server: 'whois.marnet.mk',
    created: ['registered'],
    expires: ['expire'],
    dateOrder: 'dmy',
    absent: 'no entries found',
  },
  {
    suffixes: ['lt'],
    server: 'whois.domreg.lt',
    created: ['registered'],
    expires: ['expires'],
    dateOrder: 'ymd',
    absent: 'status: available',
  },
  {
    suffixes: ['ee'],
    server: 'whois.tld.ee',
    created: ['registered'],
    expires: ['expire'],
    dateOrder: 'ymd',
    absent: 'domain not found',
  },
  {
    suffixes: ['kz'],
    server: 'whois.nic.kz',
    created: ['domain created'],
    expires: [],
    dateOrder: 'ymd',
    absent: 'nothing found',
  },
  {
    suffixes: ['by'],
    server: 'whois.cctld.by',
    created: ['creation date'],
    expires: ['expiration date'],
    dateOrder: 'ymd',
    absent: 'object does not exist',
  },
  {
    suffixes: ['uz'],
    server: 'whois.cctld.uz',
    created: ['creation date'],
    expires: ['expiration date'],
    dateOrder: 'dmy',
    absent: 'not found in database',
  },
  {
    suffixes: ['cl'],
    server: 'whois.nic.cl',
    created: ['creation date'],
    expires: ['expiration date'],
    dateOrder: 'ymd',
    absent: 'no entries found',
  },
  {
    suffixes: ['tn'],
    server: 'whois.ati.tn',
    created: ['creation date'],
    expires: [],
    dateOrder: 'dmy',
    absent: 'no object found',
  },
  icann(['us'], 'whois.nic.us', 'no data found'),
  icann(['co'], 'whois.registry.co', 'no data found'),
  icann(['me'], 'whois.nic.me', 'domain not found'),
  icann(['io'], 'whois.nic.io', 'domain not found'),
  icann(['ac'], 'whois.nic.ac', 'domain not found'),
  icann(['sh'], 'whois.nic.sh', 'domain not found'),
  icann(['ie'], 'whois.weare.ie', 'not found:'),
]

const BY_SUFFIX: ReadonlyMap<string, WhoisRegistry> = new Map(
  WHOIS_REGISTRIES.flatMap((registry) => registry.suffixes.map((suffix): [string, WhoisRegistry] => [suffix, registry])),
)

/** The WHOIS service of a name; null when its registry has none that publishes dates. */
export function whoisRegistryOf(registrable: string): WhoisRegistry | null {
  return BY_SUFFIX.get(registrable.slice(registrable.lastIndexOf('.') + 1)) ?? null
}
