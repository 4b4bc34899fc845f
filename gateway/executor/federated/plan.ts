import type { FetchNode, PlanNode, QueryPlan } from '@apollo/query-planner'
import { type DocumentNode, execute, type FieldNode, type GraphQLCompositeType, Kind, type SelectionSetNode } from 'graphql'
import { boundedCache } from '../../../platform/collections/bounded-cache.ts'
import type { Refused } from '../../authorization/authorization.ts'
import { documentIndex } from '../../operations/document-index.ts'
import { refusal } from '../../operations/errors.ts'
import type { ExecutionResult } from '../../operations/execution-result.ts'
import type { Supergraph } from '../../planning/supergraph.ts'
import type { Link, RequestContext, SendEntities } from '../../subgraph-client/link.ts'
import { createAnswerReaderFor } from './answer-reader.ts'
import { inClientOrder } from './client-order.ts'
import { compileConditions, type OperationConditions } from './conditions.ts'
import { findSharedPaths, type SharedPath } from './deduplicate-entities.ts'
import { compileEntityFetch, runEntityFetch } from './entity-fetch.ts'
import { type ExclusivePaths, exclusivePathsIn } from './exclusive-paths.ts'
import { compileFetch, compileRootFetch, type FetchContext, type FetchSubgraph, type PlanRun, type RunNode } from './fetch.ts'
import { objectsAt, type PathSegment, parseFlattenPath } from './flatten-path.ts'
import { type MergeGroup, type MergeKeys, mergeGroupsOf } from './merge-groups.ts'
import { compileMergedFetch } from './merged-fetch.ts'
import { createErrorCollector } from './plan-errors.ts'
import type { PlannedDocument } from './planned-document.ts'
import { anonymousText, fetchesIn, type PlannedFetch, pathText } from './planned-fetch.ts'
import { compileProjection, type Projection, type RefusedParts, type ResolveSchemaFields } from './projection.ts'
import type { Data } from './response-data.ts'
import { conflictReason, unresolvableReason } from './unresolvable.ts'
import { uploadProblem } from './upload-order.ts'

/** Executes a plan for one request. `clientVariables` are coerced for the client's document. */
export type RunPlan = (
  clientVariables: Readonly<Record<string, unknown>>,
  context: RequestContext,
  /** Returns the event, for fetches from EVENT_SOURCE. */
  resolveEvent?: PlanRun['resolveEvent'],
  /** Creates the error of a refused part; required for plans with refused parts. */
  errorOf?: Refused['errorOf'],
) => Promise<ExecutionResult>

/** Subgraph name of the fetch that an event replaces; not a valid subgraph name. */
export const EVENT_SOURCE = '(event)'

/**
 * Projection cache of an operation, by values of `@skip` and `@include` variables; evicted ones are
 * compiled again.
 */
const PROJECTION_CACHE = { maxEntries: 16, maxCharacters: 16_000 }

/**
 * Compiles a plan into closures; never generates source text from client text. Throws for `@defer`.
 */
export function compilePlan(
  planned: PlannedDocument,
  { node: given }: QueryPlan,
  supergraph: Supergraph,
  links: ReadonlyMap<string, Link>,
  refused: RefusedParts | null = null,
): RunPlan {
  if (given?.kind === 'Subscription') throw new Error('Expected the plan of a query or a mutation.')
  const only = refused ? null : onlyFetch(given, links)
  const node = only ? inClientOrder(only, planned, supergraph) : given
  const { document, operation, keyOf, variablesOf } = planned
  const conditions = compileConditions(document, operation)
  const isQuery = operation.operation === 'query'
  const fetches = new Map((node ? fetchesIn(node) : []).map((fetch) => [fetch.node, fetch] as const))
  const unresolvable = refused
    ? conflictReason([...fetches.values()], supergraph.fieldSets)
    : unresolvableReason(planned, [...fetches.values()], supergraph)
  if (unresolvable !== null) return async () => ({ data: null, errors: [refusal('UNRESOLVABLE_OPERATION', unresolvable)] })
  const sharedPaths = findSharedPaths([...fetches.values()])
  const sharedNames = new Set([...sharedPaths.values()].flat().map(({ name }) => name))
  const exclusive = exclusivePathsIn([...fetches.values()], (name) => links.get(name)?.schema !== undefined)
  const projectionFor = createProjectionFor(planned, supergraph, conditions, { sharedPaths: sharedNames, exclusive, refused })
  const runNode = node ? compileNode({ supergraph, links, conditions, keyOf, isQuery, fetches, sharedPaths }, node, []) : null

  const readerFor = only ? createAnswerReaderFor(planned, supergraph, conditions) : null

  return async (clientVariables, context, resolveEvent = null, errorOf) => {
    const variables = variablesOf(clientVariables)
    const problem = context.uploads && node ? uploadProblem(node, variables, conditions) : null
    if (problem) return { errors: [problem.toGraphQL().toJSON()] }
    const errors = createErrorCollector()
    const data: Data = {}
    const readAnswer = readerFor && !context.uploads ? readerFor(variables) : null
    const run: PlanRun = { variables, context, data, errors, deduplicated: null, isRepeated: false, resolveEvent, readAnswer }
    context.planTrace?.begin(node ?? null)
    if (runNode) await runNode(run, [data])
    if (run.answer) return run.answer as ExecutionResult // read for this operation, so without errors
    const project = projectionFor(variables)
    const projected = project(data, variables, errors.addInvalidValue, !run.isRepeated, (part, path) => {
      if (errorOf) errors.add({ ...errorOf(part), path: [...path] })
    })
    return errors.errors.length > 0 ? { data: projected, errors: errors.errors } : { data: projected }
  }
}

/** The fetch by which one remote subgraph answers a whole operation; null for other plans. */
function onlyFetch(node: QueryPlan['node'], links: ReadonlyMap<string, Link>): FetchNode | null {
  if (node?.kind !== 'Fetch' || node.requires || node.outputRewrites || node.contextRewrites) return null
  const link = links.get(node.serviceName)
  return link && !link.schema ? node : null
}

/** Context for compiling the nodes of one plan. */
export type CompileContext = {
  readonly supergraph: Supergraph
  readonly links: ReadonlyMap<string, Link>
  readonly conditions: OperationConditions
  readonly keyOf: PlannedDocument['keyOf']
  readonly isQuery: boolean
  readonly fetches: ReadonlyMap<FetchNode, PlannedFetch>
  readonly sharedPaths: ReturnType<typeof findSharedPaths>
}

/**
 * Compiles a node for the objects at `path`. Throws for `@defer`, which deferred-plan.ts handles.
 */
export function compileNode(context: CompileContext, node: PlanNode, path: readonly PathSegment[]): RunNode {
  switch (node.kind) {
    case 'Fetch': {
      const { id } = node
      const fetch = compileFetchNode(context, node, path)
      if (id === undefined) return fetch
      return async (run, objects) => {
        await fetch(run, objects)
        run.onFetched?.(id)
      }
    }
    case 'Sequence': {
      const nodes = node.nodes.map((each) => compileNode(context, each, path))
      return async (run, objects) => {
        for (const each of nodes) await each(run, objects)
      }
    }
    case 'Parallel': {
      const { groups, others } = mergeGroupsOf(node.nodes, (fetch) => mergeKeysOf(context, fetch))
      const nodes = [
        ...others.map((each) => compileNode(context, each, path)),
        ...groups.map((group) => compileGroup(context, group, path)),
      ]
      return async (run, objects) => {
        await Promise.all(nodes.map((each) => each(run, objects)))
      }
    }
    case 'Flatten': {
      const segments = parseFlattenPath(node.path)
      const fullPath = [...path, ...segments]
      const [name, runInner] = [pathText(fullPath), compileNode(context, node.node, fullPath)]
      return async (run, objects) => {
        const found = run.deduplicated?.get(name) ?? objectsAt(objects, segments)
        if (found.length > 0) await runInner(run, found)
      }
    }
    case 'Condition': {
      const [ifTrue, ifFalse] = [node.ifClause, node.elseClause].map((each) => (each ? compileNode(context, each, path) : null))
      const { conditions } = context
      return async (run, objects) => {
        await (conditions.valueOf(node.condition, run.variables) === true ? ifTrue : ifFalse)?.(run, objects)
      }
    }
    case 'Defer':
      throw new Error('Expected a plan without @defer.')
  }
}

function compileFetchNode(context: CompileContext, node: FetchNode, path: readonly PathSegment[]): RunNode {
  const fetch = plannedFetchOf(context, node)
  const fetchContext = fetchContextOf(context, fetch, path)
  if (node.requires) return runEntityFetch(compileEntityFetch(fetch, fetchContext))
  return compileRootFetch(compileFetch(fetch, fetchContext))
}

function plannedFetchOf({ fetches }: CompileContext, node: FetchNode): PlannedFetch {
  const fetch = fetches.get(node)
  if (!fetch) throw new Error('Expected a fetch of this plan.')
  return fetch
}

function fetchContextOf(context: CompileContext, fetch: PlannedFetch, path: readonly PathSegment[]): FetchContext {
  const { supergraph, keyOf, fetches, sharedPaths } = context
  const { node } = fetch
  const isSplitByType = fetches
    .values()
    .some(({ node, path: other }) => node.contextRewrites || (continues(other, path) && !hasSameTypes(other, path)))
  const { isOf, fieldSets } = supergraph
  return {
    fetchSubgraph: fetchSubgraphOf(fetch, context, [node]),
    isOf,
    keyFieldsOf: (typename) => fieldSets.keysOf(node.serviceName, typename),
    sharedPaths: sharedPaths.get(node) ?? [],
    isSplitByType,
    keyOf,
  }
}

/** Keys of a fetch that one request may have with others; null for one that is always sent alone. */
function mergeKeysOf({ links, isQuery }: CompileContext, node: FetchNode): MergeKeys | null {
  const { serviceName, requires, inputRewrites, outputRewrites, contextRewrites, operation, variableUsages } = node
  const link = links.get(serviceName)
  if (!link?.mergesFetches || !requires || outputRewrites || contextRewrites) return null
  const list = JSON.stringify([serviceName, anonymousText(operation), variableUsages, requires, inputRewrites])
  // Cached entities are those of one selection.
  return { group: isQuery && link.cacheEntities ? list : serviceName, list }
}

/** Compiles fetches that one request has, and then what follows them. */
function compileGroup(context: CompileContext, { heads, rests }: MergeGroup, path: readonly PathSegment[]): RunNode {
  const planNodes = heads.map(({ fetch }) => fetch)
  const members = heads.map(({ flatten, fetch: node }) => {
    const segments = parseFlattenPath(flatten.path)
    const fullPath = [...path, ...segments]
    const planned = plannedFetchOf(context, node)
    return {
      node,
      document: planned.document,
      fetch: compileEntityFetch(planned, fetchContextOf(context, planned, fullPath)),
      sendMerged: fetchSubgraphOf(planned, context, planNodes),
      segments,
      pathName: pathText(fullPath),
      listKey: mergeKeysOf(context, node)?.list ?? '',
    }
  })
  const runMerged = compileMergedFetch(members)
  const rest = rests.length === 0 ? null : compileNode(context, { kind: 'Parallel', nodes: [...rests] }, path)
  if (!rest) return runMerged
  return async (run, objects) => {
    await runMerged(run, objects)
    await rest(run, objects)
  }
}

/** Returns the projection for given condition variables, compiled on first use. */
export function createProjectionFor(
  planned: PlannedDocument,
  supergraph: Supergraph,
  conditions: OperationConditions,
  {
    sharedPaths = new Set(),
    exclusive = new Map(),
    refused = null,
    parent = null,
  }: {
    readonly sharedPaths?: ReadonlySet<SharedPath['name']>
    readonly exclusive?: ExclusivePaths
    readonly refused?: RefusedParts | null
    /** Type of the projected objects; absent: the root type. */
    readonly parent?: GraphQLCompositeType | null
  } = {},
): (variables: Readonly<Record<string, unknown>>) => Projection {
  const { document, operation, keyOf } = planned
  const projections = boundedCache<Projection>(PROJECTION_CACHE)
  return (variables) => {
    const key = conditions.keyOf(variables)
    const cached = projections.get(key)
    if (cached) return cached
    const projection = compileProjection({
      schema: supergraph.api,
      document,
      operation,
      keyOf,
      isIncluded: conditions.isIncludedWith(variables),
      resolveSchemaFields: schemaFieldsOf(planned, supergraph),
      sharedPaths,
      exclusive,
      refused,
      parent,
    })
    projections.set(key, projection)
    return projection
  }
}

/** Whether paths with equal keys also have equal type conditions, and so the same objects. */
const hasSameTypes = (path: readonly PathSegment[], prefix: readonly PathSegment[]): boolean =>
  prefix.every(({ types }, index) => {
    const others = path[index]?.types ?? null
    return types === null || others === null ? types === others : types.symmetricDifference(others).size === 0
  })

const continues = (path: readonly PathSegment[], prefix: readonly PathSegment[]): boolean =>
  prefix.every(({ key }, index) => path[index]?.key === key)

/**
 * Function that sends a fetch. `isQuery`: entities may come from the cache; mutations and events
 * must read current data. `planNodes`: those that its request answers.
 */
function fetchSubgraphOf(
  { node, document }: PlannedFetch,
  { supergraph, links, isQuery }: CompileContext,
  planNodes: readonly FetchNode[],
): FetchSubgraph {
  const { serviceName, operation: query, operationName, requires, contextRewrites } = node
  if (serviceName === EVENT_SOURCE) {
    return async (_, { resolveEvent }) => {
      if (!resolveEvent) throw new Error('Expected an event.')
      return resolveEvent()
    }
  }
  const link = links.get(serviceName)
  if (!link) throw new Error(`Expected a link to subgraph "${serviceName}".`)
  const hasSideEffects = rootFieldsOf(document).some((name) => supergraph.queriesWithSideEffects.has(name))
  const send: SendEntities = (variables, context, onHeaders) =>
    link.execute({ query, operationName, variables, document, planNodes, hasSideEffects, onHeaders }, context)
  // Not cached with contextual arguments, which depend on the object's position in the response.
  const cached = requires && isQuery && !contextRewrites ? link.cacheEntities?.({ query, document }, send) : null
  if (cached) return (variables, { context }) => cached(variables, context)
  return (variables, { context, readAnswer }, other, answered = planNodes) =>
    link.execute(
      {
        query: other?.query ?? query,
        operationName,
        variables,
        document: other?.document ?? document,
        planNodes: answered,
        hasSideEffects,
        ...(readAnswer && { readBody: readAnswer }),
      },
      context,
    )
}

/** Names of a fetch's root fields. */
function rootFieldsOf(document: DocumentNode): readonly string[] {
  const { operations, fragments } = documentIndex(document)
  return [...operations, ...fragments.values()].flatMap(({ selectionSet }) => fieldsIn(selectionSet))
}

/** Fields of one selection set; those of named fragments are found in their definitions. */
const fieldsIn = ({ selections }: SelectionSetNode): readonly string[] =>
  selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection.name.value]
    return selection.kind === Kind.INLINE_FRAGMENT ? fieldsIn(selection.selectionSet) : []
  })

/** Resolves `__schema` and `__type` selected beside other root fields, with the API schema. */
function schemaFieldsOf({ document, operation }: PlannedDocument, { api }: Supergraph): ResolveSchemaFields {
  const fragments = [...documentIndex(document).fragments.values()]
  return (nodes: readonly FieldNode[]) => {
    const introspection: DocumentNode = {
      kind: Kind.DOCUMENT,
      definitions: [
        { ...operation, directives: [], selectionSet: { kind: Kind.SELECTION_SET, selections: nodes } },
        ...fragments,
      ],
    }
    const [first] = nodes
    const key = (first?.alias ?? first?.name)?.value ?? ''
    return (variables) => {
      const result = execute({ schema: api, document: introspection, variableValues: variables })
      if (result instanceof Promise) throw new Error('Expected a schema that resolves synchronously.')
      return { value: result.data?.[key], errors: result.errors ?? [] }
    }
  }
}
