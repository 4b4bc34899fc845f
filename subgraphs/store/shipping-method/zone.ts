import { isSameRegion } from '../country/region.ts'
import { isSameCode, type OrderDestination } from '../destination.ts'

/** A country, or a part of it. Null: not narrowed by this. */
export type Zone = {
  readonly country: string | null
  readonly region: string | null
  readonly municipality: string | null
  /** First postal code of a range; null: no range. */
  readonly postalCodeRangeStart: string | null
  /** Last postal code of the range, which belongs to it. */
  readonly postalCodeRangeEnd: string | null
}

/**
 * How exactly a zone names a destination, 0 (everywhere) to 4 (by postal code); null: the destination is
 * outside.
 */
export function zoneDepth(
  { country, region, municipality, postalCodeRangeStart, postalCodeRangeEnd }: Zone,
  destination: OrderDestination,
): number | null {
  if (country !== null && !isSameCode(country, destination.country)) return null
  if (region !== null && !isSameRegion(destination.country, region, destination.region)) return null
  if (municipality !== null && !isSameCode(municipality, destination.municipality)) return null
  if (
    (postalCodeRangeStart !== null || postalCodeRangeEnd !== null) &&
    !isPostalWithin(destination.postal, postalCodeRangeStart, postalCodeRangeEnd)
  )
    return null
  if (postalCodeRangeStart !== null || postalCodeRangeEnd !== null) return 4
  if (municipality !== null) return 3
  if (region !== null) return 2
  return country !== null ? 1 : 0
}

/**
 * Whether a postal code lies between two, which belong to the range; a bound that is null is open.
 * Spaces, hyphens and case do not count. Codes are compared as far as the bound goes, so that 1000
 * to 1999 contains 1500-123; a code that is shorter than a bound is outside.
 */
export function isPostalWithin(postal: string | null, from: string | null, to: string | null): boolean {
  const code = compactCode(postal ?? '')
  if (code === '') return false
  const compare = (bound: string, fits: (part: string, bound: string) => boolean) =>
    code.length >= bound.length && fits(code.slice(0, bound.length), bound)
  return (
    (from === null || compare(compactCode(from), (part, bound) => part >= bound)) &&
    (to === null || compare(compactCode(to), (part, bound) => part <= bound))
  )
}

const compactCode = (postal: string): string => postal.replace(/[\s-]/g, '').toUpperCase()
