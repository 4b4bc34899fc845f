import { countryOf } from '../country/country.ts'
import { regionOf } from '../country/region.ts'
import { lastPart } from '../destination.ts'

/**
 * Whether a region is a code of its country, alone or after the country code (`CL_12`), or free
 * text.
 */
export function regionFormatOf(countryCode: string, region: string): 'CODE' | 'NAME' {
  const country = countryOf(countryCode)
  return country && regionOf(country, lastPart(region) ?? '') ? 'CODE' : 'NAME'
}
