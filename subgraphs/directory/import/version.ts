/**
 * Order of two semantic versions: 1.10.0 is above 1.9.0, a pre-release below its release. Null when
 * either is none.
 */
export function compareVersions(one: string, other: string): number | null {
  const [a, b] = [partsOf(one), partsOf(other)]
  if (!a || !b) return null
  for (const [index, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[index] ?? 0)
    if (difference !== 0) return Math.sign(difference)
  }
  if (a.preRelease === b.preRelease) return 0
  if (a.preRelease === '' || b.preRelease === '') return a.preRelease === '' ? 1 : -1
  return comparePreReleases(a.preRelease.split('.'), b.preRelease.split('.'))
}

/**
 * Semantic Versioning §11.4: numbers by size and below words, words by their characters, the longer
 * above its own beginning.
 */
function comparePreReleases(one: readonly string[], other: readonly string[]): number {
  for (const [index, a] of one.entries()) {
    const b = other[index]
    if (b === undefined) return 1
    if (a === b) continue
    const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)]
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1
    return (isNumber ? a.length - b.length || (a > b ? 1 : -1) : a > b ? 1 : -1) > 0 ? 1 : -1
  }
  return one.length < other.length ? -1 : 0
}

function partsOf(version: string): { readonly numbers: readonly number[]; readonly preRelease: string } | null {
  const match = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z.-]{1,100}))?(?:\+.*)?$/.exec(version)
  return match && { numbers: match.slice(1, 4).map(Number), preRelease: match[4] ?? '' }
}
