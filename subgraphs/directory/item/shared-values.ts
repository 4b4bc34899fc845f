import type { Item } from './item.ts'

/** Fields in which items repeat what others, or they themselves, have. */
const SHARED_FIELDS = ['owner', 'marketplaceSlug', 'docsUrl', 'repoUrl', 'sourceUrl'] as const

/**
 * Puts one value in the place of equal ones: each row brings its own copies of categories, tags and
 * times, which a few hundred items have in common.
 */
export function sharedValues(): (item: Item) => Item {
  const [texts, times] = [new Map<string, string>(), new Map<number, Date>()]
  const text = <Value extends string | null>(value: Value): Value => {
    if (value === null) return value
    const known = texts.get(value)
    if (known === undefined) texts.set(value, value)
    // Equal, so of the same type.
    return (known ?? value) as Value
  }
  const time = (value: Date): Date => {
    const known = times.get(value.getTime())
    if (known === undefined) times.set(value.getTime(), value)
    return known ?? value
  }
  return (item) => {
    // Of this row alone until now.
    const own = item as { -readonly [Field in keyof Item]: Item[Field] }
    own.kind = text(own.kind)
    own.category = text(own.category)
    own.originalCategory = text(own.originalCategory)
    own.license = text(own.license)
    own.tags = own.tags.map(text)
    own.createdAt = time(own.createdAt)
    own.updatedAt = time(own.updatedAt)
    for (const field of SHARED_FIELDS) {
      // Texts of the kinds that have them.
      const fields = item as unknown as Record<(typeof SHARED_FIELDS)[number], string | null | undefined>
      const value = fields[field]
      if (typeof value === 'string') fields[field] = text(value)
    }
    return item
  }
}
