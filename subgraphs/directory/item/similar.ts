import type { Item } from './item.ts'

/** Shorter descriptions are the same by chance. */
const MIN_DESCRIPTION_LENGTH = 40

/** Kind and description of an item in 32 bits (FNV-1a); 0 for one whose description is short. */
export function descriptionHash({ kind, description }: Item): number {
  if (description.length < MIN_DESCRIPTION_LENGTH) return 0
  let hash = 0x811c9dc5
  for (const text of [kind, description.toLowerCase()]) {
    for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash >>> 0 || 1
}

const isCopy = (one: Item, other: Item): boolean =>
  one.kind === other.kind && one.description.toLowerCase() === other.description.toLowerCase()

type Numbered = { readonly item: Item; readonly record: number }

/**
 * The first of each group of forks and copies, whose authors left the description as it was, and how
 * many others in these results it stands for. `hashes` by record.
 */
export function groupSimilar<Result extends Numbered>(
  results: readonly Result[],
  hashes: Uint32Array,
): readonly (Result & { readonly similarCount: number })[] {
  const groups = new Map<number, { readonly result: Result; copies: number }[]>()
  const first: { readonly result: Result; copies: number }[] = []
  for (const result of results) {
    const hash = hashes[result.record] ?? 0
    const sameHash = hash === 0 ? undefined : groups.get(hash)
    // Hashes of two texts may agree, also by intent.
    const group = sameHash?.find((one) => isCopy(one.result.item, result.item))
    if (group) {
      group.copies += 1
      continue
    }
    const made = { result, copies: 0 }
    first.push(made)
    if (sameHash) sameHash.push(made)
    else if (hash !== 0) groups.set(hash, [made])
  }
  return first.map(({ result, copies }) => ({ ...result, similarCount: copies }))
}
