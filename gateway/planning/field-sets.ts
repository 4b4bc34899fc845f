import type { QueryPlanSelectionNode } from '@apollo/query-planner'
import { type ASTNode, type DirectiveNode, type DocumentNode, Kind, parse, visit } from 'graphql'
import type { TypeTest } from '../executor/federated/response-data.ts'
import { plannerLibrary } from './planner-library.ts'
import { conflictBetween, type RequiredField, requiredFields, type TypesOverlap } from './required-fields.ts'
import type { SeparatedArguments } from './requires-arguments.ts'

/** What a supergraph says of keys, and of what fields require and provide. */
export type FieldSets = {
  /**
   * All fields that it speaks of, by the response keys under which plans ask for them whenever they
   * need them.
   */
  readonly names: ReadonlyMap<string, string>
  /**
   * The keys by which a subgraph finds objects of a type, each as the names of its fields; also
   * those of the interfaces that the type has.
   */
  readonly keysOf: (subgraph: string, typename: string) => readonly (readonly string[])[]
  /** What a field of a type requires in a subgraph: below its object, of each type that it may have. */
  readonly requirementsOf: (subgraph: string, type: string, field: string) => readonly RequiredField[]
  /**
   * The path of a field that the `requires` of one fetch needs with different arguments; null for
   * none.
   */
  readonly conflictIn: (requires: readonly QueryPlanSelectionNode[]) => string | null
}

type Requirement = {
  readonly graph: string
  readonly type: string
  readonly field: string
  /** Read when the first operation is planned. */
  readonly fields: () => readonly RequiredField[]
}

type Key = { readonly graph: string; readonly type: string; readonly fields: readonly string[] }

/** Reads the field sets of a supergraph with separated arguments. */
export function fieldSetsIn(
  { document: supergraph, variants }: SeparatedArguments,
  isOf: TypeTest,
  overlap: TypesOverlap,
): FieldSets {
  const names = new Map<string, string>()
  const keys: Key[] = []
  const graphs = new Map<string, string>()
  const requirements: Requirement[] = []

  // Not by `visit`, which also enters every name, argument and type: 40 ms of a start.
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

/** The text of an argument; empty where there is none. */
function argument({ arguments: given = [] }: DirectiveNode, wanted: string): string {
  const value = given.find(({ name }) => name.value === wanted)?.value
  return value && 'value' in value ? String(value.value) : ''
}

/** The selections of `contextArguments`, such as `{ locale }` or `... on User { locale }`. */
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
