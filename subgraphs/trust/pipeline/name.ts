import { parse } from 'tldts'
import { AUTHORITY_LABELS, OWN_LABELS, SHARED_SUFFIXES } from './lists/shared-suffixes.ts'
import { SPECIAL_USE, type SpecialUse } from './lists/special-use.ts'

/** The parts of a host name that decisions differ by. All are A-labels. */
export type NameParts = {
  /**
   * The registrable domain, which RDAP and popularity lists use. Null for public suffixes (`co.uk`)
   * and single labels.
   */
  readonly registrable: string | null
  /** The public suffix under which `registrable` stands. */
  readonly suffix: string | null
  /**
   * Whose name it is on a shared suffix (`foo.github.io`) or below a builder of sites: equals `registrable` elsewhere, null for
   * the suffix itself.
   */
  readonly tenant: string | null
  /** Whether the host lies below a suffix that a company shares out. */
  readonly shared: boolean
  readonly specialUse: SpecialUse | null
}

const options = { validateHostname: false, extractHostname: false, detectIp: false } as const

/**
 * Cuts a valid A-label host at its public suffix (the list inside tldts, part of the policy's
 * version).
 */
export function partsOf(host: string): NameParts {
  const registry = parse(host, { ...options, allowPrivateDomains: false })
  const tenancy = parse(host, { ...options, allowPrivateDomains: true })
  const user = userOf(host, registry.domain)
  const isShared = tenancy.isPrivate === true && tenancy.domain !== null && !isOfAuthorities(tenancy.publicSuffix ?? '')
  return {
    registrable: registry.domain,
    suffix: registry.publicSuffix,
    tenant: user ?? (isShared || tenancy.domain === null ? tenancy.domain : registry.domain),
    shared: user !== null || isShared,
    specialUse: specialUseOf(host),
  }
}

const sharedSuffixes: ReadonlySet<string> = new Set(SHARED_SUFFIXES)
const ownLabels: ReadonlySet<string> = new Set(OWN_LABELS)
/** Letters of a code of ISO 639-1, and of ISO 3166-1. */
const LANGUAGE_CODE_LENGTH = 2
const COUNTRY_CODE_LENGTH = 2
const authorityLabels: ReadonlySet<string> = new Set(AUTHORITY_LABELS)

/** Whose name it is below a builder of sites; null elsewhere, and for the company's own hosts. */
function userOf(host: string, registrable: string | null): string | null {
  if (registrable === null || registrable === host || !sharedSuffixes.has(registrable)) return null
  const label =
    host
      .slice(0, -registrable.length - 1)
      .split('.')
      .at(-1) ?? ''
  return ownLabels.has(label) || label.length <= LANGUAGE_CODE_LENGTH ? null : `${label}.${registrable}`
}

/** `service.gov.uk`, `gov.ru`: an authority's label is the last, or stands before a country. */
function isOfAuthorities(suffix: string): boolean {
  const labels = suffix.split('.')
  const [last = '', before = ''] = [labels.at(-1), labels.at(-2)]
  return authorityLabels.has(last) || (last.length === COUNTRY_CODE_LENGTH && authorityLabels.has(before))
}

/** Single labels mean whatever the local resolver makes of them. */
function specialUseOf(host: string): SpecialUse | null {
  const labels = host.split('.')
  for (let from = Math.max(0, labels.length - 2); from < labels.length; from++) {
    const name = labels.slice(from).join('.')
    if (Object.hasOwn(SPECIAL_USE, name)) return SPECIAL_USE[name] ?? null
  }
  return labels.length === 1 ? 'local-network' : null
}
