import {
  type DefinitionNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import type { AuthorizationRules, Requirement } from '../../platform/graphql/authorization-rules.ts'
import type { PlannedDocument } from '../executor/federated/planned-document.ts'
import { documentIndex, fragmentOf } from '../operations/document-index.ts'

/** A part of an operation that a caller may not read: its coordinate and what it requires. */
export type RefusedPart = { readonly coordinate: string; readonly requirement: Requirement; readonly isRoot: boolean }

/** The refused parts of one operation, for callers with the same unmet requirements. */
export type Refusals = {
  /** Equal for equal refusals: the unmet requirements. */
  readonly key: string
  /** The refusal of the field at `nodes`, on an object of `type`; null when it may be read. */
  readonly ofField: (type: string, nodes: readonly FieldNode[]) => RefusedPart | null
  /** The refusal of all objects of a type; null when they may be read. */
  readonly ofType: (type: string) => RefusedPart | null
  /**
   * The operation without refused fields and without fragments on refused types; null where nothing
   * is left of the root.
   */
  readonly allowed: DocumentNode | null
  /** Every refused field and fragment, with the key of its root field. */
  readonly parts: readonly { readonly rootKey: string; readonly part: RefusedPart }[]
}

/**
 * All requirements in an operation: of fields, their types, and possible types of abstract ones.
 */
export function requirementsIn(
  { document, operation }: { readonly document: DocumentNode; readonly operation: OperationDefinitionNode },
  schema: GraphQLSchema,
  { ofType, ofField }: AuthorizationRules,
): readonly Requirement[] {
  const found = new Set<Requirement>()
  const { fragments } = documentIndex(document)
  const visited = new Map<SelectionSetNode, Set<string>>()
  const root = schema.getRootType(operation.operation)
  if (root) {
    add(ofType.get(root.name))
    read(operation.selectionSet, root)
  }
  return [...found].sort((one, other) => one.index - other.index)

  function add(requirement: Requirement | undefined): void {
    if (requirement) found.add(requirement)
  }

  function read(selectionSet: SelectionSetNode, parent: GraphQLCompositeType): void {
    const seen = visited.get(selectionSet) ?? new Set()
    if (seen.has(parent.name)) return
    visited.set(selectionSet, seen.add(parent.name))
    for (const selection of selectionSet.selections) {
      if (selection.kind === Kind.FIELD) readField(selection, parent)
      else {
        const fragment = fragmentOf(selection, fragments)
        const condition = fragment?.typeCondition && schema.getType(fragment.typeCondition.name.value)
        if (isCompositeType(condition)) add(ofType.get(condition.name))
        if (fragment) read(fragment.selectionSet, isCompositeType(condition) ? condition : parent)
      }
    }
  }

  function readField({ name: { value: name }, selectionSet }: FieldNode, parent: GraphQLCompositeType): void {
    if (name.startsWith('__')) return
    for (const type of isAbstractType(parent) ? [parent, ...schema.getPossibleTypes(parent)] : [parent]) {
      add(ofField.get(`${type.name}.${name}`))
      const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined
      if (!field) continue
      const target = getNamedType(field.type)
      add(ofType.get(target.name))
      if (isAbstractType(target)) for (const possible of schema.getPossibleTypes(target)) add(ofType.get(possible.name))
      if (selectionSet && isCompositeType(target)) read(selectionSet, target)
    }
  }
}

/**
 * The refused parts of an operation for callers with these unmet requirements. Refused fields are
 * removed from the document that is planned; refused members of an abstract type are known only
 * from the type name of an object.
 */
export function refusalsOf(
  { document, operation, keyOf }: PlannedDocument,
  schema: GraphQLSchema,
  rules: AuthorizationRules,
  unmet: ReadonlySet<Requirement>,
): Refusals {
  const { fragments } = documentIndex(document)
  const refusedNodes = new Map<FieldNode, RefusedPart>()
  const parts: { rootKey: string; part: RefusedPart }[] = []
  const root = schema.getRootType(operation.operation)
  if (!root) throw new Error(`Expected a schema with a ${operation.operation} type.`)
  const rootRefusal = refusalOfType(root.name)

  const definitions = document.definitions.map((definition): DefinitionNode => {
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      return { ...definition, selectionSet: allowedIn(definition.selectionSet, root, true) ?? TYPENAME_ONLY }
    }
    if (definition.kind !== Kind.FRAGMENT_DEFINITION) return definition
    const type = schema.getType(definition.typeCondition.name.value)
    if (!isCompositeType(type)) return definition
    const part = type === root ? null : refusalOfType(type.name)
    if (part) refuseAll(definition.selectionSet, part)
    const selectionSet = part ? null : allowedIn(definition.selectionSet, type, type === root)
    return { ...definition, selectionSet: selectionSet ?? TYPENAME_ONLY }
  })
  collectParts(operation.selectionSet, null, new Set())
  const first = definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION)
  const hasRoot = !rootRefusal && first?.kind === Kind.OPERATION_DEFINITION && selectsFields(first.selectionSet)

  return {
    key: [...unmet].map(({ index }) => index).join(),
    ofField(type, nodes) {
      for (const node of nodes) {
        const part = refusedNodes.get(node)
        if (part) return part
      }
      return refusalOfField(type, nodes[0]?.name.value ?? '')
    },
    ofType: refusalOfType,
    allowed: hasRoot ? { ...document, definitions } : null,
    parts,
  }

  function isUnmet(requirement: Requirement | undefined): requirement is Requirement {
    return requirement !== undefined && unmet.has(requirement)
  }

  function refusalOfType(type: string): RefusedPart | null {
    const requirement = rules.ofType.get(type)
    return isUnmet(requirement) ? { coordinate: type, requirement, isRoot: false } : null
  }

  /** By the field's own directives, those of its type and, at the root, those of the root type. */
  function refusalOfField(type: string, name: string): RefusedPart | null {
    if (name.startsWith('__')) return null
    const parent = schema.getType(type)
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined
    if (!field) return null
    const isRoot = type === root?.name
    const requirement = [
      isRoot ? rules.ofType.get(type) : undefined,
      rules.ofField.get(`${type}.${name}`),
      rules.ofType.get(getNamedType(field.type).name),
    ].find(isUnmet)
    return requirement ? { coordinate: `${type}.${name}`, requirement, isRoot } : null
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

  /** Null where nothing is left. */
  function allowedIn(selectionSet: SelectionSetNode, parent: GraphQLCompositeType, isRoot: boolean): SelectionSetNode | null {
    const selections = selectionSet.selections.flatMap((selection) => allowedOf(selection, parent, isRoot))
    return selections.length > 0 ? { ...selectionSet, selections } : null
  }

  function allowedOf(selection: SelectionNode, parent: GraphQLCompositeType, isRoot: boolean): readonly SelectionNode[] {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return [selection]
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const condition = selection.typeCondition && schema.getType(selection.typeCondition.name.value)
      const type = isCompositeType(condition) ? condition : parent
      const part = type === root ? null : refusalOfType(type.name)
      if (part) {
        refuseAll(selection.selectionSet, part)
        return []
      }
      const selectionSet = allowedIn(selection.selectionSet, type, isRoot)
      return selectionSet ? [{ ...selection, selectionSet }] : []
    }
    const part = refusalOfField(parent.name, selection.name.value)
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

  function collectParts({ selections }: SelectionSetNode, rootKey: string | null, visited: Set<string>): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const key = rootKey ?? keyOf((selection.alias ?? selection.name).value)
        const part = refusedNodes.get(selection)
        if (part) parts.push({ rootKey: key, part })
        else if (selection.selectionSet) collectParts(selection.selectionSet, key, visited)
        continue
      }
      const fragment = fragmentOf(selection, fragments)
      if (!fragment) continue
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const name = `${rootKey ?? ''} ${selection.name.value}`
        if (visited.has(name)) continue
        visited.add(name)
      }
      const part = fragment.typeCondition && refusalOfType(fragment.typeCondition.name.value)
      if (part) parts.push({ rootKey: rootKey ?? '', part })
      else collectParts(fragment.selectionSet, rootKey, visited)
    }
  }

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

const TYPENAME: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }
/** Replaces a selection set whose fields are all refused: it may not be empty. */
const TYPENAME_ONLY: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: [TYPENAME] }
