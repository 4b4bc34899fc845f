import { countries as known } from 'countries-list'
import { CURRENCIES, LANGUAGES, TIMEZONES } from './defaults.ts'

/** A country of ISO 3166-1. */
export type Country = {
  /** ISO 3166-1 alpha-2, upper case. */
  readonly code: string
  /** In English. */
  readonly name: string
}

/** What a store of a country begins with. */
export type StoreDefaults = {
  /** ISO 4217. */
  readonly currency: string
  /** A name of IANA's time zone database. */
  readonly timezone: string
  /** BCP 47. */
  readonly language: string
}

/**
 * Codes that the list has besides ISO 3166-1: two that are only reserved (Ascension, Tristan da
 * Cunha) and one that users assigned (Kosovo).
 */
const NOT_ISO: ReadonlySet<string> = new Set(['AC', 'TA', 'XK'])

const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))
const timezones: ReadonlySet<string> = new Set(Intl.supportedValuesOf('timeZone'))
const inEnglish = new Intl.Collator('en')

/** Orders places by name as English does, those of one name by code. */
export const byName = (one: Country, other: Country): number =>
  inEnglish.compare(one.name, other.name) || (one.code < other.code ? -1 : 1)

type Known = { readonly all: readonly Country[]; readonly byCode: ReadonlyMap<string, Country> }

/** Made when it is first read: the names of ICU take a start 30 ms. */
let made: Known | null = null

function knownCountries(): Known {
  if (made) return made
  const all = Object.entries(known)
    .filter(([code]) => !NOT_ISO.has(code))
    .map(([code, { name }]) => ({ code, name: countryNames.of(code) ?? name }))
    .sort(byName)
  made = { all, byCode: new Map(all.map((country) => [country.code, country])) }
  return made
}

/** The 249 countries and territories of ISO 3166-1, by name. */
export const countries = (): readonly Country[] => knownCountries().all

/** The country with this code, in either case; null when there is none. */
export const countryOf = (code: string): Country | null => knownCountries().byCode.get(code.toUpperCase()) ?? null

/** The capital of a country, else its name; the code itself for an unknown country. */
export const capitalOf = (code: string): string => known[code as keyof typeof known]?.capital || (countryOf(code)?.name ?? code)

/** The time zones of the country in ICU. */
export const zonesOf = (code: string): readonly string[] => new Intl.Locale(`und-${code}`).getTimeZones() ?? []

/** Defaults of a store in the country; null for an unknown country. */
export function defaultsOf(countryCode: string): StoreDefaults | null {
  const country = countryOf(countryCode)
  if (country === null) return null
  const { code } = country
  // each code of `countries()` is a key of `known`
  const { currency, languages } = known[code as keyof typeof known]
  return {
    currency: CURRENCIES[code] ?? currency[0] ?? 'USD',
    timezone: TIMEZONES[code] ?? zonesOf(code)[0] ?? 'UTC',
    language: LANGUAGES[code] ?? languages[0] ?? 'en',
  }
}

/** Whether this is a currency of ISO 4217 in use, in upper case. */
export const isCurrency = (code: string): boolean => currencies.has(code)

/**
 * Whether this is a name of IANA's time zone database, in its own spelling, older names and "UTC"
 * included. Distances such as "+03:00" are not names: they know no summer time.
 */
export function isTimezone(name: string): boolean {
  if (timezones.has(name) || name === 'UTC') return true
  // ICU does not list names that link to another, but accepts them in any case: ours are
  // Area/Place.
  if (!/^[A-Z][A-Za-z]+(\/[A-Z][A-Za-z_-]+){1,2}$/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/**
 * The English name of the language with this BCP 47 tag ("Brazilian Portuguese" for "pt-BR"); null
 * for an unknown or non-canonical tag.
 */
export function languageName(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] === tag ? (languageNames.of(tag) ?? null) : null
  } catch {
    return null
  }
}
