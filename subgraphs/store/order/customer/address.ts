import { keysOf } from '../../../../platform/collections/keys-of.ts'
import { type Problem, problem, problemsIn, textProblem } from '../../../toolkit/validation.ts'
import { type Country, countries, countryOf } from '../../country/country.ts'
import { regionNamed } from '../../country/region.ts'
import type { OrderDestination } from '../../destination.ts'
import type { OrderAddress } from '../order.ts'

/** An address as a caller gives it. */
export type AddressInput = {
  readonly [Field in Exclude<keyof OrderAddress, 'countryCode' | 'pickupPlaceName'>]?: string | null | undefined
}

const NOWHERE: OrderAddress = {
  name: null,
  surname: null,
  taxid: null,
  address: null,
  streetNumber: null,
  complement: null,
  city: null,
  postal: null,
  neighbourhood: null,
  municipality: null,
  region: null,
  regionCode: null,
  country: null,
  countryCode: null,
  latitude: null,
  longitude: null,
  pickupPlaceName: null,
}

const FIELDS = keysOf(NOWHERE)
const MAX_TEXT_LENGTH = 200
/** Degrees. */
const [MAX_LATITUDE, MAX_LONGITUDE] = [90, 180]

/** The address of an input. Blank texts count as absent: forms send them. */
export function addressIn(input: AddressInput): OrderAddress {
  const texts = Object.fromEntries(Object.entries(input).map(([field, text]) => [field, text?.trim() ? text.trim() : null]))
  const country = texts.country == null ? null : countryNamed(texts.country)
  const named = { country: country?.name ?? texts.country ?? null, countryCode: country?.code ?? null }
  return addressOf({ ...texts, ...named, ...regionIn(country, texts) }) ?? NOWHERE
}

/**
 * Name and code of the region of an address, by which taxes and zones find it; none where the
 * country has no such region. When they disagree, the name counts: countries number their regions,
 * and people read names.
 */
export function regionIn(
  country: Country | null,
  { region, regionCode }: { readonly region?: string | null; readonly regionCode?: string | null },
): Pick<OrderAddress, 'region' | 'regionCode'> | null {
  const meant = (text: string | null | undefined) => (country && text != null ? regionNamed(country, text) : null)
  const named = meant(region)
  const found = named ?? meant(regionCode)
  return found && { region: named || region == null ? found.name : region, regionCode: found.code }
}

/** Problems of an address at the path `at` of the input. */
export function addressProblems(at: string, input: AddressInput): readonly Problem[] {
  const { latitude, longitude, streetNumber, ...texts } = input
  const degrees = (field: string, given: string | null | undefined, max: number) =>
    given != null && Math.abs(Number(given)) > max ? problem(`${at}.${field}`, `-${max} to ${max}`, given) : null
  return problemsIn([
    ...Object.entries(texts).map(([field, text]) => (text?.trim() ? textProblem(`${at}.${field}`, text, MAX_TEXT_LENGTH) : null)),
    texts.country?.trim() && countryNamed(texts.country) === null
      ? problem(`${at}.country`, 'an ISO 3166-1 alpha-2 code such as "PT", or an English name', texts.country)
      : null,
    streetNumber?.startsWith('-') ? problem(`${at}.streetNumber`, '0 or more', streetNumber) : null,
    degrees('latitude', latitude, MAX_LATITUDE),
    degrees('longitude', longitude, MAX_LONGITUDE),
  ])
}

/**
 * The stored address; null for none. Values that are no text are ignored: other programs may have
 * written them.
 */
export function addressOf(stored: unknown): OrderAddress | null {
  if (typeof stored !== 'object' || stored === null) return null
  const part = (field: string): string | null => {
    const value: unknown = Reflect.get(stored, field)
    return typeof value === 'string' && value !== '' ? value : null
  }
  // One entry for each field.
  const address = Object.fromEntries(FIELDS.map((field) => [field, part(field)])) as OrderAddress
  return Object.values(address).some((value) => value !== null) ? address : null
}

/** Where an address is, as far as taxes and shipping ask. */
export const destinationOf = (address: OrderAddress | null): OrderDestination => ({
  country: address?.countryCode ?? null,
  region: address?.regionCode ?? address?.region ?? null,
  municipality: address?.municipality ?? null,
  postal: address?.postal ?? null,
})

/** First and last name; null where there is neither. */
export const nameIn = (address: OrderAddress | null): string | null =>
  [address?.name, address?.surname].filter((name) => name).join(' ') || null

const countryNamed = (text: string) =>
  countryOf(text.trim()) ?? countries().find(({ name }) => name.toLowerCase() === text.trim().toLowerCase()) ?? null
