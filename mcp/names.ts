import { type DocumentNode, Kind, type OperationDefinitionNode, type OperationTypeNode } from 'graphql'

/** The single, named operation of a tool's document. */
export function operationOf({ definitions }: DocumentNode): {
  readonly node: OperationDefinitionNode
  readonly name: string
  readonly kind: OperationTypeNode
} {
  const node = definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  if (!node?.name) throw new Error('Expected the document of a tool to hold an operation with a name.')
  return { node, name: node.name.value, kind: node.operation }
}
