import type { FetchNode, PlanNode, QueryPlan, QueryPlanSelectionNode } from '@apollo/query-planner'
import {
  type DocumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionNode,
  type SelectionSetNode,
  stripIgnoredCharacters,
  visit,
} from 'graphql'
import { documentIndex, type Fragments } from '../operations/document-index.ts'
import { conflictBetween, type RequiredField, requiredFields, type TypesOverlap } from './required-fields.ts'
import type { FieldVariant } from './requires-arguments.ts'

/** Fields that a field of a type requires in a subgraph, relative to its object. */
export type RequirementsOf = (subgraph: string, type: string, field: string) => readonly RequiredField[]

export type FetchSeparation = {
  readonly variants: ReadonlyMap<string, FieldVariant>
  readonly keysOf: (subgraph: string, type: string) => readonly (readonly string[])[]
  readonly requirementsOf: RequirementsOf
  readonly overlap: TypesOverlap
}

/** A field of an entity fetch, with its enclosing type condition and `@skip`/`@include`. */
type EntityField = {
  readonly node: FieldNode
  readonly type: string
  /** `@skip` and `@include` as text; '' when the field is always fetched. */
  readonly condition: string
  readonly requires: readonly RequiredField[]
}

/**
 * Replaces variant fields by the subgraph's fields with arguments, under an alias. Splits an entity
 * fetch when its fields require different variants of one field, or when a conditional field
 * requires fields that are fetched under its condition only: without them no representation could
 * be built.
 */
export function separateFetches(plan: QueryPlan, separation: FetchSeparation): QueryPlan {
  const { variants } = separation
  if (!plan.node) return plan
  if (plan.node.kind !== 'Subscription') return { ...plan, node: separated(plan.node, separation) }
  const { primary, rest } = plan.node
  return {
    ...plan,
    node: {
      ...plan.node,
      primary: withArguments(primary, variants),
      ...(rest && { rest: separated(rest, separation) }),
    },
  }
}

function separated(node: PlanNode, separation: FetchSeparation): PlanNode {
  const inside = (each: PlanNode) => separated(each, separation)
  switch (node.kind) {
    case 'Fetch':
      return inTurn(fetchesOf(node, separation), node)
    case 'Flatten': {
      if (node.node.kind !== 'Fetch') return { ...node, node: inside(node.node) }
      return inTurn(
        fetchesOf(node.node, separation).map((fetch) => ({ ...node, node: fetch })),
        node.node,
      )
    }
    case 'Sequence':
    case 'Parallel':
      return { ...node, nodes: node.nodes.map(inside) }
    case 'Condition':
      return {
        ...node,
        ...(node.ifClause && { ifClause: inside(node.ifClause) }),
        ...(node.elseClause && { elseClause: inside(node.elseClause) }),
      }
    case 'Defer': {
      const withNode = <Part extends { node?: PlanNode }>(part: Part): Part => ({
        ...part,
        ...(part.node && { node: inside(part.node) }),
      })
      return { ...node, primary: withNode(node.primary), deferred: node.deferred.map(withNode) }
    }
  }
}

/**
 * Combines the fetches that replace one. With an `id`, deferred parts wait for the last fetch, so
 * they run in sequence.
 */
function inTurn(nodes: readonly PlanNode[], { id }: FetchNode): PlanNode {
  const [only] = nodes
  if (nodes.length === 1 && only) return only
  return id === undefined ? { kind: 'Parallel', nodes: [...nodes] } : { kind: 'Sequence', nodes: [...nodes] }
}

function fetchesOf(node: FetchNode, separation: FetchSeparation): readonly FetchNode[] {
  const { variants, overlap } = separation
  const all = node.requires && requiredFields(node.requires, variants)
  const isMixed = all && (CONDITION.test(node.operation) || conflictBetween(all, all, overlap) !== null)
  const parts = isMixed ? partsOf(node, separation) : [node]
  return parts.map((part) => withArguments(part, variants))
}

const CONDITION = /@(?:skip|include)\b/

/** Splits a fetch into one per group of fields that can share a representation. */
function partsOf(node: FetchNode, separation: FetchSeparation): readonly FetchNode[] {
  const document = parse(node.operation, { noLocation: true })
  const { operations, fragments } = documentIndex(document)
  const [operation] = operations
  const entities = operation?.selectionSet.selections[0]
  if (!operation || entities?.kind !== Kind.FIELD || !entities.selectionSet) return [node]
  const selections = inlined(entities.selectionSet, fragments)
  const fields = entityFields(selections, { type: '', condition: '' }, node.serviceName, separation)
  const groups = groupsOf(fields, separation.overlap)
  if (groups.length < 2) return [node]
  return groups.map((group, index) => {
    const ownFields = new Set(group.map((field) => field.node))
    const selectionSet: SelectionSetNode = {
      ...entities.selectionSet,
      kind: Kind.SELECTION_SET,
      selections: keep(selections, ownFields),
    }
    const own = withUsed(document, {
      ...operation,
      selectionSet: { ...operation.selectionSet, selections: [{ ...entities, selectionSet }] },
    })
    const { id, variableUsages = [], requires = [], ...rest } = node
    return {
      ...rest,
      ...(id !== undefined && index === groups.length - 1 && { id }),
      variableUsages: variableUsages.filter((name) => own.variables.has(name)),
      requires: requiresOf(requires, { group, fields, subgraph: node.serviceName }, separation),
      operation: stripIgnoredCharacters(print(own.document)),
    }
  })
}

/** Fields of entities; named fragments were inlined before. */
const entityFields = (
  selections: readonly SelectionNode[],
  around: Pick<EntityField, 'type' | 'condition'>,
  subgraph: string,
  separation: FetchSeparation,
): readonly EntityField[] =>
  selections.flatMap((selection) => {
    const condition = `${around.condition}${conditionText(selection)}`
    if (selection.kind === Kind.FIELD) {
      const requires = separation.requirementsOf(subgraph, around.type, selection.name.value)
      return [{ node: selection, type: around.type, condition, requires }]
    }
    if (selection.kind !== Kind.INLINE_FRAGMENT) return []
    const type = selection.typeCondition?.name.value ?? around.type
    return entityFields(selection.selectionSet.selections, { type, condition }, subgraph, separation)
  })

const conditionText = ({ directives = [] }: SelectionNode): string =>
  directives
    .map(print)
    .filter((text) => CONDITION.test(text))
    .join()

/** Assigns each field to the first group that it is compatible with. */
function groupsOf(fields: readonly EntityField[], overlap: TypesOverlap): readonly (readonly EntityField[])[] {
  const groups: EntityField[][] = []
  const fits = (field: EntityField) => (group: readonly EntityField[]) =>
    isRepresentedWith(field, group) &&
    group.every(({ type, requires }) => !overlap(type, field.type) || conflictBetween(requires, field.requires, overlap) === null)
  for (const field of fields) {
    if (field.node.name.value === '__typename') continue
    const group = groups.find(fits(field))
    if (group) group.push(field)
    else groups.push([field])
  }
  return groups
}

/** Whether a field's required fields are fetched whenever those of the group are. */
function isRepresentedWith({ condition, requires }: EntityField, group: readonly EntityField[]): boolean {
  const groupCondition = group[0]?.condition ?? ''
  if (condition === groupCondition) return true
  return (
    groupCondition === '' &&
    requires.every(({ path, key }) => group.some((other) => other.requires.some((one) => one.path === path && one.key === key)))
  )
}

/** The fields of a group and `__typename`, in their original fragments. */
const keep = (selections: readonly SelectionNode[], fields: ReadonlySet<FieldNode>): readonly SelectionNode[] =>
  selections.flatMap((selection): readonly SelectionNode[] => {
    if (selection.kind === Kind.FIELD) return fields.has(selection) || selection.name.value === '__typename' ? [selection] : []
    if (selection.kind !== Kind.INLINE_FRAGMENT) return []
    const inside = keep(selection.selectionSet.selections, fields)
    return inside.length === 0 ? [] : [{ ...selection, selectionSet: { ...selection.selectionSet, selections: inside } }]
  })

const inlined = ({ selections }: SelectionSetNode, fragments: Fragments): readonly SelectionNode[] =>
  selections.map((selection): SelectionNode => {
    if (selection.kind === Kind.FIELD) return selection
    const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)
    if (!fragment) return selection
    return {
      kind: Kind.INLINE_FRAGMENT,
      ...(fragment.typeCondition && { typeCondition: fragment.typeCondition }),
      ...(selection.directives && { directives: selection.directives }),
      selectionSet: { ...fragment.selectionSet, selections: inlined(fragment.selectionSet, fragments) },
    }
  })

/** The document with the fragments and variables used by an operation only. */
function withUsed(document: DocumentNode, operation: OperationDefinitionNode) {
  const { fragments } = documentIndex(document)
  const names = new Set<string>()
  const variables = new Set<string>()
  const note = (node: OperationDefinitionNode | SelectionSetNode): void => {
    visit(node, {
      VariableDefinition: () => false,
      Variable: ({ name }) => void variables.add(name.value),
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value)
        if (!fragment || names.has(name.value)) return
        names.add(name.value)
        note(fragment.selectionSet)
      },
    })
  }
  note(operation)
  const used = operation.variableDefinitions?.filter(({ variable }) => variables.has(variable.name.value)) ?? []
  const definitions = [...names].flatMap((name) => fragments.get(name) ?? [])
  return {
    variables,
    document: { ...document, definitions: [{ ...operation, variableDefinitions: used }, ...definitions] } satisfies DocumentNode,
  }
}

/** The `requires` of a group: keys, and the fields that its fields require. */
function requiresOf(
  requires: readonly QueryPlanSelectionNode[],
  fetch: { readonly group: readonly EntityField[]; readonly fields: readonly EntityField[]; readonly subgraph: string },
  { variants, overlap, keysOf }: FetchSeparation,
): QueryPlanSelectionNode[] {
  return prune(requires, '', '')

  function prune(selections: readonly QueryPlanSelectionNode[], path: string, type: string): QueryPlanSelectionNode[] {
    return selections.flatMap((selection): QueryPlanSelectionNode[] => {
      if (selection.kind === 'InlineFragment') {
        const inside = path === '' ? (selection.typeCondition ?? type) : type
        const pruned = prune(selection.selections, path, inside)
        return pruned.length === 0 ? [] : [{ ...selection, selections: pruned }]
      }
      const own = `${path}.${variants.get(selection.name)?.name ?? selection.name}`
      if (!isWanted(own, selection.name, type)) return []
      if (!selection.selections) return [selection]
      const pruned = prune(selection.selections, own, type)
      return pruned.length === 0 ? [] : [{ ...selection, selections: pruned }]
    })
  }

  function isWanted(path: string, key: string, type: string): boolean {
    const isRequiredBy = (fields: readonly EntityField[]) =>
      fields.some(
        (field) =>
          (type === '' || field.type === '' || overlap(field.type, type)) &&
          field.requires.some((required) => required.path === path && required.key === key),
      )
    if (isRequiredBy(fetch.group)) return true
    return !variants.has(key) && (!isRequiredBy(fetch.fields) || isInKey(path.split('.')[1] ?? '', type))
  }

  function isInKey(name: string, type: string): boolean {
    return keysOf(fetch.subgraph, type).some((key) => key.includes(name))
  }
}

/**
 * Replaces variants in a fetch by the subgraph's fields. In `requires`, an alias is the response
 * key to read.
 */
function withArguments(node: FetchNode, variants: ReadonlyMap<string, FieldVariant>): FetchNode {
  if (variants.size === 0) return node
  const planned = parse(node.operation, { noLocation: true })
  const document = visit(planned, {
    Field(field) {
      const variant = variants.get(field.name.value)
      if (!variant) return undefined
      return {
        ...field,
        alias: field.alias ?? field.name,
        name: { ...field.name, value: variant.name },
        arguments: [...variant.arguments, ...(field.arguments ?? [])],
      }
    },
  })
  const renamed = (selection: QueryPlanSelectionNode): QueryPlanSelectionNode => {
    if (selection.kind === 'InlineFragment') return { ...selection, selections: selection.selections.map(renamed) }
    const selections = selection.selections?.map(renamed)
    const variant = variants.get(selection.name)
    return { ...selection, ...(variant && { alias: selection.name, name: variant.name }), ...(selections && { selections }) }
  }
  return {
    ...node,
    ...(document !== planned && { operation: stripIgnoredCharacters(print(document)) }),
    ...(node.requires && { requires: node.requires.map(renamed) }),
  }
}
