import { excerpt } from '../../../platform/graphql/errors.ts'
import type { Engine } from '../assessment/engine.ts'
import type { InputFault } from '../input-fault.ts'
import { pathOf, type Target } from '../pipeline/normalise.ts'
import type { Override, OverridingEntry } from '../pipeline/request.ts'
import { expiryFaults, textFaults } from '../reason-and-expiry.ts'
import { fromUnixSeconds, toUnixSeconds } from '../unix-time.ts'
import { canonicalPath } from '../url-key.ts'

export const OPERATOR_LISTS = ['block', 'allow', 'brand'] as const
export type OperatorList = (typeof OPERATOR_LISTS)[number]
export const LIST_SCOPES = ['domain', 'host', 'url', 'prefix'] as const
export type ListScope = OverridingEntry['scope']

/** An entry of a list that applies to all keys. */
export type OperatorListEntry = {
  /** Row id. */
  readonly id: string
  readonly list: OperatorList
  readonly scope: ListScope
  /** What is looked up: the host, or the hash of the URL. */
  readonly key: string
  readonly host: string
  /** As it was sent. */
  readonly target: string
  readonly reason: string
  readonly createdBy: string
  readonly createdAt: Date
  /** Null: until it is removed. */
  readonly expiresAt: Date | null
  readonly hits: number
  readonly lastHitAt: Date | null
}

/** An entry to be stored. */
export type NewListEntry = Pick<OperatorListEntry, 'scope' | 'key' | 'host' | 'target' | 'reason' | 'expiresAt'>

/** An entry as it was sent. */
export type ListEntryInput = {
  readonly target: string
  readonly scope: ListScope | null
  readonly reason: string
  readonly expiresAt: Date | null
}

/** In all lists: an index of them takes some 50 MB. Of these, brands are held in memory. */
export const MAX_LIST_ENTRIES = 100_000
export const MAX_BRAND_ENTRIES = 1_000
/** Of one mutation: as much as a body of 64 KiB holds. */
export const MAX_ENTRIES_PER_CHANGE = 500
/** Directories of a URL whose hashes a target has (`url-key.ts`). */
const MAX_PREFIX_SEGMENTS = 8

/** The entry to store, or its faults; then `faults` is not empty. */
export function validateListEntry(
  list: OperatorList,
  input: ListEntryInput,
  at: Date,
  engine: Pick<Engine, 'normalise'>,
): { readonly entry: NewListEntry } | { readonly faults: readonly InputFault[] } {
  const faults = [...textFaults('reason', input.reason), ...expiryFaults('expiresAt', input.expiresAt, at)]
  const found = engine.normalise('url', input.target)
  if (found.kind === 'invalid')
    return { faults: [{ field: 'target', code: found.code, message: `target: ${found.message}` }, ...faults] }
  const scope = input.scope ?? (list === 'brand' ? 'domain' : scopeOf(input.target, found.target))
  const fault = scopeFault(list, scope, input.target, found.target)
  if (fault) return { faults: [fault, ...faults] }
  if (faults.length > 0) return { faults }
  const { host, url } = found.target
  const key = scope === 'url' || scope === 'prefix' ? (url?.keys[0] ?? '') : host
  // Decisions count in whole seconds.
  const expiresAt = input.expiresAt && fromUnixSeconds(toUnixSeconds(input.expiresAt))
  return { entry: { scope, key, host, target: input.target.trim(), reason: input.reason.trim(), expiresAt } }
}

/** What an entry without a scope covers. */
function scopeOf(text: string, { kind, url }: Target): ListScope {
  if (url) return isDirectory(text) ? 'prefix' : 'url'
  return kind === 'address' ? 'host' : 'domain'
}

/** A directory: the path ends with a slash in its one spelling, and there is no query. */
function isDirectory(text: string): boolean {
  const { path, query } = canonicalPath(pathOf(text))
  return query === '' && path.endsWith('/')
}

function scopeFault(list: OperatorList, scope: ListScope, text: string, target: Target): InputFault | null {
  const wrong = (code: string, expectation: string): InputFault => ({
    field: 'target',
    code,
    message: `Expected "target" to be ${expectation}, got ${excerpt(text)}.`,
  })
  const { kind, reach, name, url, host } = target
  if (reach === 'private' || name.specialUse === 'local-network')
    return wrong('private', 'public: private networks are always denied')
  if (list === 'brand') {
    if (scope === 'domain' && kind === 'name' && host === name.registrable && !name.shared && !url) return null
    return wrong('brand', "a brand's registrable domain, such as example.com")
  }
  switch (scope) {
    case 'domain':
      if (kind !== 'name' || url) return wrong('scope', 'a name for the scope DOMAIN')
      if (name.registrable === null) return wrong('public_suffix', 'below a public suffix: an entry of one covers too much')
      // Blocking all tenants of a suffix is a choice; allowing all of them never is.
      return name.tenant === null && list === 'allow'
        ? wrong('shared_suffix', 'one tenant of a shared suffix, such as ann.github.io')
        : null
    case 'host':
      return url ? wrong('scope', 'a host or an address for the scope HOST') : null
    case 'url':
      // Targets below a directory have its key.
      return url && !isDirectory(text)
        ? null
        : wrong('scope', 'a URL with a path that does not end with a slash for the scope URL; PREFIX is for directories')
    case 'prefix':
      return url && isDirectory(text) && segmentsOf(text) <= MAX_PREFIX_SEGMENTS
        ? null
        : wrong('scope', `a URL that ends with a slash, at most ${MAX_PREFIX_SEGMENTS} directories deep, for the scope PREFIX`)
  }
}

/** Of a directory. */
const segmentsOf = (text: string): number => canonicalPath(pathOf(text)).path.split('/').length - 2

/** How exact an entry is about a target; negative where it does not cover it. */
function exactnessOf({ scope, key, target }: Pick<OperatorListEntry, 'scope' | 'key' | 'target'>, { host, url }: Target): number {
  switch (scope) {
    case 'url':
    case 'prefix': {
      const index = url?.keys.indexOf(key) ?? -1
      if (index === -1 || (index > 0 && scope === 'url' && endsWithSlash(target))) return -1
      return 1_000 - index
    }
    case 'host':
      return host === key ? 500 : -1
    // Names have at most 253 characters.
    case 'domain':
      return host === key || host.endsWith(`.${key}`) ? key.length : -1
  }
}

/** Whether a URL without its fragment has the key of a directory, which all URLs below have as well. */
function endsWithSlash(text: string): boolean {
  const { path, query } = canonicalPath(pathOf(text))
  return (query === '' ? path : query).endsWith('/')
}

/** Everything that an entry about a target can have as its key. */
export function listKeysOf({ host, kind, url }: Target): readonly string[] {
  const labels = kind === 'name' ? host.split('.') : []
  const parents = labels.slice(0, -2).map((_, index) => labels.slice(index + 1).join('.'))
  return [host, ...parents, ...(url?.keys ?? [])]
}

/** The entry that decides about a target at a time; null for none. */
export function decidingEntry(target: Target, entries: readonly OperatorListEntry[], at: Date): OperatorListEntry | null {
  const covering = entries
    .filter(({ list, expiresAt }) => list !== 'brand' && (expiresAt === null || expiresAt > at))
    .map((entry) => ({ entry, exactness: exactnessOf(entry, target) }))
    .filter(({ exactness }) => exactness >= 0)
    .sort((one, other) => other.exactness - one.exactness || (one.entry.list === 'block' ? -1 : 1))
  return covering[0]?.entry ?? null
}

/** An entry as the engine takes it; null for brands, which are evidence. */
export const toListOverride = ({ id, list, scope, key, host, reason, expiresAt }: OperatorListEntry): Override | null =>
  list === 'brand'
    ? null
    : {
        subject: host,
        action: list === 'block' ? 'deny' : 'proceed',
        reason,
        expiresAt: expiresAt && toUnixSeconds(expiresAt),
        actor: 'operator',
        list: { id, list, scope, urlKey: scope === 'url' || scope === 'prefix' ? key : null },
      }
