import type { ResponsePath } from './flatten-path.ts'
import type { SelectedFields } from './merge.ts'

/**
 * Selected fields that a subgraph's response lacks, because an error nulled their parent. `at`:
 * path of the parent.
 */
export type MissingFields = { readonly at: ResponsePath; readonly keys: readonly string[] }

/**
 * Sibling fields that an error explains in addition to its own field: null in a non-null field
 * nulls the parent with all its fields (GraphQL §6.4.4). They would be missed later when another
 * subgraph provides parts of the parent. Null when the error nulled its own field only. `data`: the
 * response before merging. `keyIn`: converts a key to the client's key.
 */
export function missingFieldsOf(
  data: unknown,
  path: ResponsePath,
  selected: SelectedFields,
  keyIn: (key: string | number) => string | number,
): MissingFields | null {
  let value = data
  let below: SelectedFields | null = selected
  for (const [depth, element] of path.entries()) {
    if (below === null) return null
    if (value === null || value === undefined) return { at: path.slice(0, depth), keys: below.map(({ key }) => key) }
    if (typeof value !== 'object') return null
    value = Object.hasOwn(value, element) ? Reflect.get(value, element) : undefined
    if (typeof element === 'string') below = below.find(({ key }) => keyIn(key) === keyIn(element))?.below ?? null
  }
  return null
}
