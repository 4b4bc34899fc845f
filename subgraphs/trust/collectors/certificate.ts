import { X509Certificate } from 'node:crypto'
import tls from 'node:tls'
import type { TlsFacts, UnixSeconds } from '../evidence.ts'
import { asSet, asText } from './untrusted-json.ts'

/** Most names of one certificate that are stored. */
const MAX_NAMES = 100
/** Longest verified chain from a certificate to a root. */
const MAX_CHAIN_DEPTH = 10

/**
 * Policy identifiers of the CA/Browser Forum, the strictest first: EV, OV, IV (a person, equal to
 * OV), DV.
 */
const POLICIES = [
  ['2.23.140.1.1', 'EV'],
  ['2.23.140.1.2.2', 'OV'],
  ['2.23.140.1.2.3', 'OV'],
  ['2.23.140.1.2.1', 'DV'],
] as const

/** RFC 5280 §4.2.1.4. */
const CERTIFICATE_POLICIES = '2.5.29.32'

/**
 * A host's certificate as it presents it. `chain` begins with it; `isAuthorized`: OpenSSL trusts
 * chain and dates.
 */
export function describeCertificate(
  chain: readonly X509Certificate[],
  {
    host,
    isAuthorized,
    authorities,
  }: { readonly host: string; readonly isAuthorized: boolean; readonly authorities: readonly string[] | null },
): Omit<TlsFacts, 'protocol'> {
  const [leaf] = chain
  if (!leaf) throw new Error('Expected a certificate.')
  return {
    issuer: oneLine(leaf.issuer),
    subject: oneLine(leaf.subject),
    names: namesOf(leaf),
    notBefore: secondsOf(leaf.validFromDate),
    notAfter: secondsOf(leaf.validToDate),
    chainTrusted: isAuthorized || leadsToRoot(chain, authorities),
    selfSigned: leaf.issuer === leaf.subject && verifies(leaf, leaf),
    // Not by the common name, which browsers stopped reading in 2017; a wildcard stands for one
    // label.
    nameMatches: leaf.checkHost(host, { subject: 'never', partialWildcards: false }) !== undefined,
    validation: validationOf(leaf.raw),
    fingerprint256: leaf.fingerprint256,
  }
}

const secondsOf = (date: Date): UnixSeconds => Math.floor(date.getTime() / 1000)

/** "CN=example.com,O=Example": node:crypto has a line per attribute. */
const oneLine = (name: string): string => asText(name.split('\n').reverse().join(','), 512) ?? ''

function namesOf(certificate: X509Certificate): string[] {
  const text = certificate.subjectAltName ?? ''
  // Names with odd characters are spelled as JSON.
  const entries = text.matchAll(/(?:^|, )(?:DNS|IP Address):("(?:[^"\\]|\\.)*"|[^,]*)/g)
  const names: string[] = []
  for (const [, name] of entries) {
    if (names.length === MAX_NAMES) break
    const readable = asText(name?.toLowerCase(), 253)
    if (readable !== null) names.push(readable)
  }
  return asSet(names)
}

/**
 * Whether signatures lead from the first certificate to a trusted root, ignoring dates. OpenSSL
 * stops at the first fault, so that an expired certificate of a known authority looks untrusted.
 */
function leadsToRoot(chain: readonly X509Certificate[], authorities: readonly string[] | null): boolean {
  const roots = rootsFor(authorities)
  let current = chain[0]
  for (let depth = 0; current && depth < MAX_CHAIN_DEPTH; depth += 1) {
    const child: X509Certificate = current
    const root = roots.get(child.issuer)?.find((candidate) => verifies(child, candidate))
    if (root) return true
    current = chain.find(
      (candidate) => candidate !== child && candidate.ca && child.checkIssued(candidate) && verifies(child, candidate),
    )
  }
  return false
}

function verifies(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.verify(issuer.publicKey)
  } catch {
    return false
  }
}

type Roots = ReadonlyMap<string, readonly X509Certificate[]>
/** Of each list that was given. */
const parsedRoots = new WeakMap<readonly string[], Roots>()

/** Parsed once, on first need: there are about 150 built-in ones. */
function rootsFor(authorities: readonly string[] | null): Roots {
  const pems = authorities ?? tls.rootCertificates
  const roots = parsedRoots.get(pems) ?? bySubject(pems)
  parsedRoots.set(pems, roots)
  return roots
}

const bySubject = (pems: readonly string[]): Roots =>
  Map.groupBy(
    pems.map((pem) => new X509Certificate(pem)),
    ({ subject }) => subject,
  )

function validationOf(der: Buffer): TlsFacts['validation'] {
  const policies = policiesOf(der)
  return POLICIES.find(([oid]) => policies.includes(oid))?.[1] ?? 'unknown'
}

/** One value of DER (X.690): its tag, where its content begins and ends. */
type Value = { readonly tag: number; readonly start: number; readonly end: number }

const SEQUENCE = 0x30
const OBJECT_IDENTIFIER = 0x06
const OCTET_STRING = 0x04
/** `extensions [3]` in a TBSCertificate. */
const EXTENSIONS = 0xa3

/**
 * Identifiers in the certificate policies extension; none without it or with invalid DER.
 * node:crypto does not expose them.
 */
function policiesOf(der: Buffer): string[] {
  const [certificate] = valuesIn(der, 0, der.length)
  const [body] = certificate ? childrenOf(der, certificate) : []
  const wrapper = body ? childrenOf(der, body).find(({ tag }) => tag === EXTENSIONS) : undefined
  const [list] = wrapper ? childrenOf(der, wrapper) : []
  for (const extension of list ? childrenOf(der, list) : []) {
    const parts = childrenOf(der, extension)
    const id = parts.find(({ tag }) => tag === OBJECT_IDENTIFIER)
    const content = parts.find(({ tag }) => tag === OCTET_STRING)
    if (!id || !content || identifier(der, id) !== CERTIFICATE_POLICIES) continue
    const [policies] = childrenOf(der, content)
    return (policies ? childrenOf(der, policies) : []).flatMap((policy) => {
      const [oid] = policy.tag === SEQUENCE ? childrenOf(der, policy) : []
      return oid?.tag === OBJECT_IDENTIFIER ? [identifier(der, oid)] : []
    })
  }
  return []
}

const childrenOf = (der: Buffer, { start, end }: Value): Value[] => valuesIn(der, start, end)

function valuesIn(der: Buffer, from: number, to: number): Value[] {
  const values: Value[] = []
  let at = from
  while (at + 2 <= to) {
    const tag = der[at] ?? 0
    const first = der[at + 1] ?? 0
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f
    if (lengthBytes > 4 || at + 2 + lengthBytes > to) return values
    const length = lengthBytes === 0 ? first : der.readUIntBE(at + 2, lengthBytes)
    const start = at + 2 + lengthBytes
    const end = start + length
    if (end > to) return values
    values.push({ tag, start, end })
    at = end
  }
  return values
}

/** X.690 §8.19: seven bits per byte, the first two numbers together in one. */
function identifier(der: Buffer, { start, end }: Value): string {
  const numbers: number[] = []
  let value = 0
  for (const byte of der.subarray(start, end)) {
    value = value * 128 + (byte & 0x7f)
    if (byte >= 0x80) continue
    numbers.push(value)
    value = 0
  }
  const [first = 0, ...rest] = numbers
  const arc = Math.min(Math.floor(first / 40), 2)
  return [arc, first - arc * 40, ...rest].join('.')
}
