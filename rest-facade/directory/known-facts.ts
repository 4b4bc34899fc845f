type KnownFacts = { readonly deprecated?: true; readonly license?: string }

/**
 * An item with `deprecated` only when it is true and `license` only where one is known: other
 * answers keep the keys that they always had.
 */
export function withKnownFacts<Item extends object>(item: Item): Omit<Item, keyof KnownFacts> & KnownFacts {
  // Selected by some documents only.
  const { deprecated, license, ...rest } = item as Item & { readonly deprecated?: boolean; readonly license?: string | null }
  return { ...rest, ...(deprecated === true && { deprecated }), ...(license != null && { license }) }
}
