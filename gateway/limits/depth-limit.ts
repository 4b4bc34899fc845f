import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql'
import { documentIndex } from '../operations/document-index.ts'

/** How large an operation is with all its fragments spread. Counts may exceed 2^53 and end as Infinity: compare, never loop. */
export type Shape = {
  /** Levels of fields; a leaf at the root is at level 0, as graphql-depth-limit counts. `__` fields and what is below do not count. */
  readonly depth: number
  readonly fields: number
  readonly aliases: number
  readonly rootFields: number
  /** `__schema` and `__type` at the root. */
  readonly introspections: number
}

type Size = { depth: number; fields: number; aliases: number; direct: number; introspections: number }

/**
 * Measures the operation. Every fragment is measured once, however often it is spread, so the time is linear in the text.
 * `document` must be valid: a cycle of fragments would never end.
 */
export function shapeOf(document: DocumentNode, operation: OperationDefinitionNode): Shape {
  const { fragments } = documentIndex(document)
  const measured = new Map<string, Size>()

  function sizeOfFragment(name: string): Size {
    const known = measured.get(name)
    if (known) return known
    const fragment = fragments.get(name)
    const size = fragment ? sizeOf(fragment.selectionSet) : nothing()
    measured.set(name, size)
    return size
  }

  function sizeOf({ selections }: SelectionSetNode): Size {
    const total = nothing()
    for (const selection of selections) {
      if (selection.kind !== Kind.FIELD) {
        add(
          total,
          selection.kind === Kind.INLINE_FRAGMENT ? sizeOf(selection.selectionSet) : sizeOfFragment(selection.name.value),
        )
        continue
      }
      const below = selection.selectionSet ? sizeOf(selection.selectionSet) : nothing()
      const isMeta = selection.name.value.startsWith('__')
      add(total, {
        depth: isMeta || !selection.selectionSet ? 0 : below.depth + 1,
        fields: below.fields + 1,
        aliases: below.aliases + (selection.alias ? 1 : 0),
        direct: 1,
        introspections: selection.name.value === '__schema' || selection.name.value === '__type' ? 1 : 0,
      })
    }
    return total
  }

  const { direct, ...shape } = sizeOf(operation.selectionSet)
  return { ...shape, rootFields: direct }
}

const nothing = (): Size => ({ depth: 0, fields: 0, aliases: 0, direct: 0, introspections: 0 })

function add(total: Size, part: Size): void {
  total.depth = Math.max(total.depth, part.depth)
  total.fields += part.fields
  total.aliases += part.aliases
  total.direct += part.direct
  total.introspections += part.introspections
}
