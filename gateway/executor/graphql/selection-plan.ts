import {
  type FieldNode,
  type GraphQLField,
  GraphQLInt,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  SchemaMetaFieldDef,
  specifiedScalarTypes,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql'
import { collectSubfields } from 'graphql/execution/collectFields.js'
import { type LookupTable, lookupTable } from '../../../platform/collections/lookup-table.ts'
import { responseObjectClass } from '../response-object.ts'
import { argumentsOf } from './arguments.ts'
import { resolverOf } from './entity-resolver.ts'
import { countPlannedFields } from './plan-cache.ts'
import { visibleArguments } from './resolver-arity.ts'
import type { Completion, Field, Operation, Selection } from './selection.ts'

/** Plans the collected fields of a type. Leaves out unknown fields, as graphql-js does. */
export function selectionOf(
  { schema }: Operation,
  type: GraphQLObjectType,
  collected: ReadonlyMap<string, readonly FieldNode[]>,
): Selection {
  const fields: Field[] = []
  for (const [key, nodes] of collected) {
    const [node] = nodes
    const definition = node && definitionOf(schema, type, node.name.value)
    if (definition) fields.push(fieldOf(schema, key, definition, type, node, nodes))
  }
  countPlannedFields(fields.length)
  return { type, fields, ResponseObject: responseObjectClass(fields.length) }
}

/**
 * Plans the selection of `type` below `nodes`. The plan depends on variables of `@skip` and
 * `@include` only. Throws the error of graphql-js when such a variable has no value.
 */
export const subselectionOf = (
  operation: Operation,
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  variableValues: Readonly<Record<string, unknown>>,
): Selection =>
  // graphql-js declares a mutable array, but does not change it.

  selectionOf(
    operation,
    type,
    // `collectSubfields` declares a mutable array and does not change it.
    collectSubfields(operation.schema, operation.fragments, variableValues, type, nodes as FieldNode[]),
  )

function fieldOf(
  schema: GraphQLSchema,
  key: string,
  definition: GraphQLField<unknown, unknown>,
  parentType: GraphQLObjectType,
  node: FieldNode,
  nodes: readonly FieldNode[],
): Field {
  const named = getNamedType(definition.type)
  const resolve = resolverOf(definition, schema)
  const to = completionOf(definition.type, false)
  const visible = resolve ? visibleArguments(resolve) : 0
  return {
    key,
    definition,
    parentType,
    nodes,
    constant: definition === TypeNameMetaFieldDef ? parentType.name : undefined,
    resolve,
    property: !resolve && to.kind === 'leaf' && definition.args.length === 0 ? to : undefined,
    seesArguments: visible > 1,
    seesInfo: visible > 3,
    argumentsOf: argumentsOf(definition, node),
    typeNeedsInfo: isAbstractType(named) ? named.resolveType !== undefined : isObjectType(named) && named.isTypeOf !== undefined,
    to,
  }
}

function completionOf(type: GraphQLOutputType, isNonNull: boolean): Completion {
  if (isNonNullType(type)) return completionOf(type.ofType, true)
  if (isListType(type)) return { kind: 'list', isNonNull, item: completionOf(type.ofType, false) }
  if (isLeafType(type)) {
    const primitive = ORIGINAL_SERIALIZE.get(type) === type.serialize ? PRIMITIVES[type.name] : undefined
    return { kind: 'leaf', isNonNull, type, primitive, isInteger: type === GraphQLInt }
  }
  if (isAbstractType(type)) return { kind: 'abstract', isNonNull, type, selections: new Map() }
  return { kind: 'object', isNonNull, type, selection: undefined }
}

/** `serialize` of the specified scalars returns values of these types unchanged. */
const PRIMITIVES: LookupTable<'string' | 'boolean' | 'number'> = lookupTable({
  String: 'string',
  ID: 'string',
  Boolean: 'boolean',
  Int: 'number',
  Float: 'number',
})
/**
 * Original `serialize` functions, to detect programs that replace them; those are always called.
 */
const ORIGINAL_SERIALIZE = new Map<GraphQLLeafType, unknown>(specifiedScalarTypes.map((type) => [type, type.serialize]))

function definitionOf(schema: GraphQLSchema, type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef
  if (type === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef
  }
  return type.getFields()[name]
}
