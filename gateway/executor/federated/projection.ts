import {
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLError,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import type { RefusedPart } from '../../authorization/refused-part.ts'
import { documentIndex } from '../../operations/document-index.ts'
import { responseObjectClass } from '../response-object.ts'
import { type ExclusivePaths, withoutListSegments } from './exclusive-paths.ts'
import type { ResponsePath } from './flatten-path.ts'
import {
  type Complete,
  completeByType,
  completeLeaf,
  completeList,
  completeObject,
  completeShared,
  type OperationVariables,
  type ProjectedField,
  type ProjectedSelection,
  type ProjectionRun,
  type Refuse,
  type ReportError,
  refuseAt,
} from './project-value.ts'
import type { Data } from './response-data.ts'
import { fieldsOfType, type IsIncluded, type RuntimeType, runtimeTypeOf } from './runtime-type.ts'
import { SIMPLE } from './scalar-checks.ts'

/**
 * Cuts response data to the client's selection; null when a null propagated to the root. With
 * `canReuse`, data at exclusive paths is changed in place and becomes part of the result: no
 * object of it may stand at two response paths, other than at shared paths.
 */
export type Projection = (
  data: Data,
  variables: OperationVariables,
  report: ReportError,
  canReuse: boolean,
  refuse?: Refuse,
  /** The path of `data` in the response; absent: the root. */
  at?: ResponsePath,
) => Data | null

/** The refused parts of an operation: fields of objects of a type, and all objects of a type. */
export type RefusedParts = {
  readonly ofField: (type: string, nodes: readonly FieldNode[]) => RefusedPart | null
  readonly ofType: (type: string) => RefusedPart | null
}

/** Resolves `__schema` and `__type` from the API schema; `errors` are about the client's input. */
export type ResolveSchemaFields = (nodes: readonly FieldNode[]) => (variables: OperationVariables) => {
  readonly value: unknown
  readonly errors: readonly GraphQLError[]
}

/** The operation that responses are cut to, and what is known about its response data. */
export type ProjectedOperation = {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  /** The client's key, by the plan's. */
  readonly keyOf: (key: string) => string
  readonly isIncluded: IsIncluded
  readonly resolveSchemaFields: ResolveSchemaFields
  /** Paths to objects that may stand at several response paths, as `pathText` writes them. */
  readonly sharedPaths: ReadonlySet<string>
  /** The paths whose data may be changed in place. */
  readonly exclusive: ExclusivePaths
  /** What the caller may not read, which is null with an error; null for nothing. */
  readonly refused?: RefusedParts | null
  /** The type of the objects that are projected; null for the root of the operation. */
  readonly parent?: GraphQLCompositeType | null
}

/**
 * Compiles a projection: fields in the order of the operation, nulls propagated to the nearest
 * nullable value (GraphQL specification, October 2021, section 6). Values outside of exclusive
 * paths are untrusted: leaves and types of objects are checked.
 */
export function compileProjection({
  schema,
  document,
  operation,
  keyOf,
  isIncluded,
  resolveSchemaFields,
  sharedPaths,
  exclusive,
  refused = null,
  parent = null,
}: ProjectedOperation): Projection {
  const { fragments } = documentIndex(document)
  const root = schema.getRootType(operation.operation)
  if (!root) throw new Error(`Expected a schema with a ${operation.operation} type.`)
  const completeRoot = parent
    ? completeComposite(parent, [operation.selectionSet], ROOT_POSITION)
    : completeWith(selectionOf(root, [operation.selectionSet], ROOT_POSITION))

  return (data, variables, report, canReuse, refuse = () => {}, at = []) => {
    const path = [...at]
    const run: ProjectionRun = { path, report, refuse, variables, canReuse, sharedDepth: 0, faults: [], projected: null }
    // `completeObject` returns an object of `ResponseObject`, `data` itself, or undefined.
    return (completeRoot(data, run, at.length) as Data | undefined) ?? null
  }

  /** The fields of an object of this type, each with all selection sets below it. */
  function selectionOf(type: RuntimeType, selectionSets: readonly SelectionSetNode[], position: Position): ProjectedSelection {
    const groups = fieldsOfType(type, selectionSets, schema, fragments, isIncluded)
    const fields = [...groups].map(([from, nodes]) => fieldOf(type, from, nodes, position))
    return {
      fields,
      ResponseObject: responseObjectClass(fields.length),
      incomplete: hasSameKeys(fields, exclusiveKeysAt(position)) ? fields.filter(({ isSimple }) => !isSimple) : null,
    }
  }

  /** The keys of an object at an exclusive path; undefined where the path is not exclusive. */
  function exclusiveKeysAt({ path, isPlain }: Position): ReturnType<ExclusivePaths['get']> {
    return isPlain || sharedPaths.size === 0 ? exclusive.get(withoutListSegments(path)) : undefined
  }

  function fieldOf(type: RuntimeType, from: string, nodes: readonly FieldNode[], parent: Position): ProjectedField {
    const name = nodes[0]?.name.value ?? ''
    const described = { from, key: keyOf(from), name: `${type.name}.${name}`, isSimple: false }
    if (name === '__typename') return { ...described, isNullable: false, complete: typenameOf(type) }
    if (type === schema.getQueryType() && (name === '__schema' || name === '__type')) {
      return { ...described, isNullable: name === '__type', complete: completeSchemaField(resolveSchemaFields(nodes)) }
    }
    const definition = type.getFields()[name]
    if (!definition) throw new Error(`Expected a field ${described.name}.`)
    const selectionSets = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
    const isNullable = !isNonNullType(definition.type)
    const part = refused?.ofField(type.name, nodes)
    if (part) return { ...described, isNullable, complete: (_, run, depth) => refuseAt(part, run, depth) }
    const position = { ...parent, path: parent.path === '' ? from : `${parent.path}.${from}` }
    const complete = completeOf(definition.type, selectionSets, described.name, position)
    return { ...described, isNullable, complete, isSimple: SIMPLE.has(getNamedType(definition.type).name) }
  }

  function completeOf(
    type: GraphQLOutputType,
    selectionSets: readonly SelectionSetNode[],
    name: string,
    position: Position,
  ): Complete {
    if (isNonNullType(type)) return completeOf(type.ofType, selectionSets, name, position)
    if (isListType(type)) {
      const { ofType } = type
      const complete = completeOf(ofType, selectionSets, name, { ...position, path: `${position.path}.@` })
      return completeList(complete, !isNonNullType(ofType), name, exclusiveKeysAt(position) !== undefined)
    }
    return isCompositeType(type) ? completeComposite(type, selectionSets, position) : completeLeaf(type)
  }

  function completeComposite(
    declared: GraphQLCompositeType,
    selectionSets: readonly SelectionSetNode[],
    outer: Position,
  ): Complete {
    const position = { ...outer, isPlain: outer.isPlain && isObjectType(declared) }
    const complete = sharedPaths.has(position.path) ? completeShared : completeObject
    // One selection per type, whether or not objects have a type name: a reused object must be
    // completed by one selection only.
    const selections = new Map<RuntimeType, ProjectedSelection>()
    return completeByType(declared.name, complete, refused?.ofType ?? null, (typename) => {
      const type = runtimeTypeOf(schema, declared, typename)
      // Types of the schema only: a subgraph may respond with any string, without bound.
      if (!type) return null
      const selection = selections.get(type) ?? selectionOf(type, selectionSets, position)
      selections.set(type, selection)
      return selection
    })
  }
}

/**
 * The path of a value from the root, as `pathText` writes it. `isPlain` while every type on it is
 * an object type, so that one selection completes every object there. Below an abstract type,
 * several selections may complete one shared object.
 */
type Position = { readonly path: string; readonly isPlain: boolean }

const ROOT_POSITION: Position = { path: '', isPlain: true }

const completeWith =
  (selection: ProjectedSelection) =>
  (value: Data, run: ProjectionRun, depth: number): unknown =>
    completeObject(selection, value, run, depth)

/** Whether objects with these keys have exactly the selected keys, in order. */
const hasSameKeys = (fields: readonly ProjectedField[], keys: readonly string[] | null | undefined): boolean =>
  keys?.length === fields.length && fields.every(({ from, key }, index) => from === keys[index] && key === from)

const completeSchemaField =
  (resolve: ReturnType<ResolveSchemaFields>): Complete =>
  (_, { variables, path, report }, depth) => {
    const { value, errors } = resolve(variables)
    for (const error of errors) report(error.message, [...path.slice(0, depth), ...(error.path ?? []).slice(1)], 'BAD_USER_INPUT')
    return value
  }

const typenameOf =
  (type: RuntimeType): Complete =>
  () =>
    isObjectType(type) ? type.name : null
