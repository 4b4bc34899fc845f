import { countryOf } from '../country/country.ts'
import { regionOf } from '../country/region.ts'
import { lastPart } from '../place.ts'

/**
 * Whether a region is told by a code that its country lists, alone or behind that of the country
 * (`CL_12`), or by anything else.
 */
export function regionFormatOf(countryCode: string, region: string): 'CODE' | 'NAME' {
  const country = countryOf(countryCode)
  return country && regionOf(country, lastPart(region) ?? '') ? 'CODE' : 'NAME'
}
