/** Most items that stand beside each other. */
export const MAX_COMPARED = 4

/** Path of the page that compares items with these ids. */
export function comparePath(ids: readonly string[]): string {
  const parameters = new URLSearchParams()
  for (const id of ids) parameters.append('item', id)
  return `/compare?${parameters}`
}
