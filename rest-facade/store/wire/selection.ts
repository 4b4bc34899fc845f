import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
  typeFromAST,
} from 'graphql'

/** The selection of a document at one path of its response. */
export type Selected = {
  readonly type: GraphQLOutputType
  /** Fields by response key; empty for leaves. Of a union, those of `member`, or of all members. */
  readonly fields: (member?: GraphQLObjectType) => ReadonlyMap<string, Selected>
}

export type OperationVariable = { readonly type: GraphQLInputType; readonly isRequired: boolean }

/** An operation with the types of its schema. */
export type ReadDocument = {
  readonly operation: OperationDefinitionNode
  readonly root: Selected
  readonly variables: ReadonlyMap<string, OperationVariable>
}

/** Resolves the types of a valid document with one operation. */
export function readDocument(document: DocumentNode, schema: GraphQLSchema): ReadDocument {
  const fragments = new Map<string, FragmentDefinitionNode>()
  let operation: OperationDefinitionNode | undefined
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
    if (definition.kind === Kind.OPERATION_DEFINITION) operation = definition
  }
  const type = operation && schema.getRootType(operation.operation)
  if (!operation || !type) throw new Error('Expected a document with an operation.')

  const variables = new Map<string, OperationVariable>()
  for (const { variable, type: node, defaultValue } of operation.variableDefinitions ?? []) {
    // A valid document names input types.
    const input = typeFromAST(schema, node as Parameters<typeof typeFromAST>[1]) as GraphQLInputType
    variables.set(variable.name.value, { type: input, isRequired: node.kind === Kind.NON_NULL_TYPE && !defaultValue })
  }
  return { operation, root: selected(type, [operation.selectionSet]), variables }

  function selected(outputType: GraphQLOutputType, sets: readonly SelectionSetNode[]): Selected {
    const named = getNamedType(outputType)
    return { type: outputType, fields: (member) => (isCompositeType(named) ? fieldsIn(named, sets, member) : new Map()) }
  }

  function fieldsIn(
    type: GraphQLCompositeType,
    sets: readonly SelectionSetNode[],
    member: GraphQLObjectType | undefined,
  ): ReadonlyMap<string, Selected> {
    const found = new Map<string, { readonly type: GraphQLOutputType; readonly sets: SelectionSetNode[] }>()
    for (const set of sets) collect(type, set)
    return new Map([...found].map(([name, { type: own, sets: below }]) => [name, selected(own, below)]))

    function collect(parent: GraphQLCompositeType, { selections }: SelectionSetNode): void {
      for (const selection of selections) {
        if (selection.kind === Kind.FIELD) {
          note(parent, selection)
          continue
        }
        const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection
        const condition = fragment?.typeCondition && schema.getType(fragment.typeCondition.name.value)
        const narrowed = condition && isCompositeType(condition) ? condition : parent
        if (fragment && (!member || isOf(member, narrowed))) collect(narrowed, fragment.selectionSet)
      }
    }

    function note(parent: GraphQLCompositeType, field: FieldNode): void {
      const { value } = field.name
      const listed = 'getFields' in parent ? parent.getFields()[value] : undefined
      const definition = value === TypeNameMetaFieldDef.name ? TypeNameMetaFieldDef : listed
      if (!definition) return
      const name = (field.alias ?? field.name).value
      const known = found.get(name) ?? { type: definition.type, sets: [] }
      if (field.selectionSet) known.sets.push(field.selectionSet)
      found.set(name, known)
    }
  }

  function isOf(member: GraphQLObjectType, condition: GraphQLCompositeType): boolean {
    return isObjectType(condition) ? condition === member : isAbstractType(condition) && schema.isSubType(condition, member)
  }
}
