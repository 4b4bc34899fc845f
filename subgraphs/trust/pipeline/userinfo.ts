import { type BrandIndex, isDistinctive } from './brand.ts'
import type { Policy } from './policy.ts'
import { foldedToAscii, skeletonOf } from './skeleton.ts'

/**
 * Whether people read another name than the host's, which is `owner`'s, in what stands before the
 * `@` of a URL: anything with a dot, or another brand.
 */
export function isDeceptive(userinfo: string, owner: string | null, { engine, brands }: Policy): boolean {
  // Engine 1 saw dots of ASCII, and no brands.
  if (engine < 2) return /\.|%2e/i.test(userinfo)
  const read = asRead(userinfo)
  return read.includes('.') || namesBrand(read.split(':', 1)[0] ?? '', owner, brands)
}

/** Without escapes, in lower case, and with the dots that IDNA takes for one (UTS #46) as that. */
const asRead = (userinfo: string): string =>
  userinfo
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, percentDecoded)
    .normalize('NFKC')
    .replaceAll('\u3002', '.')
    .toLowerCase()

/** Invalid UTF-8 may still contain a dot. */
function percentDecoded(escapes: string): string {
  try {
    return decodeURIComponent(escapes)
  } catch {
    return escapes.replaceAll(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  }
}

/** A foreign brand as the whole user name; among other words only one that is no everyday word. */
function namesBrand(name: string, owner: string | null, { byLabel, bySkeleton }: BrandIndex): boolean {
  const brandOf = (text: string) => {
    const owned = byLabel.get(text) ?? bySkeleton.get(skeletonOf(text))
    return owned?.brand === owner ? undefined : owned
  }
  const read = foldedToAscii(name)
  if (brandOf(read)) return true
  return read.split(/[^a-z0-9]+/).some((word) => {
    const owned = brandOf(word)
    return owned !== undefined && isDistinctive(owned)
  })
}
