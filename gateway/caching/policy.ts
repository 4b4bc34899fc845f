import {
  type FieldNode,
  type FragmentDefinitionNode,
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
import type { CheckedOperation } from '../operations/document-cache.ts'
import type { CacheHint, CacheHints } from './cache-hints.ts'

/** How long the answer to an operation may be told again, and to whom. */
export type CachePolicy = {
  /** Seconds, at least 1. */
  readonly maxAge: number
  /** Whether only whoever was told may be told again. */
  readonly isPrivate: boolean
}

const NO_HINT: CacheHint = { inheritMaxAge: false }

/**
 * What the hints of all fields together allow, by the rules of Apollo Server: the shortest age counts, one PRIVATE makes all private; a field of the root and
 * one that leads to an object, interface or union has age 0 without a hint of its own or of that type; other fields are as old as what they belong to.
 * Worked out from the document alone, once: a field counts also where `@skip` leaves it out, and of an abstract type every type that it may be. Null when
 * the answer must not be kept: age 0, introspection, or no query.
 */
export function cachePolicyOf(
  { document, operation, isIntrospection }: CheckedOperation,
  schema: GraphQLSchema,
  hints: CacheHints,
): CachePolicy | null {
  const root = schema.getQueryType()
  if (!root || isIntrospection || operation.operation !== 'query') return null

  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  /** Selections and the types that they were read for: abstract types within each other would multiply the work. */
  const known = new Map<SelectionSetNode, Set<GraphQLNamedType>>()
  let [maxAge, isPrivate] = [Number.POSITIVE_INFINITY, false]
  const restrict = (hint: Pick<CacheHint, 'maxAge' | 'scope'>) => {
    maxAge = Math.min(maxAge, hint.maxAge ?? maxAge)
    isPrivate ||= hint.scope === 'PRIVATE'
  }

  read(operation.selectionSet, root)
  return maxAge > 0 && Number.isFinite(maxAge) ? { maxAge, isPrivate } : null

  function read(selectionSet: SelectionSetNode, parent: GraphQLNamedType): void {
    const readFor = known.get(selectionSet) ?? new Set()
    if (readFor.has(parent)) return
    known.set(selectionSet, readFor.add(parent))
    for (const selection of selectionSet.selections) {
      if (maxAge === 0) return
      if (selection.kind === Kind.FIELD) readField(selection, parent)
      else {
        const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection
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
      // What an abstract type turns out to be may say less than the type itself.
      if (isAbstractType(target))
        for (const possible of schema.getPossibleTypes(target)) restrict(hints.get(possible.name) ?? NO_HINT)
      if (selectionSet) read(selectionSet, target)
    }
  }

  /** The hint of a field in the light of the hint of its type. */
  function hintFor(path: string, target: GraphQLNamedType, isOfRoot: boolean): Pick<CacheHint, 'maxAge' | 'scope'> {
    const isComposite = isCompositeType(target)
    const ofType = (isComposite && hints.get(target.name)) || NO_HINT
    const own = hints.get(path) ?? NO_HINT
    const inherits = own.inheritMaxAge && ofType.maxAge === undefined
    const said = inherits ? undefined : (own.maxAge ?? ofType.maxAge)
    const scope = own.scope ?? ofType.scope
    const isWithout = isOfRoot || (isComposite && !inherits && !ofType.inheritMaxAge)
    return { ...((said !== undefined || isWithout) && { maxAge: said ?? 0 }), ...(scope && { scope }) }
  }

  function objectTypesOf(type: GraphQLNamedType): readonly GraphQLObjectType[] {
    return isObjectType(type) ? [type] : isAbstractType(type) ? schema.getPossibleTypes(type) : []
  }
}
