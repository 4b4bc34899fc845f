import type { QueryPlanSelectionNode } from '@apollo/query-planner'
import { type ASTNode, type DirectiveNode, type DocumentNode, Kind, parse, visit } from 'graphql'
import type { TypeTest } from '../executor/federated/response-data.ts'
import { plannerLibrary } from './planner-library.ts'
import { conflictBetween, type RequiredField, requiredFields, type TypesOverlap } from './required-fields.ts'
import type { SeparatedArguments } from './requires-arguments.ts'

/** Keys, required and provided fields of a supergraph (`@key`, `@requires`, `@provides`). */
export type FieldSets = {
  /** Fields in these field sets by their response keys, under which plans select them. */
  readonly names: ReadonlyMap<string, string>
  /**
   * `@key`s of a type in a subgraph, each as a list of field names; includes those of its
   * interfaces.
   */
  readonly keysOf: (subgraph: string, typename: string) => readonly (readonly string[])[]
  /** Fields that a field requires in a subgraph, for each possible type of its object. */
  readonly requirementsOf: (subgraph: string, type: string, field: string) => readonly RequiredField[]
  /**
   * Path of a field that one fetch's `requires` would need with two different arguments; null for
   * none.
   */
  readonly conflictIn: (requires: readonly QueryPlanSelectionNode[]) => string | null
}

type Requirement = {
  readonly graph: string
  readonly type: string
  readonly field: string
  /** Parsed when the first operation is planned. */
  readonly fields: () => readonly RequiredField[]
}

type Key = { readonly graph: string; readonly type: string; readonly fields: readonly string[] }

/** Reads the field sets of a supergraph whose field arguments were separated into variants. */
export function fieldSetsIn(
  { document: supergraph, variants }: SeparatedArguments,
  isOf: TypeTest,
  overlap: TypesOverlap,
): FieldSets {
  const names = new Map<string, string>()
  const keys: Key[] = []
  const graphs = new Map<string, string>()
  const requirements: Requirement[] = []

  // Direct loops instead of `visit`, which enters every node and takes 40 ms at start.
  for (const definition of supergraph.definitions) {
    if (definition.kind === Kind.ENUM_TYPE_DEFINITION) {
      for (const { name, directives = [] } of definition.values ?? []) {
        for (const directive of named('join__graph', directives)) graphs.set(argument(directive, 'name'), name.value)
      }
    }
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue
    noteKeys(definition)
    for (const { name, directives = [] } of definition.fields ?? []) {
      if (definition.kind === Kind.OBJECT_TYPE_DEFINITION) noteRequirements(definition.name.value, name.value, directives)
      noteFields(directives)
    }
  }
  return {
    names,
    keysOf: (subgraph, typename) =>
      keys.filter(({ graph, type }) => graph === graphs.get(subgraph) && isOf(typename, type)).map(({ fields }) => fields),
    requirementsOf: (subgraph, type, field) =>
      requirements
        .filter((one) => one.field === field && one.graph === graphs.get(subgraph) && overlap(one.type, type))
        .flatMap(({ fields }) => fields()),
    conflictIn(requires) {
      if (variants.size === 0) return null
      const fields = requiredFields(requires, variants)
      return conflictBetween(fields, fields, overlap)
    },
  }

  function noteKeys({ name, directives = [] }: { name: { value: string }; directives?: readonly DirectiveNode[] }): void {
    for (const directive of named('join__type', directives)) {
      const set = fieldsIn(argument(directive, 'key'))
      note(set)
      const isResolvable = argument(directive, 'resolvable') !== 'false'
      if (set && isResolvable) keys.push({ graph: argument(directive, 'graph'), type: name.value, fields: topLevel(set) })
    }
  }

  function noteFields(directives: readonly DirectiveNode[]): void {
    for (const directive of named('join__field', directives)) {
      for (const name of ['requires', 'provides']) note(fieldsIn(argument(directive, name)))
      for (const selection of contextSelections(directive)) note(fieldsIn(selection))
    }
  }

  function noteRequirements(type: string, field: string, directives: readonly DirectiveNode[]): void {
    for (const directive of named('join__field', directives)) {
      const set = fieldsIn(argument(directive, 'requires'))
      if (!set) continue
      let fields: readonly RequiredField[] | null = null
      requirements.push({
        graph: argument(directive, 'graph'),
        type,
        field,
        fields() {
          fields ??= fieldsOf(set)
          return fields
        },
      })
    }
  }

  function fieldsOf({ definitions }: DocumentNode): readonly RequiredField[] {
    const { trimSelectionNodes } = plannerLibrary()
    return definitions.flatMap((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION
        ? requiredFields(trimSelectionNodes(definition.selectionSet.selections), variants)
        : [],
    )
  }

  function note(set: ASTNode | null): void {
    if (set) visit(set, { Field: ({ name: { value } }) => void names.set(value, variants.get(value)?.name ?? value) })
  }
}

const named = (name: string, directives: readonly DirectiveNode[]) => directives.filter((one) => one.name.value === name)

/** Text of an argument; '' when absent. */
function argument({ arguments: given = [] }: DirectiveNode, wanted: string): string {
  const value = given.find(({ name }) => name.value === wanted)?.value
  return value && 'value' in value ? String(value.value) : ''
}

/** Field sets in `contextArguments`, such as `{ locale }` or `... on User { locale }`. */
function contextSelections({ arguments: given = [] }: DirectiveNode): readonly string[] {
  const selections: string[] = []
  const contexts = given.find(({ name }) => name.value === 'contextArguments')
  if (contexts) {
    visit(contexts, {
      ObjectField({ name, value }) {
        if (name.value === 'selection' && value.kind === Kind.STRING)
          selections.push(value.value.trim().replace(/^\{(.*)\}$/s, '$1'))
      },
    })
  }
  return selections
}

const fieldsIn = (text: string) => (text === '' ? null : parse(`{${text}}`, { noLocation: true }))

const topLevel = ({ definitions }: ReturnType<typeof parse>): readonly string[] =>
  definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? definition.selectionSet.selections.flatMap((one) => (one.kind === Kind.FIELD ? [one.name.value] : []))
      : [],
  )
