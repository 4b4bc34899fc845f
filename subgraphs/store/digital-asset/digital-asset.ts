import { isText, type Problem, problem, problemsIn } from '../../toolkit/validation.ts'

/** What a digital product delivers: a file that we keep, or an address elsewhere. */
export type DigitalAsset = {
  readonly id: number
  readonly productId: number
  readonly expirationSeconds: number
  /** Null for a file. */
  readonly externalUrl: string | null
  /** Null for an address elsewhere, as is all that is known of a file. */
  readonly fileId: number | null
  readonly key: string | null
  readonly filename: string | null
  readonly contentType: string | null
  readonly byteCount: number | null
}

/** As many digital assets as a product may have: it is read with all of them. */
export const MAX_ASSETS = 100

/**
 * For how long a URL is good, at least and at most: a week is the longest that S3 signs for.
 * Seconds.
 */
const MIN_AGE_SECONDS = 60
const MAX_AGE_SECONDS = 604_800
const MAX_URL_LENGTH = 2_048

type New = { readonly url: string; readonly isExternal: boolean; readonly expirationSeconds: number }

/** Invalid fields of a digital asset to create; the file behind its URL is checked later. */
export const digitalAssetProblems = ({ url, isExternal, expirationSeconds }: New): readonly Problem[] =>
  problemsIn([
    !isExternal || isWebAddress(url) ? null : problem('url', `an http or https URL of at most ${MAX_URL_LENGTH} characters`, url),
    expirationSeconds >= MIN_AGE_SECONDS && expirationSeconds <= MAX_AGE_SECONDS
      ? null
      : problem('expirationSeconds', `${MIN_AGE_SECONDS} to ${MAX_AGE_SECONDS}`, expirationSeconds),
  ])

const isWebAddress = (url: string): boolean =>
  url.length <= MAX_URL_LENGTH && isText(url) && /^https?:\/\//i.test(url) && URL.canParse(url)
