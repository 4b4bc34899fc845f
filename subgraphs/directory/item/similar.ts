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

/** Results that stand for others, too; `copies`: for how many, by place. */
export type SimilarGroups = { readonly places: Uint32Array; readonly copies: Uint32Array }

type Group = { place: number; copies: number; readonly next: Group | undefined }

/**
 * The first of each group of forks and copies, whose authors left the description as it was, in no
 * order, and how many others in these results it stands for. `hashes` by record.
 */
export function groupSimilar(
  places: Uint32Array,
  { records, compare }: { readonly records: Uint32Array; readonly compare: (one: number, other: number) => number },
  { descriptionHashes, items }: { readonly descriptionHashes: Uint32Array; readonly items: readonly (Item | undefined)[] },
): SimilarGroups {
  const itemAt = (place: number): Item => items[records[place] as number] as Item
  const groups: Group[] = []
  const byHash = new Map<number, Group>()
  for (const place of places) {
    const hash = descriptionHashes[records[place] as number] ?? 0
    const sameHash = hash === 0 ? undefined : byHash.get(hash)
    // Hashes of two texts may agree, also by intent.
    let group = sameHash
    while (group && !isCopy(itemAt(group.place), itemAt(place))) group = group.next
    if (group) {
      group.copies += 1
      if (compare(place, group.place) < 0) group.place = place
      continue
    }
    const made: Group = { place, copies: 0, next: sameHash }
    groups.push(made)
    if (hash !== 0) byHash.set(hash, made)
  }
  const copies = new Uint32Array(records.length)
  for (const group of groups) copies[group.place] = group.copies
  return { places: Uint32Array.from(groups, ({ place }) => place), copies }
}
