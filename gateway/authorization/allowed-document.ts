import {
  type DefinitionNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import { documentIndex, fragmentOf } from '../operations/document-index.ts'
import type { RefusalLookup, RefusedPart } from './refused-part.ts'

/** A document without its refused parts, and the removed fields. */
type AllowedDocument = {
  /**
   * The document without refused fields and fragments on refused types; null when no root field is
   * left.
   */
  readonly allowed: DocumentNode | null
  readonly refusedNodes: ReadonlyMap<FieldNode, RefusedPart>
}

/** Removes the parts in `refusals` from a document with one operation on `root`. */
export function removeRefused(
  document: DocumentNode,
  root: GraphQLObjectType,
  schema: GraphQLSchema,
  refusals: RefusalLookup,
): AllowedDocument {
  const { fragments } = documentIndex(document)
  const refusedNodes = new Map<FieldNode, RefusedPart>()
  const definitions = document.definitions.map(allowedDefinition)
  const hasRoot = refusals.ofType(root.name) === null && selectsRootFields(definitions)
  return { allowed: hasRoot ? { ...document, definitions } : null, refusedNodes }

  function allowedDefinition(definition: DefinitionNode): DefinitionNode {
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      return { ...definition, selectionSet: allowedIn(definition.selectionSet, root, true) ?? TYPENAME_ONLY }
    }
    if (definition.kind !== Kind.FRAGMENT_DEFINITION) return definition
    const type = schema.getType(definition.typeCondition.name.value)
    if (!isCompositeType(type)) return definition
    const part = type === root ? null : refusals.ofType(type.name)
    if (part) refuseAll(definition.selectionSet, part)
    const selectionSet = part ? null : allowedIn(definition.selectionSet, type, type === root)
    return { ...definition, selectionSet: selectionSet ?? TYPENAME_ONLY }
  }

  /**
   * Refuses every field selected through a refused type. Through a refused interface, also those on
   * objects of readable types. The fields of a named fragment are refused wherever it is spread:
   * they are not fetched.
   */
  function refuseAll({ selections }: SelectionSetNode, part: RefusedPart, visited = new Set<string>()): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        if (!selection.name.value.startsWith('__')) refusedNodes.set(selection, part)
        continue
      }
      const fragment = fragmentOf(selection, fragments)
      if (!fragment) continue
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (visited.has(selection.name.value)) continue
        visited.add(selection.name.value)
      }
      refuseAll(fragment.selectionSet, part, visited)
    }
  }

  /** Null when no selection is left. */
  function allowedIn(selectionSet: SelectionSetNode, parent: GraphQLCompositeType, isRoot: boolean): SelectionSetNode | null {
    const selections = selectionSet.selections.flatMap((selection) => allowedOf(selection, parent, isRoot))
    return selections.length > 0 ? { ...selectionSet, selections } : null
  }

  function allowedOf(selection: SelectionNode, parent: GraphQLCompositeType, isRoot: boolean): readonly SelectionNode[] {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return [selection]
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const condition = selection.typeCondition && schema.getType(selection.typeCondition.name.value)
      const type = isCompositeType(condition) ? condition : parent
      const part = type === root ? null : refusals.ofType(type.name)
      if (part) {
        refuseAll(selection.selectionSet, part)
        return []
      }
      const selectionSet = allowedIn(selection.selectionSet, type, isRoot)
      return selectionSet ? [{ ...selection, selectionSet }] : []
    }
    const part = refusals.ofField(parent.name, selection.name.value)
    if (part) {
      refusedNodes.set(selection, part)
      return []
    }
    if (!selection.selectionSet) return [selection]
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[selection.name.value] : undefined
    const target = field && getNamedType(field.type)
    if (!isCompositeType(target)) return [selection]
    return [{ ...selection, selectionSet: allowedIn(selection.selectionSet, target, false) ?? TYPENAME_ONLY }]
  }
}

const TYPENAME: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }
/**
 * Replaces a selection set whose fields were all removed, because it may not be empty (GraphQL
 * §2.4).
 */
const TYPENAME_ONLY: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: [TYPENAME] }

/** Whether the operation selects more than the placeholder `__typename`. */
function selectsRootFields(definitions: readonly DefinitionNode[]): boolean {
  const operation = definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION)
  return operation?.kind === Kind.OPERATION_DEFINITION && selectsFields(operation.selectionSet)

  function selectsFields({ selections }: SelectionSetNode): boolean {
    return selections.some((selection) => {
      if (selection.kind === Kind.FIELD) return selection !== TYPENAME
      if (selection.kind === Kind.INLINE_FRAGMENT) return selectsFields(selection.selectionSet)
      const found = definitions.find(
        (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value,
      )
      return found?.kind === Kind.FRAGMENT_DEFINITION && selectsFields(found.selectionSet)
    })
  }
}
