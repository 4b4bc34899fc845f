import type { ResponsePath } from './flatten-path.ts'
import type { SelectedFields } from './merge.ts'

/**
 * Fields that a subgraph left out because an error below them nulled their parent. `at` is the path
 * of the parent, `keys` are the selected keys of the subgraph's response there.
 */
export type MissingFields = { readonly at: ResponsePath; readonly keys: readonly string[] }

/**
 * The siblings that one subgraph error explains beside its own field: a null in a non-nullable
 * field nulls its parent, and with it the siblings of that field (GraphQL specification, 6.4.4).
 * Another subgraph may have answered a part of the parent, so that the siblings are missed later.
 * Null where the error nulled its own field only. `data`: the subgraph's response before any merge.
 * `keyIn`: maps a key of `path` or `selected` to the client's key.
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
