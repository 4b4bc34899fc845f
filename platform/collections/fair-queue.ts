/**
 * Items that wait in lines, one line per key. Lines are served in turn, so an item waits for its
 * own line and for at most one item of each other one, however long those are.
 */
export type FairQueue<Item> = {
  readonly size: () => number
  /** Puts a new item at the end of the line of `key`. */
  readonly push: (key: string, item: Item) => void
  /** The first item of the line whose turn it is; undefined when nothing waits. */
  readonly shift: () => Item | undefined
  /** Takes an item out; false when it does not wait in the line of `key`. */
  readonly remove: (key: string, item: Item) => boolean
  /**
   * Leaves `max` items: the longest lines lose their newest ones, down to one common length.
   * Returns what it took out.
   */
  readonly trim: (max: number) => readonly Item[]
}

/** Creates an empty queue. Its memory is that of what waits, which the caller bounds. */
export function fairQueue<Item>(): FairQueue<Item> {
  /** In the order of their turns. A line without items is deleted. */
  const lines = new Map<string, Set<Item>>()
  let size = 0

  return {
    size: () => size,
    push(key, item) {
      const line = lines.get(key)
      if (line) line.add(item)
      else lines.set(key, new Set([item]))
      size++
    },
    shift() {
      for (const [key, line] of lines) {
        lines.delete(key)
        for (const item of line) {
          line.delete(item)
          size--
          if (line.size > 0) lines.set(key, line)
          return item
        }
      }
      return undefined
    },
    remove(key, item) {
      const line = lines.get(key)
      if (!line?.delete(item)) return false
      size--
      if (line.size === 0) lines.delete(key)
      return true
    },
    trim(max) {
      if (size <= max) return []
      const { length, rest } = commonLength(max)
      let longer = rest
      const removed: Item[] = []
      for (const [key, line] of lines) {
        const end = line.size > length && longer-- > 0 ? length + 1 : length
        for (const item of [...line].slice(end)) {
          line.delete(item)
          removed.push(item)
        }
        if (line.size === 0) lines.delete(key)
      }
      size -= removed.length
      return removed
    },
  }

  /** Lines of this length, and `rest` of them with one item more, hold `max` items together. */
  function commonLength(max: number): { readonly length: number; readonly rest: number } {
    const lengths = [...lines.values()].map((line) => line.size).sort((one, other) => one - other)
    let left = max
    for (const [index, length] of lengths.entries()) {
      const lines = lengths.length - index
      const share = Math.floor(left / lines)
      if (length > share) return { length: share, rest: left - share * lines }
      left -= length
    }
    return { length: max, rest: 0 }
  }
}
