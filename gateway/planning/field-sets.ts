import { type ASTNode, type DirectiveNode, type DocumentNode, Kind, parse, visit } from 'graphql'
import type { TypeTest } from '../executor/federated/response-data.ts'
import { findRequiresConflict, type RequiredArguments, type RequiresConflict, requiredArguments } from './requires-arguments.ts'

/** What a supergraph says of keys, and of what fields require and provide. */
export type FieldSets = {
  /**
   * The names of all fields that it speaks of. Plans ask for them under these names whenever they
   * need them.
   */
  readonly names: ReadonlySet<string>
  /**
   * The keys by which a subgraph finds objects of a type, each as the names of its fields; also
   * those of the interfaces that the type has.
   */
  readonly keysOf: (subgraph: string, typename: string) => readonly (readonly string[])[]
  /**
   * Two fields of the same objects whose `@requires` need different arguments; null for none.
   * `fieldsByPath`: `Type.field` by the path of the objects.
   */
  readonly conflictIn: (fieldsByPath: ReadonlyMap<string, readonly string[]>) => RequiresConflict | null
}

type Key = { readonly graph: string; readonly type: string; readonly fields: readonly string[] }

/** Reads the field sets of a supergraph's SDL. */
export function fieldSetsIn(supergraph: DocumentNode, isOf: TypeTest): FieldSets {
  const names = new Set<string>()
  const keys: Key[] = []
  const graphs = new Map<string, string>()
  const argumentsOf = new Map<string, RequiredArguments>()

  visit(supergraph, {
    EnumValueDefinition({ name, directives = [] }) {
      for (const directive of named('join__graph', directives)) graphs.set(argument(directive, 'name'), name.value)
    },
    ObjectTypeDefinition: {
      enter(type) {
        noteKeys(type)
        for (const { name, directives = [] } of type.fields ?? []) noteArguments(`${type.name.value}.${name.value}`, directives)
      },
    },
    InterfaceTypeDefinition: { enter: noteKeys },
    FieldDefinition({ directives = [] }) {
      for (const directive of named('join__field', directives)) {
        for (const name of ['requires', 'provides']) note(fieldsIn(argument(directive, name)))
        for (const selection of contextSelections(directive)) note(fieldsIn(selection))
      }
    },
  })
  return {
    names,
    keysOf: (subgraph, typename) =>
      keys.filter(({ graph, type }) => graph === graphs.get(subgraph) && isOf(typename, type)).map(({ fields }) => fields),
    conflictIn: (fieldsByPath) => (argumentsOf.size < 2 ? null : findRequiresConflict(argumentsOf, fieldsByPath)),
  }

  function noteKeys({ name, directives = [] }: { name: { value: string }; directives?: readonly DirectiveNode[] }): void {
    for (const directive of named('join__type', directives)) {
      const set = fieldsIn(argument(directive, 'key'))
      note(set)
      const isResolvable = argument(directive, 'resolvable') !== 'false'
      if (set && isResolvable) keys.push({ graph: argument(directive, 'graph'), type: name.value, fields: topLevel(set) })
    }
  }

  function noteArguments(field: string, directives: readonly DirectiveNode[]): void {
    for (const directive of named('join__field', directives)) {
      const set = fieldsIn(argument(directive, 'requires'))
      const required = set && requiredArguments(set)
      if (required && required.size > 0) argumentsOf.set(field, required)
    }
  }

  function note(set: ASTNode | null): void {
    if (set) visit(set, { Field: ({ name }) => void names.add(name.value) })
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
