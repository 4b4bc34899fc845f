import { type DocumentNode, type GraphQLFormattedError, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql'
import { documentIndex } from '../operations/document-index.ts'
import { type GatewayCode, refusal } from '../operations/errors.ts'
import { BOUNDS, type Limits } from './limits.ts'

/**
 * Size of an operation after spreading fragments. Counts may exceed 2^53 or be Infinity: compare
 * only, never loop.
 */
export type OperationSize = {
  /**
   * Depth as in graphql-depth-limit: a root leaf has depth 0; `__` fields and fields below do not
   * count.
   */
  readonly depth: number
  readonly fields: number
  readonly aliases: number
  readonly rootFields: number
  /** Number of root fields `__schema` and `__type`. */
  readonly introspections: number
}

/** `direct`: number of fields in the selection set itself. */
type SelectionSize = { depth: number; fields: number; aliases: number; direct: number; introspections: number }

/**
 * Measures an operation in time linear to its text, by measuring each fragment once. `document`
 * must be valid, because fragment cycles would not terminate.
 */
export function measureOperation(document: DocumentNode, operation: OperationDefinitionNode): OperationSize {
  const { fragments } = documentIndex(document)
  const measured = new Map<string, SelectionSize>()

  function sizeOfFragment(name: string): SelectionSize {
    const cached = measured.get(name)
    if (cached) return cached
    const fragment = fragments.get(name)
    const size = fragment ? sizeOf(fragment.selectionSet) : emptySize()
    measured.set(name, size)
    return size
  }

  function sizeOf({ selections }: SelectionSetNode): SelectionSize {
    const total = emptySize()
    for (const selection of selections) {
      if (selection.kind !== Kind.FIELD) {
        add(
          total,
          selection.kind === Kind.INLINE_FRAGMENT ? sizeOf(selection.selectionSet) : sizeOfFragment(selection.name.value),
        )
        continue
      }
      const below = selection.selectionSet ? sizeOf(selection.selectionSet) : emptySize()
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

  const { direct, ...size } = sizeOf(operation.selectionSet)
  return { ...size, rootFields: direct }
}

const emptySize = (): SelectionSize => ({ depth: 0, fields: 0, aliases: 0, direct: 0, introspections: 0 })

function add(total: SelectionSize, part: SelectionSize): void {
  total.depth = Math.max(total.depth, part.depth)
  total.fields += part.fields
  total.aliases += part.aliases
  total.direct += part.direct
  total.introspections += part.introspections
}

/** Size limits that depend on the text only, one per row. */
const SIZE_LIMITS: readonly {
  readonly key: keyof OperationSize
  readonly limit: (limits: Limits) => number
  readonly code: GatewayCode
  readonly noun: string
}[] = [
  { key: 'depth', limit: ({ depth }) => depth || Infinity, code: 'DEPTH_LIMIT_EXCEEDED', noun: 'levels of fields' },
  { key: 'fields', limit: () => BOUNDS.fields, code: 'OPERATION_TOO_LARGE', noun: 'fields' },
  { key: 'aliases', limit: () => BOUNDS.aliases, code: 'OPERATION_TOO_LARGE', noun: 'aliases' },
  { key: 'rootFields', limit: () => BOUNDS.rootFields, code: 'OPERATION_TOO_LARGE', noun: 'fields at the root' },
  { key: 'introspections', limit: () => BOUNDS.introspections, code: 'OPERATION_TOO_LARGE', noun: '"__schema" and "__type"' },
]

/** Errors for all exceeded limits, with size and limit. */
export const sizeLimitErrors = (size: OperationSize, limits: Limits): readonly GraphQLFormattedError[] =>
  SIZE_LIMITS.flatMap(({ key, limit, code, noun }) => {
    const [actual, allowed] = [size[key], limit(limits)]
    if (actual <= allowed) return []
    return [refusal(code, `Expected at most ${allowed} ${noun}, got ${actual}.`, { [key]: actual, limit: allowed })]
  })
