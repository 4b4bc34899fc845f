/** Address of a Kafka cluster, parsed from its URL. */
export type KafkaAddress = {
  /** Bootstrap brokers; any of them tells the others. */
  readonly brokers: readonly { readonly host: string; readonly port: number }[]
  readonly isTls: boolean
  /** Null without user. */
  readonly sasl: { readonly mechanism: KafkaMechanism; readonly username: string; readonly password: string } | null
}

export type KafkaMechanism = (typeof MECHANISMS)[number]
const MECHANISMS = ['SCRAM-SHA-256', 'SCRAM-SHA-512', 'PLAIN'] as const

const DEFAULT_PORT = 9092
const MAX_BROKERS = 20

/**
 * Parses `kafka://user:password@host:9092,host?mechanism=SCRAM-SHA-512`, or `kafkas:` for TLS.
 * Several brokers make it no URL of the WHATWG, so each is parsed alone. Null when it is invalid,
 * or would send a password in plain text: `PLAIN` needs `kafkas:`.
 */
export function parseKafkaUrl(url: string): KafkaAddress | null {
  const [, scheme = '', credentials = '', hosts = '', query = ''] =
    /^(kafkas?):\/\/(?:([^@/?#]*)@)?([^@/?#]+)\/?(?:\?([^#]*))?$/.exec(url) ?? []
  const isTls = scheme === 'kafkas'
  const given = hosts.split(',')
  const brokers = given.flatMap((host) => {
    const parsed = URL.parse(`kafka://${credentials === '' ? '' : `${credentials}@`}${host}`)
    const { hostname = '', port = '', username = '', password = '' } = parsed ?? {}
    // An IPv6 address is in brackets, which a socket does not take.
    return hostname === ''
      ? []
      : [{ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || DEFAULT_PORT), username, password }]
  })
  const [first] = brokers
  const mechanism = mechanismOf(query)
  if (!first || brokers.length !== given.length || given.length > MAX_BROKERS || mechanism === null) return null
  // Redis takes a password alone; Kafka would get none at all.
  if (first.username === '' && first.password !== '') return null
  const sasl = first.username === '' ? null : { mechanism, username: decoded(first.username), password: decoded(first.password) }
  if (sasl?.mechanism === 'PLAIN' && !isTls) return null
  return { brokers: brokers.map(({ host, port }) => ({ host, port })), isTls, sasl }
}

/** The mechanism that a query names, or the first; null for any other query. */
function mechanismOf(query: string): KafkaMechanism | null {
  const entries = [...new URLSearchParams(query)]
  if (entries.length === 0) return MECHANISMS[0]
  const [[name, value] = []] = entries
  return entries.length === 1 && name === 'mechanism' ? (MECHANISMS.find((each) => each === value) ?? null) : null
}

/** Percent-decodes; an invalid escape stays as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
