import { type ASTNode, type DirectiveNode, type DocumentNode, Kind, parse, visit } from 'graphql'
import type { TypeTest } from '../executor/federated/response-data.ts'

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
}

type Key = { readonly graph: string; readonly type: string; readonly fields: readonly string[] }

/** Reads the field sets of a supergraph's SDL. */
export function fieldSetsIn(supergraph: DocumentNode, isOf: TypeTest): FieldSets {
  const names = new Set<string>()
  const keys: Key[] = []
  const graphs = new Map<string, string>()

  visit(supergraph, {
    EnumValueDefinition({ name, directives = [] }) {
      for (const directive of named('join__graph', directives)) graphs.set(argument(directive, 'name'), name.value)
    },
    ObjectTypeDefinition: { enter: noteKeys },
    InterfaceTypeDefinition: { enter: noteKeys },
    FieldDefinition({ directives = [] }) {
      for (const directive of named('join__field', directives)) {
        for (const name of ['requires', 'provides']) note(fieldsIn(argument(directive, name)))
      }
    },
  })
  return {
    names,
    keysOf: (subgraph, typename) =>
      keys.filter(({ graph, type }) => graph === graphs.get(subgraph) && isOf(typename, type)).map(({ fields }) => fields),
  }

  function noteKeys({ name, directives = [] }: { name: { value: string }; directives?: readonly DirectiveNode[] }): void {
    for (const directive of named('join__type', directives)) {
      const set = fieldsIn(argument(directive, 'key'))
      note(set)
      const isResolvable = argument(directive, 'resolvable') !== 'false'
      if (set && isResolvable) keys.push({ graph: argument(directive, 'graph'), type: name.value, fields: topLevel(set) })
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

const fieldsIn = (text: string) => (text === '' ? null : parse(`{${text}}`, { noLocation: true }))

const topLevel = ({ definitions }: ReturnType<typeof parse>): readonly string[] =>
  definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? definition.selectionSet.selections.flatMap((one) => (one.kind === Kind.FIELD ? [one.name.value] : []))
      : [],
  )
