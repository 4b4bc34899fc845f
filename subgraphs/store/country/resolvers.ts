import type { Resolvers } from '#generated/store/resolvers.ts'
import { countries, countryOf, defaultsOf, type StoreDefaults } from './country.ts'
import { municipalitiesOf, regionOf, regionsOf } from './region.ts'

/** Every country has them: the table of countries is where both come from. */
const defaults = ({ code }: { readonly code: string }): StoreDefaults => {
  const found = defaultsOf(code)
  if (found === null) throw new Error(`Expected ${code} to be a country.`)
  return found
}

export const countryResolvers = {
  Query: {
    countries: () => [...countries()],
    country: (_, { code }) => countryOf(code),
  },
  Country: {
    currency: (country) => defaults(country).currency,
    timezone: (country) => defaults(country).timezone,
    language: (country) => defaults(country).language,
    regions: (country) => [...regionsOf(country)],
    region: (country, { code }) => regionOf(country, code),
  },
  Region: { municipalities: (region) => [...municipalitiesOf(region)] },
} satisfies Resolvers
