/**
 * An item with `deprecated` only when it is true: answers about living items keep the keys that
 * they always had.
 */
export function withDeprecation<Item extends object>(item: Item): Omit<Item, 'deprecated'> & { readonly deprecated?: true } {
  // Selected by some documents only.
  const { deprecated, ...rest } = item as Item & { readonly deprecated?: boolean }
  return deprecated === true ? { ...rest, deprecated } : rest
}
