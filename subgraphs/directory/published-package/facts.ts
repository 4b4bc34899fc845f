import { cleanText } from '../import/text.ts'
import { repositoryOf } from '../import/url.ts'
import type { PackageName } from '../item/package-name.ts'

/** What a registry says of the newest version of a package; null: unknown. */
export type PackageFacts = {
  readonly version: string | null
  readonly publishedAt: Date | null
  /** SPDX identifier or expression. */
  readonly license: string | null
  readonly isWithdrawn: boolean
  readonly withdrawnReason: string | null
  /** "owner/repository" on GitHub in lower case. */
  readonly repository: string | null
  readonly hasInstallScript: boolean | null
  readonly hasProvenance: boolean | null
}

/** A package whose observation is due; `etag`: validator of what is stored. */
export type DuePackage = PackageName & { readonly etag: string | null }

/** Answer about a package. */
export type PackageAnswer =
  | { readonly kind: 'same' }
  // Never published there, or unpublished.
  | { readonly kind: 'missing' }
  | { readonly kind: 'found'; readonly etag: string | null; readonly facts: PackageFacts }

const MAX_REASON_LENGTH = 300
const MAX_ADDRESS_LENGTH = 2_000
/** Before this there was neither registry; later than now by this much, a clock is wrong. */
const FIRST_MS = Date.UTC(2003, 0)
const CLOCK_SKEW_MS = 86_400_000

/** A version as both registries write them; null for anything else. */
export const versionIn = (value: unknown): string | null =>
  typeof value === 'string' && /^[\w.+!-]{1,100}$/.test(value) ? value : null

/** A time of publication; null for what is no time, or one that cannot be. */
export function timeIn(value: unknown, now: Date): Date | null {
  const time = typeof value === 'string' && value.length <= 40 ? Date.parse(value) : Number.NaN
  return time >= FIRST_MS && time <= now.getTime() + CLOCK_SKEW_MS ? new Date(time) : null
}

/** Words of a publisher, on one line. */
export const reasonIn = (value: unknown): string | null => cleanText(value, MAX_REASON_LENGTH)

/** "owner/repository" in lower case of an address on GitHub, also of a shorthand of npm; null for any other. */
export function githubRepositoryIn(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_ADDRESS_LENGTH) return null
  const [, short] = /^(?:github:)?([\w-]{1,39}\/[\w.-]{1,100})$/.exec(value) ?? []
  const found = repositoryOf(short === undefined ? value : `https://github.com/${short}`)
  return found?.host === 'github.com' ? `${found.owner}/${found.repo}`.toLowerCase() : null
}
