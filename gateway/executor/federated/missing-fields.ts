import type { ResponsePath } from './flatten-path.ts'
import type { Selected } from './merge.ts'

/**
 * Fields that a subgraph left out because an error below them nulled their parent. `at` is the path
 * of the parent, `keys` are the selected keys of the subgraph's answer there.
 */
export type Gap = { readonly at: ResponsePath; readonly keys: readonly string[] }

/**
 * What one error of a subgraph explains beside its own field: the GraphQL specification (6.4.4)
 * lets a null in a non-nullable field null its parent, and with it the siblings of that field.
 * Another subgraph may have answered a part of the parent, so that the siblings are missed later.
 * Null where the error nulled its own field only. `data` is what the subgraph answered, before
 * anything is merged into it; `keyIn` says which keys of `path` and of `selected` are the same.
 */
export function gapOf(
  data: unknown,
  path: ResponsePath,
  selected: Selected,
  keyIn: (key: string | number) => string | number,
): Gap | null {
  let value = data
  let below: Selected | null = selected
  for (const [depth, step] of path.entries()) {
    if (below === null) return null
    if (value === null || value === undefined) return { at: path.slice(0, depth), keys: below.map(({ key }) => key) }
    if (typeof value !== 'object') return null
    value = Object.hasOwn(value, step) ? Reflect.get(value, step) : undefined
    if (typeof step === 'string') below = below.find(({ key }) => keyIn(key) === keyIn(step))?.below ?? null
  }
  return null
}
