import type { LicenseFamily } from '#generated/directory/resolvers.ts'
import { lookupTable } from '../../../platform/collections/lookup-table.ts'
import { badInput } from '../../../platform/graphql/errors.ts'

/**
 * SPDX identifiers by what the licences require: those of choosealicense.com with the condition
 * `same-license`, also by file or as a library, are copyleft. GitHub recognises these.
 */
const PERMISSIVE =
  '0BSD AFL-3.0 Apache-2.0 Artistic-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-2-Clause-Patent BSD-3-Clause BSD-3-Clause-Clear BSD-4-Clause BSL-1.0 CC-BY-4.0 CC0-1.0 ECL-2.0 ISC MIT MIT-0 MulanPSL-2.0 NCSA PostgreSQL Python-2.0 Unlicense UPL-1.0 WTFPL Zlib'
const COPYLEFT =
  'AGPL-3.0 AGPL-3.0-only AGPL-3.0-or-later CC-BY-SA-4.0 CECILL-2.1 CERN-OHL-S-2.0 CERN-OHL-W-2.0 EPL-1.0 EPL-2.0 EUPL-1.1 EUPL-1.2 GFDL-1.3 GPL-2.0 GPL-2.0-only GPL-2.0-or-later GPL-3.0 GPL-3.0-only GPL-3.0-or-later LGPL-2.1 LGPL-2.1-only LGPL-2.1-or-later LGPL-3.0 LGPL-3.0-only LGPL-3.0-or-later MPL-2.0 MS-RL ODbL-1.0 OFL-1.1 OSL-3.0'
/**
 * In neither family here: most restrict who may use the work, or what for; MS-PL and LPPL-1.3c have
 * conditions of their own.
 */
const OTHERS = 'BUSL-1.1 CC-BY-NC-4.0 CC-BY-NC-SA-4.0 Elastic-2.0 FSL-1.1-ALv2 FSL-1.1-MIT LPPL-1.3c MS-PL SSPL-1.0'

type Known = { readonly id: string; readonly family: LicenseFamily | null }

const entriesOf = (ids: string, family: LicenseFamily | null): readonly (readonly [string, Known])[] =>
  ids.split(' ').map((id) => [id.toLowerCase(), { id, family }])

const KNOWN = lookupTable<Known>(
  Object.fromEntries([...entriesOf(PERMISSIVE, 'PERMISSIVE'), ...entriesOf(COPYLEFT, 'COPYLEFT'), ...entriesOf(OTHERS, null)]),
)

/** What files say instead of an identifier. */
const SPELLINGS = lookupTable<string>({
  'apache 2': 'Apache-2.0',
  'apache 2.0': 'Apache-2.0',
  'apache-2': 'Apache-2.0',
  'apache license 2.0': 'Apache-2.0',
  'apache license, version 2.0': 'Apache-2.0',
  agplv3: 'AGPL-3.0',
  gplv2: 'GPL-2.0',
  gplv3: 'GPL-3.0',
  'mit license': 'MIT',
})

/** Exceptions of SPDX that are granted together with a licence, by their names in lower case. */
const EXCEPTIONS = lookupTable<string>(
  Object.fromEntries(
    'Autoconf-exception-2.0 Autoconf-exception-3.0 Bison-exception-2.2 Bootloader-exception Classpath-exception-2.0 Font-exception-2.0 GCC-exception-2.0 GCC-exception-3.1 LGPL-3.0-linking-exception Linux-syscall-note LLVM-exception OCaml-LGPL-linking-exception openvpn-openssl-exception Qt-GPL-exception-1.0 Qt-LGPL-exception-1.1 Swift-exception u-boot-exception-2.0 Universal-FOSS-exception-1.0 WxWindows-exception-3.1'
      .split(' ')
      .map((name) => [name.toLowerCase(), name]),
  ),
)

/** Longest identifier that is kept or looked for: that of the longest is 42. Characters. */
const SPDX_ID = /^[A-Za-z0-9][A-Za-z0-9.+-]{0,59}$/
/** Longest expression. Characters. */
const MAX_EXPRESSION_LENGTH = 120
/** Ways to choose of an expression: each `AND` of two `OR` multiplies them. */
const MAX_CHOICES = 16

/** A licence that an expression names, in the spelling of SPDX; `text`: with its exception. */
type Named = { readonly id: string; readonly text: string }
/** Licences that apply together. */
type Choice = readonly Named[]
/** `rank` 0: one licence; 1: joined by `AND`; 2: by `OR`, which binds least. */
type Expression = { readonly text: string; readonly rank: 0 | 1 | 2; readonly choices: readonly Choice[] }

/** Reads an SPDX licence expression (SPDX 3.0.1, annex B); null for any other text and for what names an unknown licence. */
function expressionOf(text: string): Expression | null {
  if (text.length > MAX_EXPRESSION_LENGTH) return null
  const words = text.match(/[()]|[^\s()]+/g) ?? []
  let at = 0
  const takes = (word: string): boolean => {
    if (words[at]?.toUpperCase() !== word) return false
    at += 1
    return true
  }
  const licence = (): Expression | null => {
    if (takes('(')) {
      const inner = either()
      return takes(')') ? inner : null
    }
    const id = knownId(words[at] ?? '')
    if (id === null) return null
    at += 1
    if (!takes('WITH')) return { text: id, rank: 0, choices: [[{ id, text: id }]] }
    const exception = EXCEPTIONS[(words[at] ?? '').toLowerCase()]
    at += 1
    return exception === undefined
      ? null
      : { text: `${id} WITH ${exception}`, rank: 0, choices: [[{ id, text: `${id} WITH ${exception}` }]] }
  }
  const joined = (word: 'AND' | 'OR', part: () => Expression | null): Expression | null => {
    let whole = part()
    while (whole !== null && takes(word)) whole = join(word, whole, part())
    return whole
  }
  const both = () => joined('AND', licence)
  const either = (): Expression | null => joined('OR', both)
  const whole = either()
  return at === words.length ? whole : null
}

function join(word: 'AND' | 'OR', one: Expression, other: Expression | null): Expression | null {
  if (other === null) return null
  const rank = word === 'AND' ? 1 : 2
  const choices =
    word === 'OR'
      ? [...one.choices, ...other.choices]
      : one.choices.flatMap((first) => other.choices.map((second) => [...first, ...second]))
  if (choices.length > MAX_CHOICES) return null
  const bracketed = (part: Expression): string => (part.rank > rank ? `(${part.text})` : part.text)
  return { text: `${bracketed(one)} ${word} ${bracketed(other)}`, rank, choices }
}

/** The identifier in the spelling of SPDX; `GPL-2.0+` is `GPL-2.0-or-later`. Null for an unknown one. */
function knownId(text: string): string | null {
  const lower = text.toLowerCase()
  return KNOWN[lower.replace(/\+$/, '-or-later')]?.id ?? KNOWN[lower]?.id ?? null
}

/** Whether a text can be the licence of an item: like an SPDX identifier, or an expression of known ones. */
export const isLicense = (text: string): boolean => SPDX_ID.test(text) || expressionOf(text)?.text === text

/**
 * The SPDX identifier or expression that a file states, in the spelling of SPDX; null for a sentence and for what is not
 * known here: strangers write anything there. Also null where that spelling, which may be longer, is no `isLicense`.
 */
export function statedLicense(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_EXPRESSION_LENGTH) return null
  const text = value.trim()
  const license = SPELLINGS[text.toLowerCase()] ?? expressionOf(text)?.text ?? null
  return license !== null && license.length <= MAX_EXPRESSION_LENGTH ? license : null
}

const familyOf = (id: string): LicenseFamily | null => KNOWN[id.toLowerCase()]?.family ?? null

/** Of licences that apply together: the strictest; null where one is in neither family. */
function familyOfChoice(choice: Choice): LicenseFamily | null {
  const families = choice.map(({ id }) => familyOf(id))
  return families.includes(null) ? null : families.includes('COPYLEFT') ? 'COPYLEFT' : 'PERMISSIVE'
}

const familiesOf = (choices: readonly Choice[]): readonly LicenseFamily[] => [
  ...new Set(choices.flatMap((choice) => familyOfChoice(choice) ?? [])),
]

/**
 * Family of a licence; null for none and for one in neither family. Of several to choose from, that which requires least.
 */
export function licenseFamilyOf(license: string | null): LicenseFamily | null {
  if (license === null) return null
  const families = familiesOf(expressionOf(license)?.choices ?? [])
  return families.includes('PERMISSIVE') ? 'PERMISSIVE' : (families[0] ?? null)
}

type Licensed = { readonly license: string | null }

/** Values by licence: few licences are those of all items. Bounded by `MAX_REMEMBERED`. */
const VALUES = new Map<string, readonly string[]>()
const MAX_REMEMBERED = 1_000

/**
 * What filters call the licence of an item, in lower case: itself, its family, and each licence and family that may be
 * chosen alone; or `unknown`.
 */
export function licensesOf({ license }: Licensed): readonly string[] {
  if (license === null) return UNKNOWN
  const known = VALUES.get(license)
  if (known) return known
  const choices = expressionOf(license)?.choices ?? []
  const alone = choices.flatMap((choice) => (choice.length === 1 ? choice.flatMap(({ id, text }) => [id, text]) : []))
  const values = [...new Set([license, ...alone, ...familiesOf(choices)].map((value) => value.toLowerCase()))]
  if (VALUES.size < MAX_REMEMBERED) VALUES.set(license, values)
  return values
}

const UNKNOWN: readonly string[] = ['unknown']

/**
 * The value among `licensesOf` that a filter names; null for none. Throws BAD_USER_INPUT for what is neither a word of
 * the filter, like an identifier, nor an expression of known ones.
 */
export function licenseValue(wanted: string | null | undefined): string | null {
  if (wanted == null) return null
  const expression = expressionOf(wanted)
  if (!SPDX_ID.test(wanted) && !expression)
    throw badInput(
      'filter.license',
      'permissive, copyleft, unknown, or an SPDX identifier or expression such as Apache-2.0',
      wanted,
    )
  return (expression?.text ?? wanted).toLowerCase()
}
