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
 * Projects response data onto the client's selection; null when null propagated to the root.
 * `canReuse`: objects at exclusive paths are changed in place and become part of the result, which
 * requires that none occurs at two response paths, apart from shared paths.
 */
export type Projection = (
  data: Data,
  variables: OperationVariables,
  report: ReportError,
  canReuse: boolean,
  refuse?: Refuse,
  /** Response path of `data`; absent: the root. */
  at?: ResponsePath,
) => Data | null

/** Refused parts of an operation: fields, and whole types. */
export type RefusedParts = {
  readonly ofField: (type: string, nodes: readonly FieldNode[]) => RefusedPart | null
  readonly ofType: (type: string) => RefusedPart | null
}

/** Resolves `__schema` and `__type` with the API schema; `errors` are about client variables. */
export type ResolveSchemaFields = (nodes: readonly FieldNode[]) => (variables: OperationVariables) => {
  readonly value: unknown
  readonly errors: readonly GraphQLError[]
}

/** The operation to project to, and properties of its response data. */
export type ProjectedOperation = {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  /** Converts a response key of the plan to the client's. */
  readonly keyOf: (key: string) => string
  readonly isIncluded: IsIncluded
  readonly resolveSchemaFields: ResolveSchemaFields
  /** Paths (`pathText`) to objects that may occur at several response paths. */
  readonly sharedPaths: ReadonlySet<string>
  /** Paths whose objects may be changed in place. */
  readonly exclusive: ExclusivePaths
  /** Parts that the caller may not read: null with an error. Null: none. */
  readonly refused?: RefusedParts | null
  /** Type of the projected objects; null: the root type. */
  readonly parent?: GraphQLCompositeType | null
}

/**
 * Compiles a projection: fields in the order of the operation; null propagates to the nearest
 * nullable field (GraphQL §6.4.4). Values outside exclusive paths are untrusted, so leaves and
 * object types are checked.
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
    // `completeObject` returns a `ResponseObject`, `data` itself or undefined.
    return (completeRoot(data, run, at.length) as Data | undefined) ?? null
  }

  /** Fields of an object of this type, each with its merged selection sets. */
  function selectionOf(type: RuntimeType, selectionSets: readonly SelectionSetNode[], position: Position): ProjectedSelection {
    const groups = fieldsOfType(type, selectionSets, schema, fragments, isIncluded)
    const fields = [...groups].map(([from, nodes]) => fieldOf(type, from, nodes, position))
    return {
      fields,
      ResponseObject: responseObjectClass(fields.length),
      incomplete: hasSameKeys(fields, exclusiveKeysAt(position)) ? fields.filter(({ isSimple }) => !isSimple) : null,
    }
  }

  /** Keys of an object at an exclusive path; undefined for other paths. */
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
    // One selection per type, also for objects without `__typename`: an object changed in place
    // must not be completed by two selections.
    const selections = new Map<RuntimeType, ProjectedSelection>()
    return completeByType(declared.name, complete, refused?.ofType ?? null, (typename) => {
      const type = runtimeTypeOf(schema, declared, typename)
      // Memoized for types of the schema only: a subgraph may return any string as `__typename`.
      if (!type) return null
      const selection = selections.get(type) ?? selectionOf(type, selectionSets, position)
      selections.set(type, selection)
      return selection
    })
  }
}

/**
 * Path (`pathText`) of a value. `isPlain`: all enclosing types are object types, so one selection
 * completes every object there. Below an abstract type several selections may complete one shared
 * object.
 */
type Position = { readonly path: string; readonly isPlain: boolean }

const ROOT_POSITION: Position = { path: '', isPlain: true }

const completeWith =
  (selection: ProjectedSelection) =>
  (value: Data, run: ProjectionRun, depth: number): unknown =>
    completeObject(selection, value, run, depth)

/** Whether keys of objects equal the selected keys, in the same order. */
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
