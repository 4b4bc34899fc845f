import { lastPart, type OrderDestination } from '../destination.ts'

/**
 * Destinations of a promotion of shipping. Codes repeat their parents: `CL`, `CL_03`,
 * `CL_03_8261495`; `*`, `*_*` and `*_*_*` match all. All three empty: everywhere.
 */
export type Destinations = {
  readonly countries: readonly string[]
  readonly regions: readonly string[]
  readonly municipalities: readonly string[]
}

/**
 * Whether an address is a destination. A longer list narrows only the parents that it names:
 * countries CL and PT with region CL_03 mean that region of Chile, and all of Portugal. An empty
 * list of parents is that of the codes below: region CL_03 alone means no other country.
 */
export function isDestination(destinations: Destinations, destination: OrderDestination): boolean {
  const countries = inCapitals(destinations.countries)
  const regions = inCapitals(destinations.regions)
  const municipalities = inCapitals(destinations.municipalities)
  const [country, region, municipality] = [
    lastPart(destination.country),
    lastPart(destination.region),
    lastPart(destination.municipality),
  ]

  const named = [...countries, ...regions, ...municipalities]
  if (named.length === 0) return true
  if (country === null || !isNamed(countries.length > 0 ? countries : upTo(named, 1), country)) return false

  const here = below(regions, country)
  const regionsHere = here.length > 0 ? here : below(upTo(municipalities, 2), country)
  if (regionsHere.length > 0 && (region === null || !isNamed(regionsHere, region))) return false

  const municipalitiesHere = region === null ? [] : below(below(municipalities, country), region)
  return municipalitiesHere.length === 0 || (municipality !== null && isNamed(municipalitiesHere, municipality))
}

const inCapitals = (codes: readonly string[]): string[] => codes.map((code) => code.toUpperCase())

const isNamed = (codes: readonly string[], code: string): boolean => codes.includes(code) || codes.includes('*')

/** The first parts of codes. */
const upTo = (codes: readonly string[], parts: number): string[] => codes.map((code) => code.split('_').slice(0, parts).join('_'))

/** Codes below one code, without it. */
const below = (codes: readonly string[], code: string): string[] =>
  codes.filter((one) => one.startsWith(`${code}_`) || one.startsWith('*_')).map((one) => one.slice(one.indexOf('_') + 1))
