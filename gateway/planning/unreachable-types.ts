import { type DocumentNode, isTypeDefinitionNode, Kind, type TypeDefinitionNode, type TypeNode } from 'graphql'

type Marked = { readonly directives?: TypeDefinitionNode['directives'] }

/**
 * Types that no root field reaches through accessible elements: result types, arguments, input
 * fields, implementations and members of abstract types, and interfaces.
 */
export function unreachableTypes(document: DocumentNode, inaccessible: string): ReadonlySet<string> {
  const types = new Map<string, TypeDefinitionNode>()
  const roots = new Set(['Query', 'Mutation', 'Subscription'])
  for (const definition of document.definitions) {
    if (definition.kind === Kind.SCHEMA_DEFINITION) {
      roots.clear()
      for (const { type } of definition.operationTypes) roots.add(type.name.value)
    } else if (isTypeDefinitionNode(definition)) types.set(definition.name.value, definition)
  }
  const isHidden = ({ directives = [] }: Marked) => directives.some(({ name }) => name.value === inaccessible)
  const implementations = implementationsIn(types)
  const reached = new Set<string>()
  const waiting = [...roots]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const type = types.get(name)
    if (!type || reached.has(name) || isHidden(type)) continue
    reached.add(name)
    waiting.push(...referencesOf(type, isHidden), ...(implementations.get(name) ?? []))
  }
  // Types with a prefix, such as join__Graph, belong to specifications and are not visible to
  // clients.
  return new Set([...types.keys()].filter((name) => !reached.has(name) && !name.includes('__')))
}

function referencesOf(type: TypeDefinitionNode, isHidden: (node: Marked) => boolean): readonly string[] {
  switch (type.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION: {
      const fields = (type.fields ?? []).filter((field) => !isHidden(field))
      const parameters = fields.flatMap(({ arguments: given = [] }) => given.filter((each) => !isHidden(each)))
      return [
        ...[...fields, ...parameters].map((each) => nameOf(each.type)),
        ...(type.interfaces ?? []).map(({ name }) => name.value),
      ]
    }
    case Kind.UNION_TYPE_DEFINITION:
      return (type.types ?? []).map(({ name }) => name.value)
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return (type.fields ?? []).filter((field) => !isHidden(field)).map((field) => nameOf(field.type))
    default:
      return []
  }
}

function implementationsIn(types: ReadonlyMap<string, TypeDefinitionNode>): ReadonlyMap<string, readonly string[]> {
  const implementations = new Map<string, string[]>()
  for (const [name, type] of types) {
    if (!('interfaces' in type)) continue
    for (const { name: each } of type.interfaces ?? [])
      implementations.set(each.value, [...(implementations.get(each.value) ?? []), name])
  }
  return implementations
}

const nameOf = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type))
