import { describe, expect, test } from 'vitest'
import { licenseFamilyOf, licensesOf, licenseValue, statedLicense } from '../../../../subgraphs/directory/item/license.ts'

describe('what files state', () => {
  test.each([
    ['mit', 'MIT'],
    [' Apache License 2.0 ', 'Apache-2.0'],
    ['(MIT OR Apache-2.0)', 'MIT OR Apache-2.0'],
    ['mit or apache-2.0', 'MIT OR Apache-2.0'],
    ['GPL-2.0+', 'GPL-2.0-or-later'],
    ['apache-2.0 with llvm-exception', 'Apache-2.0 WITH LLVM-exception'],
    ['MIT AND (ISC OR Zlib)', 'MIT AND (ISC OR Zlib)'],
    ['(MIT AND ISC) OR Zlib', 'MIT AND ISC OR Zlib'],
    ['((((MIT))))', 'MIT'],
  ])('%s is %s', (stated, license) => {
    expect(statedLicense(stated)).toBe(license)
    expect(statedLicense(license)).toBe(license)
  })

  test.each([
    'MIT OR',
    'OR MIT',
    'MIT ISC',
    '(MIT',
    'MIT)',
    '()',
    'MIT OR SEE LICENSE IN LICENSE.md',
    'MIT WITH my-exception',
    'MIT WITH',
    'UNLICENSED',
    '__proto__',
    'constructor',
    `${'('.repeat(60)}MIT${')'.repeat(60)}`,
    // 32 ways to choose.
    Array.from({ length: 5 }, () => '(MIT OR ISC)').join(' AND '),
    { type: 'MIT' },
    // 117 characters, of which SPDX makes 196: rows may not have it.
    Array.from({ length: 10 }, () => 'GPL-2.0+').join(' OR '),
  ])('%j is no licence that is known', (stated) => {
    expect(statedLicense(stated)).toBeNull()
  })
})

test.each([
  ['MIT OR Apache-2.0', ['apache-2.0', 'mit', 'mit or apache-2.0', 'permissive'], 'PERMISSIVE'],
  ['MIT OR GPL-3.0-only', ['copyleft', 'gpl-3.0-only', 'mit', 'mit or gpl-3.0-only', 'permissive'], 'PERMISSIVE'],
  // Both apply: neither is enough for whoever accepts one alone.
  ['MIT AND GPL-3.0-only', ['copyleft', 'mit and gpl-3.0-only'], 'COPYLEFT'],
  ['MIT AND BUSL-1.1', ['mit and busl-1.1'], null],
  [
    'GPL-2.0-only WITH Classpath-exception-2.0',
    ['copyleft', 'gpl-2.0-only', 'gpl-2.0-only with classpath-exception-2.0'],
    'COPYLEFT',
  ],
  ['Unheard-1.0', ['unheard-1.0'], null],
  [null, ['unknown'], null],
])('%s is found by what may be chosen alone', (license, values, family) => {
  expect([...licensesOf({ license })].sort()).toEqual(values)
  expect(licenseFamilyOf(license)).toBe(family)
})

test('a filter names an expression however it is written', () => {
  expect(licenseValue('(mit  OR apache-2.0)')).toBe('mit or apache-2.0')
  expect(licensesOf({ license: 'MIT OR Apache-2.0' })).toContain(licenseValue('Mit Or Apache-2.0'))
  expect(() => licenseValue('MIT OR')).toThrow('"filter.license"')
})
