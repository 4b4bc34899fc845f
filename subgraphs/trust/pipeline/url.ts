import { canonicalPath, type UrlKeys, urlKeysOf } from '../url-key.ts'
import type { NameParts } from './name.ts'
import type { NameFinding } from './script.ts'

/** The part of a URL beside its host that decisions use. The path itself is hashed. */
export type UrlParts = UrlKeys & {
  /** Whether the path ends like a file that runs when it is opened. */
  readonly isProgram: boolean
  /** Hosts of URLs that the path or query carries, as open redirects do; at most three. */
  readonly embedded: readonly EmbeddedHost[]
}

/** A host that a URL carries, with the parts of a target that names are judged by. */
export type EmbeddedHost = {
  readonly host: string
  readonly unicode: string
  readonly folded: string
  readonly kind: 'name' | 'address'
  readonly reach: 'public' | 'private' | null
  readonly name: NameParts
  readonly findings: readonly NameFinding[]
}

const MAX_EMBEDDED_HOSTS = 3

/**
 * Endings of files that Windows, macOS, Android or Linux run, or that carry macros, from
 * Microsoft's list of blocked attachments and the download protection list of Chromium. `com` and
 * `js` are left out: paths end so that are names or parts of pages.
 */
const PROGRAM =
  /\.(?:apk|appimage|appx|bat|cmd|cpl|deb|dll|dmg|docm|exe|hta|img|ipa|iso|jar|jnlp|lnk|msi|msix|pif|pkg|pptm|ps1|reg|rpm|scr|vbe|vbs|vhdx?|wsf|xlam|xll|xlsm)$/i

/**
 * Reads the part of a URL after its host; null for its root. `hostOf` reads a host within the URL,
 * null for an invalid one.
 */
export function urlPartsOf(
  host: string,
  port: number | null,
  rest: string,
  hostOf: (text: string) => EmbeddedHost | null,
): UrlParts | null {
  const keys = urlKeysOf(host, port, rest)
  if (keys === null) return null
  const { path, query } = canonicalPath(rest)
  const carried = [...`${path}?${query}`.matchAll(/https?:\/{1,2}([^/?#&\\;,\s]+)/gi)]
    .slice(0, MAX_EMBEDDED_HOSTS)
    .flatMap(([, text = '']) => hostOf(text) ?? [])
    .filter((each) => each.host !== host)
  return {
    ...keys,
    isProgram: PROGRAM.test(path),
    embedded: [...new Map(carried.map((each) => [each.host, each])).values()],
  }
}
