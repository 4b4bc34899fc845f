import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLFieldResolver,
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
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  specifiedScalarTypes,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql'
import { collectSubfields } from 'graphql/execution/collectFields.js'
import { type LookupTable, lookupTable } from '../../../platform/collections/lookup-table.ts'
import { type ResponseObjectClass, responseObjectClass } from '../response-object.ts'
import { type ArgumentsOf, argumentsOf } from './arguments.ts'
import { resolverOf } from './entity-resolver.ts'
import { countPlannedFields } from './plan-cache.ts'
import { visibleArguments } from './resolver-arity.ts'

/** What every run of one operation shares. */
export type Operation = {
  readonly schema: GraphQLSchema
  readonly node: OperationDefinitionNode
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>
}

/** What is asked of an object of one type: its fields, one per response key, in the order of the answer. */
export type Selection = {
  readonly type: GraphQLObjectType
  readonly fields: readonly Field[]
  readonly Answer: ResponseObjectClass
}

/** A field that is asked, under one response key. */
export type Field = {
  readonly key: string
  readonly definition: GraphQLField<unknown, unknown>
  readonly parentType: GraphQLObjectType
  /** Every place of the document that asks it. Their arguments are equal; their selections are merged. */
  readonly nodes: readonly FieldNode[]
  /** What is known before the operation runs: `__typename`. */
  readonly constant: string | undefined
  /** Undefined for a property of the parent. */
  readonly resolve: GraphQLFieldResolver<unknown, unknown> | undefined
  /** What the values of such a property become where they are leaves and it takes no arguments; undefined for all other fields. */
  readonly property: CompletionOf<'leaf'> | undefined
  /** Whether it can see its second argument, and its fourth: `info` is larger than most objects of an answer. */
  readonly seesArguments: boolean
  readonly seesInfo: boolean
  /** Undefined for a field that takes none. */
  readonly argumentsOf: ArgumentsOf | undefined
  /** Whether the type of its values is found by functions that are given `info`: one for all items of a list. */
  readonly typeNeedsInfo: boolean
  readonly to: Completion
}

/** What a resolved value becomes. Selections are filled in when they are first needed. */
export type Completion = { readonly isNonNull: boolean } & (
  | {
      readonly kind: 'leaf'
      readonly type: GraphQLLeafType
      /** The `typeof` of values that `serialize` is known to return as they are, if they are numbers with a range besides. */
      readonly primitive: 'string' | 'boolean' | 'number' | undefined
      readonly isInteger: boolean
    }
  | { readonly kind: 'list'; readonly item: Completion }
  | { readonly kind: 'object'; readonly type: GraphQLObjectType; selection: Selection | undefined }
  | { readonly kind: 'abstract'; readonly type: GraphQLAbstractType; readonly selections: Map<string, Selection> }
)
export type CompletionOf<Kind extends Completion['kind']> = Extract<Completion, { readonly kind: Kind }>

/** Plans the fields that were collected for objects of `type`. A field that the type does not have is left out, as graphql-js does. */
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
  return { type, fields, Answer: responseObjectClass(fields.length) }
}

/**
 * Plans what is asked below `nodes` of objects of `type`. The same for every run in which the variables of `@skip` and `@include` have the same values.
 * Throws what graphql-js throws when such a variable has no value.
 */
export const subselectionOf = (
  operation: Operation,
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  variableValues: Readonly<Record<string, unknown>>,
): Selection =>
  // graphql-js' declarations ask for mutable types and leave their arguments alone.
  selectionOf(
    operation,
    type,
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
    const primitive = PRISTINE.get(type) === type.serialize ? PRIMITIVES[type.name] : undefined
    return { kind: 'leaf', isNonNull, type, primitive, isInteger: type === GraphQLInt }
  }
  if (isAbstractType(type)) return { kind: 'abstract', isNonNull, type, selections: new Map() }
  return { kind: 'object', isNonNull, type, selection: undefined }
}

/** What the scalars of the specification make of values that have the right type already: nothing. */
const PRIMITIVES: LookupTable<'string' | 'boolean' | 'number'> = lookupTable({
  String: 'string',
  ID: 'string',
  Boolean: 'boolean',
  Int: 'number',
  Float: 'number',
})
/** Programs do replace the serialisation of these types; theirs counts then. */
const PRISTINE = new Map<GraphQLLeafType, unknown>(specifiedScalarTypes.map((type) => [type, type.serialize]))

function definitionOf(schema: GraphQLSchema, type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef
  if (type === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef
  }
  return type.getFields()[name]
}
