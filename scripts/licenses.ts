import { labelOf, type ProductionPackage } from './production-packages.ts'

/**
 * Licences, by SPDX identifier, under which code may become a part of what is shipped under
 * Apache-2.0: those that ask for no more than to be named and to come along. Others need a row in
 * `ALLOWED_PACKAGES`.
 */
const ALLOWED_LICENSES: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PostgreSQL',
  'Python-2.0',
  'Unlicense',
  'Zlib',
])

/** Packages that may come with another licence, each with the reason. */
const ALLOWED_PACKAGES: readonly { readonly name: RegExp; readonly license: string; readonly reason: string }[] = [
  {
    name: /^@apollo\/(composition|federation-internals|query-graphs|query-planner)$/,
    license: 'Elastic-2.0',
    reason:
      'Composition and planning of Federation. Free to use and to pass on; who offers Apollo’s own functions to others as a managed service needs to read it.',
  },
  { name: /^cities\.json$/, license: 'CC-BY-4.0', reason: 'Data, not code: GeoNames is named where places are served.' },
]

/**
 * What packages leave unsaid, or say in words, as their licence files have it. Of one version:
 * another is to be read again.
 */
const READ_BY_US: Readonly<Record<string, string>> = {
  'png-js@2.0.0': 'MIT',
  // Bitstream Vera's permission, with changes in the public domain: fonts may be passed on with
  // software.
  'dejavu-fonts-ttf@2.37.3': 'LicenseRef-Bitstream-Vera',
}
const OWN_REFERENCES: ReadonlySet<string> = new Set(['LicenseRef-Bitstream-Vera'])

/** The licence of a package as an SPDX expression; null when nobody knows. */
export const licenseOf = (each: ProductionPackage): string | null => READ_BY_US[labelOf(each)] ?? each.license

/** Why a package may not be shipped, as a sentence; null when it may. */
export function licenseProblem(each: ProductionPackage): string | null {
  const license = licenseOf(each)
  const label = labelOf(each)
  if (license === null)
    return `${label} says no licence: read its files, and add what they say to READ_BY_US in scripts/licenses.ts.`
  if (isAllowed(license)) return null
  if (ALLOWED_PACKAGES.some((row) => row.license === license && row.name.test(each.name))) return null
  return `${label} has the licence "${license}", which is not on the list in scripts/licenses.ts.`
}

/**
 * Of alternatives one must be allowed, of several that hold together all. Anything else that is not
 * a plain identifier is not.
 */
function isAllowed(expression: string): boolean {
  const bare = expression.replace(/^\((.*)\)$/, '$1')
  if (/[()]/.test(bare)) return false
  return bare
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((id) => ALLOWED_LICENSES.has(id) || OWN_REFERENCES.has(id)))
}
