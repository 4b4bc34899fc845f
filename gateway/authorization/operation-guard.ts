import {
  type DefinitionNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
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

/** A part of an operation that this caller may not read: what is demanded, and of what, as `Type` or `Type.field`. */
export type RefusedPart = { readonly coordinate: string; readonly requirement: Requirement; readonly isRoot: boolean }

/** The parts of one operation that one kind of caller may not read. */
export type Refusals = {
  /** The same text for equal refusals: the requirements that are not met. */
  readonly key: string
  /** The refusal of a field that stands at `nodes` and was found at an object of `type`; null for one that may be read. */
  readonly ofField: (type: string, nodes: readonly FieldNode[]) => RefusedPart | null
  /** The refusal of every object of a type; null for one that may be read. */
  readonly ofType: (type: string) => RefusedPart | null
  /** The operation without refused fields and without fragments on refused types; null where nothing is left of the root. */
  readonly allowed: DocumentNode | null
  /** Every refused field and fragment of the document, with the key of the root field that it stands below. */
  readonly parts: readonly { readonly rootKey: string; readonly part: RefusedPart }[]
}

/** Requirements that anything in an operation has: of fields, of their types, and of every type that an abstract one may be. */
export function requirementsIn(
  { document, operation }: { readonly document: DocumentNode; readonly operation: OperationDefinitionNode },
  schema: GraphQLSchema,
  { ofType, ofField }: AuthorizationRules,
): readonly Requirement[] {
  const found = new Set<Requirement>()
  const fragments = fragmentsOf(document)
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
        const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection
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
 * Works out once what a caller who does not meet `unmet` is refused of an operation. Refused fields are taken out of what
 * subgraphs are asked; of an abstract type, members are refused when an object turns out to be one.
 */
export function refusalsOf(
  { document, operation, keyOf }: PlannedDocument,
  schema: GraphQLSchema,
  rules: AuthorizationRules,
  unmet: ReadonlySet<Requirement>,
): Refusals {
  const fragments = fragmentsOf(document)
  const refusedNodes = new Map<FieldNode, RefusedPart>()
  const parts: { rootKey: string; part: RefusedPart }[] = []
  const root = schema.getRootType(operation.operation)
  if (!root) throw new Error(`Expected a schema with a ${operation.operation} type.`)
  const rootRefusal = refusalOfType(root.name)

  const definitions = document.definitions.map((definition): DefinitionNode => {
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      return { ...definition, selectionSet: allowedIn(definition.selectionSet, root, true) ?? NOTHING }
    }
    if (definition.kind !== Kind.FRAGMENT_DEFINITION) return definition
    const type = schema.getType(definition.typeCondition.name.value)
    if (!isCompositeType(type)) return definition
    const part = type === root ? null : refusalOfType(type.name)
    if (part) refuseAll(definition.selectionSet, part)
    const selectionSet = part ? null : allowedIn(definition.selectionSet, type, type === root)
    return { ...definition, selectionSet: selectionSet ?? NOTHING }
  })
  collectParts(operation.selectionSet, null, new Set())
  const first = definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION)
  const hasRoot = !rootRefusal && first?.kind === Kind.OPERATION_DEFINITION && asksFields(first.selectionSet)

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
   * Refuses every field that is asked through a refused type: of an interface, objects of types that may be read are asked so as
   * well. Fields of a fragment that is spread here are refused wherever else it is spread: nothing of them is fetched.
   */
  function refuseAll({ selections }: SelectionSetNode, part: RefusedPart, visited = new Set<string>()): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        if (!selection.name.value.startsWith('__')) refusedNodes.set(selection, part)
        continue
      }
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection
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
    return [{ ...selection, selectionSet: allowedIn(selection.selectionSet, target, false) ?? NOTHING }]
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
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection
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

  function asksFields({ selections }: SelectionSetNode): boolean {
    return selections.some((selection) => {
      if (selection.kind === Kind.FIELD) return selection !== TYPENAME
      if (selection.kind === Kind.INLINE_FRAGMENT) return asksFields(selection.selectionSet)
      const found = definitions.find(
        (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value,
      )
      return found?.kind === Kind.FRAGMENT_DEFINITION && asksFields(found.selectionSet)
    })
  }
}

const TYPENAME: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }
/** Stands where every field was refused: a selection may not be empty. */
const NOTHING: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: [TYPENAME] }

function fragmentsOf({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  return new Map(
    definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
    ),
  )
}
