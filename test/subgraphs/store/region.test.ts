import { describe, expect, test } from 'vitest'
import { type Country, countries, countryOf } from '../../../subgraphs/store/country/country.ts'
import { municipalitiesOf, regionNamed, regionOf, regionsOf } from '../../../subgraphs/store/country/region.ts'
import { regionIn } from '../../../subgraphs/store/order/customer/address.ts'
import { zoneDepth } from '../../../subgraphs/store/shipping-method/zone.ts'
import { taxesOnShipping } from '../../../subgraphs/store/tax/tax.ts'

const country = (code: string): Country => {
  const found = countryOf(code)
  if (found === null) throw new Error(`There is no country ${code}.`)
  return found
}
const municipalities = (code: string) => regionsOf(country(code)).flatMap(municipalitiesOf)

describe('regions', () => {
  test('of Chile are its sixteen, in Spanish, with the codes that promotions use and those of ISO', () => {
    expect(regionsOf(country('CL'))).toHaveLength(16)
    expect(regionOf(country('CL'), '03')).toEqual({ country: 'CL', code: '03', iso: 'CL-AN', name: 'Antofagasta' })
    expect(regionOf(country('CL'), '12')).toEqual({
      country: 'CL',
      code: '12',
      iso: 'CL-RM',
      name: 'Región Metropolitana de Santiago',
    })
  })

  test.each([
    ['CL', 16],
    ['PT', 20],
    ['ES', 19],
    ['BR', 27],
    ['MX', 32],
    ['US', 51],
    ['GB', 4],
    ['DE', 16],
    ['FR', 13],
    ['AR', 24],
    ['CO', 33],
    ['PE', 26],
    ['IT', 20],
    ['CA', 13],
  ])('of %s are %i, each with a code of ISO 3166-2', (code, count) => {
    const regions = regionsOf(country(code))
    expect(regions).toHaveLength(count)
    expect(regions.filter(({ iso }) => !iso?.startsWith(`${code}-`))).toEqual([])
  })

  test('have codes and ISO codes of their own in every country', () => {
    for (const { code, name } of countries()) {
      const regions = regionsOf({ code, name })
      expect(new Set(regions.map((region) => region.code)).size).toBe(regions.length)
      const isos = regions.flatMap(({ iso }) => iso ?? [])
      expect(new Set(isos).size).toBe(isos.length)
    }
  })

  test.each([
    ['PT', '14', 'Lisboa'],
    ['PT', 'PT_14', 'Lisboa'],
    ['PT', 'pt-11', 'Lisboa'],
    ['PT', ' LISBOA ', 'Lisboa'],
    ['PT', 'Lisbon', 'Lisboa'],
    ['CL', 'Metropolitana de Santiago', 'Región Metropolitana de Santiago'],
    ['CL', 'valparaiso', 'Valparaíso'],
    ['US', 'ca', 'California'],
    ['DE', 'Bavaria', 'Bayern'],
    ['PT', 'zz', undefined],
    ['PT', '', undefined],
    ['AW', 'Oranjestad', undefined],
  ])('of %s are found by what people call them: %j is %s', (code, text, name) => {
    expect(regionNamed(country(code), text)?.name).toBe(name)
  })

  test('are found by their own names and codes, in every country', () => {
    for (const { code, name } of countries()) {
      for (const region of regionsOf({ code, name })) {
        expect(regionNamed({ code, name }, region.code)).toBe(region)
        if (region.iso) expect([region.iso, regionNamed({ code, name }, region.iso)]).toEqual([region.iso, region])
        // Some countries have a city and a province of one name.
        expect([region, regionNamed({ code, name }, region.name) ?? region]).toEqual([region, region])
      }
    }
  })

  test('are named as people there write them', () => {
    const named = (code: string) => regionsOf(country(code)).map(({ name }) => name)
    expect(named('DE')).toContain('Bayern')
    expect(named('ES')).toContain('Comunidad de Madrid')
    expect(named('ES').filter((name) => name.includes(','))).toEqual([])
  })

  test('are found by code in either case, and nothing else is', () => {
    expect(regionOf(country('US'), 'ca')).toEqual({ country: 'US', code: 'CA', iso: 'US-CA', name: 'California' })
    for (const code of ['99', '', 'US-CA', '__proto__']) expect(regionOf(country('US'), code)).toBeNull()
    expect(regionsOf(country('VA'))).toEqual([])
  })
})

describe('a region that an address says', () => {
  test.each([
    [{ region: 'Tokyo', regionCode: '13' }, 'JP', { region: 'Tôkyô', regionCode: '40' }],
    [{ region: null, regionCode: '40' }, 'JP', { region: 'Tôkyô', regionCode: '40' }],
    [{ region: 'Somewhere', regionCode: '40' }, 'JP', { region: 'Somewhere', regionCode: '40' }],
    [{ region: 'SP' }, 'BR', { region: 'São Paulo', regionCode: '27' }],
    [{ region: 'Somewhere', regionCode: 'nowhere' }, 'JP', null],
  ])('%j in %s', (given, code, expected) => {
    expect(regionIn(country(code), given)).toEqual(expected)
  })

  test('is the one of zones and taxes, however those were written', () => {
    const place = { country: 'CL', region: '03', municipality: null, postal: null }
    const zone = { country: 'CL', municipality: null, postalCodeRangeStart: null, postalCodeRangeEnd: null }
    const depths = ['03', 'CL_03', 'CL-AN', 'Antofagasta', '04', 'Atacama', 'Nowhere'].map((region) =>
      zoneDepth({ ...zone, region }, place),
    )
    expect(depths).toEqual([2, 2, 2, 2, null, null, null])
    expect(zoneDepth({ ...zone, region: 'Antofagasta' }, { ...place, region: 'antofagasta' })).toBe(2)
    expect(zoneDepth({ ...zone, region: 'Antofagasta' }, { ...place, region: null })).toBeNull()
    const tax = { country: 'CL', region: 'Antofagasta', categoryId: null, shipping: true }
    expect([taxesOnShipping([tax], place), taxesOnShipping([tax], { ...place, region: '04' })]).toEqual([[tax], []])
  })
})

describe('municipalities', () => {
  test.each([
    ['CL', 346, 'communes'],
    ['PT', 308, 'concelhos'],
    ['BR', 5570, 'municípios'],
    ['US', 3143, 'counties'],
    ['ES', 52, 'provinces and the two cities'],
    ['FR', 96, 'départements'],
    ['DE', 400, 'districts'],
    ['GB', 185, 'counties and what has replaced them'],
    ['MX', 2471, 'municipios'],
  ])('of %s are %i %s', (code, count) => expect(municipalities(code)).toHaveLength(count))

  test('are ordered by name, and have the codes that their country gives them', () => {
    const antofagasta = regionOf(country('CL'), '03')
    if (antofagasta === null) throw new Error('Antofagasta is missing.')
    const found = municipalitiesOf(antofagasta)
    expect(found).toHaveLength(9)
    expect(found[0]).toEqual({ code: '02101', name: 'Antofagasta' })
    expect(found.at(-1)).toEqual({ code: '02301', name: 'Tocopilla' })
  })

  test('have codes of their own in every region', () => {
    for (const each of countries())
      for (const region of regionsOf(each)) {
        const found = municipalitiesOf(region)
        expect(new Set(found.map(({ code }) => code)).size).toBe(found.length)
      }
  })
})
