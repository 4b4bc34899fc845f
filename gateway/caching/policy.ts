import {
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import type { ValidatedOperation } from '../operations/document-cache.ts'
import { documentIndex, fragmentOf } from '../operations/document-index.ts'
import type { CacheHint, CacheHints } from './cache-hints.ts'

/** Lifetime and scope of a cached response. */
export type CachePolicy = {
  /** Lifetime in seconds, at least 1. */
  readonly maxAge: number
  /** Whether the response is for callers with the same credentials only. */
  readonly isPrivate: boolean
  /** Additional headers for `Vary`; `*`: any. */
  readonly vary?: readonly string[] | '*'
}

const NO_HINT: CacheHint = { inheritMaxAge: false }

/**
 * Combined policy of all hints by the rules of Apollo Server: the shortest `maxAge`; PRIVATE if any
 * hint is. Without a hint, root fields and fields of composite types have age 0, and other fields
 * inherit. Computed once per document, so skipped fields and all possible types count. Null when
 * the response must not be cached: age 0, introspection, or not a query.
 */
export function cachePolicyOf(
  { document, operation, isIntrospection }: ValidatedOperation,
  schema: GraphQLSchema,
  hints: CacheHints,
): CachePolicy | null {
  const root = schema.getQueryType()
  if (!root || isIntrospection || operation.operation !== 'query') return null

  const { fragments } = documentIndex(document)
  /**
   * Types that each selection set was visited for, because nested abstract types would repeat the
   * work exponentially.
   */
  const visited = new Map<SelectionSetNode, Set<GraphQLNamedType>>()
  let [maxAge, isPrivate] = [Number.POSITIVE_INFINITY, false]
  const restrict = (hint: Pick<CacheHint, 'maxAge' | 'scope'>) => {
    maxAge = Math.min(maxAge, hint.maxAge ?? maxAge)
    isPrivate ||= hint.scope === 'PRIVATE'
  }

  read(operation.selectionSet, root)
  return maxAge > 0 && Number.isFinite(maxAge) ? { maxAge, isPrivate } : null

  function read(selectionSet: SelectionSetNode, parent: GraphQLNamedType): void {
    const types = visited.get(selectionSet) ?? new Set()
    if (types.has(parent)) return
    visited.set(selectionSet, types.add(parent))
    for (const selection of selectionSet.selections) {
      if (maxAge === 0) return
      if (selection.kind === Kind.FIELD) readField(selection, parent)
      else {
        const fragment = fragmentOf(selection, fragments)
        const narrowed = fragment?.typeCondition && schema.getType(fragment.typeCondition.name.value)
        if (fragment) read(fragment.selectionSet, narrowed ?? parent)
      }
    }
  }

  function readField({ name: { value: name }, selectionSet }: FieldNode, parent: GraphQLNamedType): void {
    if (name === '__typename') return
    if (name.startsWith('__')) restrict({ maxAge: 0 })
    for (const type of objectTypesOf(parent)) {
      const field = type.getFields()[name]
      if (!field) continue
      const target = getNamedType(field.type)
      restrict(hintFor(`${type.name}.${name}`, target, type === root))
      // A possible type may have a stricter hint than its abstract type.
      if (isAbstractType(target))
        for (const possible of schema.getPossibleTypes(target)) restrict(hints.get(possible.name) ?? NO_HINT)
      if (selectionSet) read(selectionSet, target)
    }
  }

  /** Effective hint of a field: its own, else that of its type. */
  function hintFor(path: string, target: GraphQLNamedType, isOfRoot: boolean): Pick<CacheHint, 'maxAge' | 'scope'> {
    const isComposite = isCompositeType(target)
    const ofType = (isComposite && hints.get(target.name)) || NO_HINT
    const own = hints.get(path) ?? NO_HINT
    const inherits = own.inheritMaxAge && ofType.maxAge === undefined
    const maxAge = inherits ? undefined : (own.maxAge ?? ofType.maxAge)
    const scope = own.scope ?? ofType.scope
    const defaultsToZero = isOfRoot || (isComposite && !inherits && !ofType.inheritMaxAge)
    return { ...((maxAge !== undefined || defaultsToZero) && { maxAge: maxAge ?? 0 }), ...(scope && { scope }) }
  }

  function objectTypesOf(type: GraphQLNamedType): readonly GraphQLObjectType[] {
    return isObjectType(type) ? [type] : isAbstractType(type) ? schema.getPossibleTypes(type) : []
  }
}
