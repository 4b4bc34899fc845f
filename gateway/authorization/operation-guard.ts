import {
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
  type SelectionSetNode,
} from 'graphql'
import type { AuthorizationRules, Requirement } from '../../platform/graphql/authorization-rules.ts'
import type { PlannedDocument } from '../executor/federated/planned-document.ts'
import { documentIndex, fragmentOf } from '../operations/document-index.ts'
import { removeRefused } from './allowed-document.ts'
import { createRefusalLookup, type RefusedPart } from './refused-part.ts'

/** The refused parts of one operation, for callers with the same unmet requirements. */
export type Refusals = {
  /** Cache key: indexes of the unmet requirements. */
  readonly key: string
  /** The refusal of the field at `nodes`, on an object of `type`; null when it may be read. */
  readonly ofField: (type: string, nodes: readonly FieldNode[]) => RefusedPart | null
  /** The refusal of all objects of a type; null when they may be read. */
  readonly ofType: (type: string) => RefusedPart | null
  /**
   * The operation without refused fields and without fragments on refused types; null when no root
   * field is left.
   */
  readonly allowed: DocumentNode | null
  /** Refused fields and fragments with the response keys of their root fields. */
  readonly parts: readonly { readonly rootKey: string; readonly part: RefusedPart }[]
}

/**
 * Requirements in an operation: of fields, of their types, and of possible types of abstract types.
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
 * The refused parts of an operation for these unmet requirements. Refused fields are removed before
 * planning; refused members of an abstract type are found during execution by the type name of an
 * object.
 */
export function refusalsOf(
  { document, operation, keyOf }: PlannedDocument,
  schema: GraphQLSchema,
  rules: AuthorizationRules,
  unmet: ReadonlySet<Requirement>,
): Refusals {
  const { fragments } = documentIndex(document)
  const root = schema.getRootType(operation.operation)
  if (!root) throw new Error(`Expected a schema with a ${operation.operation} type.`)
  const refusals = createRefusalLookup(schema, rules, unmet, root.name)
  const { allowed, refusedNodes } = removeRefused(document, root, schema, refusals)
  const parts: { rootKey: string; part: RefusedPart }[] = []
  collectParts(operation.selectionSet, null, new Set())

  return {
    key: [...unmet].map(({ index }) => index).join(),
    ofField(type, nodes) {
      for (const node of nodes) {
        const part = refusedNodes.get(node)
        if (part) return part
      }
      return refusals.ofField(type, nodes[0]?.name.value ?? '')
    },
    ofType: refusals.ofType,
    allowed,
    parts,
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
      const part = fragment.typeCondition && refusals.ofType(fragment.typeCondition.name.value)
      if (part) parts.push({ rootKey: rootKey ?? '', part })
      else collectParts(fragment.selectionSet, rootKey, visited)
    }
  }
}
