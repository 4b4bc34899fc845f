import { CHEAP, type Pace } from '../word-index/pace.ts'
import { hashed, hashOfText, randomSeed } from '../word-index/seeded-hash.ts'
import type { DirectoryKind, Item } from './item.ts'
import { KIND_ORDER } from './sort.ts'

type Items = readonly (Item | undefined)[]

/**
 * Numbers of items by row and by natural key; immutable. Tables of numbers and hashes, which are compared
 * with the items themselves: two maps of texts would take 100 bytes an item, and a second for 200,000.
 */
export type ItemNumbers = {
  /** Number of a row among the items of this version; undefined: it is not there. */
  readonly ofId: (id: string, items: Items) => number | undefined
  /** Number of a natural key, compared without regard to case. */
  readonly ofKey: (kind: DirectoryKind, key: string, items: Items) => number | undefined
  /** The numbers of the next version of the items, in slices; `changes` are all that are other ones there. */
  readonly with: (changes: ReadonlyMap<number, ItemChange>, next: Items, pace: Pace) => Promise<ItemNumbers>
}

/** An item that is another now; null: it was not there before, or is gone. */
export type ItemChange = { readonly before: Item | null; readonly after: Item | null }

/** What has changed since the tables were made; undefined: it is gone. */
type Changed = ReadonlyMap<string, number | undefined>

/** Changes above this share of all items, and above this number, are moved into new tables. */
const MAX_CHANGED_SHARE = 0.1
const MIN_MOVED = 5_000
/** Share of the slots that items take at most. */
const MAX_LOAD = 0.6

const SEED = randomSeed()
const hashOfKey = (kind: DirectoryKind, key: string): number => hashOfText(hashed(SEED, KIND_ORDER[kind]), key.toLowerCase())
const keyText = (kind: DirectoryKind, key: string): string => `${kind} ${key.toLowerCase()}`

/** The numbers of these items, in slices. */
export async function itemNumbers(items: Items, pace: Pace): Promise<ItemNumbers> {
  let slotCount = 16
  while (items.length > slotCount * MAX_LOAD) slotCount *= 2
  const [ids, keys] = [new Int32Array(slotCount * 2), new Int32Array(slotCount * 2)]
  // Backwards: of equal ones the last is found first.
  for (let number = items.length - 1; number >= 0; number -= 1) {
    const item = items[number]
    if (item) {
      place(ids, number, hashOfText(SEED, item.id))
      place(keys, number, hashOfKey(item.kind, item.key))
    }
    const pause = pace(item ? CHEAP / 5 : CHEAP / 50)
    if (pause) await pause
  }
  return layered({ ids, keys, size: items.length }, new Map(), new Map())
}

type Tables = { readonly ids: Int32Array; readonly keys: Int32Array; readonly size: number }

/** Open addressing: of each slot a number and 1, or 0 when it is free, and a hash. */
function place(slots: Int32Array, number: number, hash: number): void {
  const mask = slots.length / 2 - 1
  let slot = hash & mask
  while (slots[slot * 2] !== 0) slot = (slot + 1) & mask
  slots[slot * 2] = number + 1
  slots[slot * 2 + 1] = hash
}

function find(slots: Int32Array, hash: number, isWanted: (number: number) => boolean): number | undefined {
  const mask = slots.length / 2 - 1
  for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
    const number = (slots[slot * 2] as number) - 1
    if (number < 0) return undefined
    if (slots[slot * 2 + 1] === hash && isWanted(number)) return number
  }
}

function layered(tables: Tables, changedIds: Changed, changedKeys: Changed): ItemNumbers {
  return {
    ofId(id, items) {
      if (changedIds.has(id)) return changedIds.get(id)
      return find(tables.ids, hashOfText(SEED, id), (number) => items[number]?.id === id)
    },
    ofKey(kind, key, items) {
      const text = keyText(kind, key)
      if (changedKeys.has(text)) return changedKeys.get(text)
      const lower = key.toLowerCase()
      return find(tables.keys, hashOfKey(kind, key), (number) => {
        const item = items[number]
        return item?.kind === kind && item.key.toLowerCase() === lower
      })
    },
    async with(changes, next, pace) {
      const [ids, keys] = [new Map(changedIds), new Map(changedKeys)]
      const pause = pace((ids.size + keys.size) * CHEAP)
      if (pause) await pause
      // Numbers go from one item to another: what is gone is entered before what is there.
      for (const { before } of changes.values()) {
        if (!before) continue
        ids.set(before.id, undefined)
        keys.set(keyText(before.kind, before.key), undefined)
      }
      for (const [number, { after }] of changes) {
        if (!after) continue
        ids.set(after.id, number)
        keys.set(keyText(after.kind, after.key), number)
      }
      await pace(changes.size * CHEAP * 4)
      if (ids.size <= Math.max(MIN_MOVED, tables.size * MAX_CHANGED_SHARE)) return layered(tables, ids, keys)
      return itemNumbers(next, pace)
    },
  }
}
