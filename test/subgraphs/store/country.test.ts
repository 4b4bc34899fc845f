import { iso31661 } from 'iso-3166'
import { describe, expect, test } from 'vitest'
import {
  countries,
  countryOf,
  defaultsOf,
  isCurrency,
  isTimezone,
  languageName,
  zonesOf,
} from '../../../subgraphs/store/country/country.ts'
import { TIMEZONES } from '../../../subgraphs/store/country/defaults.ts'

describe('countries', () => {
  test('are those of ISO 3166-1, each once', () => {
    expect(
      countries()
        .map(({ code }) => code)
        .sort(),
    ).toEqual(iso31661.map(({ alpha2 }) => alpha2).sort())
  })

  test('are ordered by name, as a reader of English looks for them', () => {
    const names = countries().map(({ name }) => name)
    expect(names.slice(0, 4)).toEqual(['Afghanistan', 'Åland Islands', 'Albania', 'Algeria'])
    expect(new Set(names).size).toBe(names.length)
  })

  test('are found by code in either case, and nothing else is', () => {
    expect(countryOf('cl')).toEqual({ code: 'CL', name: 'Chile' })
    for (const code of ['XK', 'ZZ', '', 'CHL', 'constructor', '__proto__']) expect(countryOf(code)).toBeNull()
  })

  test.each([
    ['CL', { currency: 'CLP', timezone: 'America/Santiago', language: 'es' }],
    ['PT', { currency: 'EUR', timezone: 'Europe/Lisbon', language: 'pt' }],
    ['BR', { currency: 'BRL', timezone: 'America/Sao_Paulo', language: 'pt' }],
    ['US', { currency: 'USD', timezone: 'America/New_York', language: 'en' }],
    ['GB', { currency: 'GBP', timezone: 'Europe/London', language: 'en' }],
  ])('a store in %s begins with its currency, time zone and language', (code, expected) => {
    expect(defaultsOf(code)).toEqual(expected)
  })

  test('every country has a currency, a time zone and a language that exist', () => {
    for (const { code } of countries()) {
      const { currency, timezone, language } = defaultsOf(code) ?? { currency: '', timezone: '', language: '' }
      expect([code, isCurrency(currency), isTimezone(timezone), languageName(language) !== null]).toEqual([
        code,
        true,
        true,
        true,
      ])
    }
    expect(defaultsOf('ZZ')).toBeNull()
  })

  test('where a country has several time zones, or none, one is chosen for it', () => {
    const undecided = countries()
      .map(({ code }) => code)
      .filter((code) => zonesOf(code).length !== 1 && TIMEZONES[code] === undefined)
    expect(undecided).toEqual([])
  })
})

test.each([
  'America/Santiago',
  'America/Argentina/Buenos_Aires',
  'Europe/Kyiv',
  'Europe/Kiev',
  'Asia/Kolkata',
  'America/Port-au-Prince',
  'UTC',
])('the time zone %s exists', (name) => expect(isTimezone(name)).toBe(true))

test.each(['', '+03:00', 'america/santiago', 'Santiago', 'Mars/Olympus', 'Europe/', 'UTC\u0000', `A${'/B'.repeat(9)}`])(
  'the time zone %j does not exist',
  (name) => expect(isTimezone(name)).toBe(false),
)

test('currencies are codes of ISO 4217 in upper case', () => {
  expect(['CLP', 'EUR', 'BRL', 'USD'].every(isCurrency)).toBe(true)
  expect(['clp', 'XYZ', '', 'US'].some(isCurrency)).toBe(false)
})

test('languages have English names; what is no language has none', () => {
  expect(['es', 'pt-BR', 'zh-Hans'].map(languageName)).toEqual(['Spanish', 'Brazilian Portuguese', 'Simplified Chinese'])
  expect(['xx', 'ES', 'es_CL', '', 'a'.repeat(300), '<b>'].map(languageName)).toEqual([null, null, null, null, null, null])
})
