import type { Item } from './item.ts'

/** Fields in which items repeat what others, or they themselves, have; texts, or null. */
const SHARED_FIELDS = [
  'kind',
  'category',
  'originalCategory',
  'license',
  'owner',
  'marketplaceSlug',
  'transport',
  'installCommand',
  'docsUrl',
  'repoUrl',
  'sourceUrl',
] as const

/** An item whose shared texts are something else: the numbers of a file in their place. */
export type ItemWith<Value> = Record<(typeof SHARED_FIELDS)[number], Value | null | undefined> & {
  tags: readonly Value[]
  installations?: readonly { command: Value; transport: Value }[]
}

/** Replaces, in the item itself, every value that others may have, too; none that it has not. */
export function replaceShared<From, To extends From | string | number>(
  item: ItemWith<From>,
  replace: (value: From) => To,
): ItemWith<To> {
  // The same object, all of whose shared values are replaced below.
  const own = item as unknown as ItemWith<To>
  for (const field of SHARED_FIELDS) {
    const value = item[field]
    if (value !== null && value !== undefined) own[field] = replace(value)
  }
  own.tags = item.tags.map(replace)
  for (const installation of item.installations ?? []) {
    // As above.
    const replaced = installation as unknown as { command: To; transport: To }
    replaced.command = replace(installation.command)
    replaced.transport = replace(installation.transport)
  }
  return own
}

/**
 * Puts one value in the place of equal ones, in an item that nothing else refers to: each row brings its
 * own copies of categories, tags and times, which a few hundred items have in common.
 */
export function sharedValues(): (item: Item) => Item {
  const texts = new Map<string, string>()
  const time = sharedTimes()
  const text = (value: string): string => {
    const known = texts.get(value)
    if (known === undefined) texts.set(value, value)
    return known ?? value
  }
  return (item) => {
    // Of this row alone until now, and of the fields of a kind the others are absent.
    const own = item as unknown as ItemWith<string> & { createdAt: Date; updatedAt: Date }
    replaceShared(own, text)
    own.createdAt = time(own.createdAt.getTime())
    own.updatedAt = time(own.updatedAt.getTime())
    return item
  }
}

/** One object for equal times. */
export function sharedTimes(): (milliseconds: number) => Date {
  const times = new Map<number, Date>()
  return (milliseconds) => {
    const known = times.get(milliseconds)
    if (known) return known
    const time = new Date(milliseconds)
    times.set(milliseconds, time)
    return time
  }
}
