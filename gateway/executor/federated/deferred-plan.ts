import type { DeferNode, DeferredNode, PlanNode, QueryPlan } from '@apollo/query-planner'
import type { GraphQLFormattedError } from 'graphql'
import { type DeferLabels, deferredFragmentsIn, isDeferredSelection } from '../../operations/deferred-fragments.ts'
import { refusal } from '../../operations/errors.ts'
import type { ExecutionResult } from '../../operations/execution-result.ts'
import type { DeferredPart } from '../../operations/incremental-result.ts'
import type { Supergraph } from '../../planning/supergraph.ts'
import type { Link, RequestContext } from '../../subgraph-client/link.ts'
import { compileConditions, type OperationConditions } from './conditions.ts'
import type { PlanRun, RunNode } from './fetch.ts'
import type { ResponsePath } from './flatten-path.ts'
import { type CompileContext, compileNode, createProjectionFor } from './plan.ts'
import { createErrorCollector, type ErrorCollector } from './plan-errors.ts'
import type { PlannedDocument } from './planned-document.ts'
import { fetchesIn } from './planned-fetch.ts'
import type { Projection } from './projection.ts'
import { forEachAt, type QueryPath, typeAt } from './query-path.ts'
import type { Data, TypeTest } from './response-data.ts'
import { unresolvableReason } from './unresolvable.ts'

/** Receives the initial result and deferred parts. */
export type DeferredSink = {
  /** Called once, before `onParts`. */
  readonly onInitial: (result: ExecutionResult) => void
  /** Called once per deferred fragment with one part per object; empty when no object has it. */
  readonly onParts: (parts: readonly DeferredPart[], hasNext: boolean) => void
}

/** Runs a plan with deferred parts; resolves after the last part. */
export type RunDeferredPlan = (
  clientVariables: Readonly<Record<string, unknown>>,
  context: RequestContext,
  sink: DeferredSink,
) => Promise<void>

type Variables = Readonly<Record<string, unknown>>

/** The primary block of a plan, or a deferred block. */
type Block = {
  readonly label: string | undefined
  readonly queryPath: QueryPath
  /** Ids of fetches that must complete first. */
  readonly depends: readonly string[]
  /** Null when fetches of other blocks cover it. */
  readonly fetch: RunNode | null
  /** Ids of the block's own fetches. */
  readonly ids: readonly string[]
  readonly projectionFor: (variables: Variables) => Projection
  /** Whether `@skip` and `@include` on the fragment and around it include it. */
  readonly isIncluded: (variables: Variables) => boolean
  /** Type condition of the fragment; null for none. */
  readonly typeCondition: string | null
  /** Deferred fragments inside this block. */
  readonly nested: readonly Block[]
}

/** State of one execution of a plan. */
type DeferredRun = {
  readonly variables: Variables
  readonly context: RequestContext
  readonly data: Data
  readonly sink: DeferredSink
  readonly fetched: Signals
  /** Number of deferred fragments not yet delivered. */
  pending: number
}

/** The plan's Defer node; null when nothing is deferred at its root. */
export const deferNodeOf = ({ node }: QueryPlan): DeferNode | null => (node?.kind === 'Defer' ? node : null)

/**
 * Compiles a plan with deferred parts. A part's fetches start when those that they depend on
 * complete, even before the initial result, but the part is delivered after its enclosing part.
 * Parts whose object is null in the enclosing part are dropped.
 */
export function compileDeferredPlan(
  planned: PlannedDocument,
  node: DeferNode,
  labels: DeferLabels,
  supergraph: Supergraph,
  links: ReadonlyMap<string, Link>,
): RunDeferredPlan {
  const { document, operation, keyOf, variablesOf } = planned
  const fetches = fetchesIn(node)
  const unresolvable = unresolvableReason(planned, fetches, supergraph)
  if (unresolvable !== null) {
    const result = { data: null, errors: [refusal('UNRESOLVABLE_OPERATION', unresolvable)] }
    return async (_, __, { onInitial, onParts }) => {
      onInitial(result)
      onParts([], false)
    }
  }
  const conditions = compileConditions(document, operation)
  const fragments = deferredFragmentsIn(operation)
  const withoutDeferred: OperationConditions = {
    ...conditions,
    isIncludedWith(variables) {
      const isIncluded = conditions.isIncludedWith(variables)
      return (selection) => !isDeferredSelection(selection) && isIncluded(selection)
    },
  }
  const byNode = new Map(fetches.map((fetch) => [fetch.node, fetch] as const))
  // No shared paths and no reuse of objects: parts are projected while other fetches still write.
  const compiling: CompileContext = {
    supergraph,
    links,
    conditions,
    keyOf,
    isQuery: operation.operation === 'query',
    fetches: byNode,
    sharedPaths: new Map(),
  }
  const primary = blockOf({ ...node.primary, depends: [], queryPath: [] }, node.deferred)
  const count = countBlocks(primary) - 1

  return async (clientVariables, context, sink) => {
    const variables = variablesOf(clientVariables)
    context.planTrace?.begin(node)
    const run: DeferredRun = { variables, context, data: {}, sink, fetched: createSignals(), pending: count }
    const initial = Promise.withResolvers<readonly DeferredPart[]>()
    const deferred = Promise.all(primary.nested.map((block) => runBlock(block, run, initial.promise)))
    // Handled by `await deferred` below; prevents an unhandled rejection before that.
    deferred.catch(() => {})
    const errors = await fetchBlock(primary, run)
    const data = primary.projectionFor(variables)(run.data, variables, errors.addInvalidValue, false)
    sink.onInitial({ data, ...(errors.errors.length > 0 && { errors: errors.errors }) })
    initial.resolve([{ data, path: [] }])
    await deferred
  }

  function blockOf({ node: inner, depends, queryPath, label = '' }: DeferredNode, deferred: readonly DeferredNode[]): Block {
    // A fragment with nested deferred fragments is a Defer node, of which it is the primary block.
    if (inner?.kind === 'Defer') {
      const { node: own } = inner.primary
      return blockOf({ depends, queryPath, label, ...(own && { node: own }) }, [...inner.deferred, ...deferred])
    }
    const fragment = fragments.get(label)
    const part = fragment ? { ...operation, selectionSet: fragment.node.selectionSet } : operation
    const parent = fragment ? typeAt(supergraph.api, document, operation, queryPath) : null
    const guards = fragment ? [...fragment.around, fragment.node] : []
    return {
      label: labels.get(label),
      queryPath,
      typeCondition: fragment?.node.typeCondition?.name.value ?? null,
      depends: depends.map(({ id }) => id),
      fetch: inner ? compileNode(compiling, inner, []) : null,
      ids: idsIn(inner),
      projectionFor: createProjectionFor({ ...planned, operation: part }, supergraph, withoutDeferred, { parent }),
      isIncluded: (variables) => guards.every(conditions.isIncludedWith(variables)),
      nested: deferred.map((each) => blockOf(each, [])),
    }
  }

  async function runBlock(block: Block, run: DeferredRun, around: Promise<readonly DeferredPart[]>): Promise<void> {
    const own = Promise.withResolvers<readonly DeferredPart[]>()
    const nested = Promise.all(block.nested.map((each) => runBlock(each, run, own.promise)))
    nested.catch(() => {})
    await Promise.all(block.depends.map(run.fetched.wait))
    const errors = await fetchBlock(block, run)
    const parts = partsOf(block, { ...run, isOf: supergraph.isOf, keyOf }, errors, await around)
    run.pending--
    run.sink.onParts(parts, run.pending > 0)
    own.resolve(parts)
    await nested
  }
}

/**
 * Fetches a block, then signals all its fetches, also those that were skipped for lack of objects.
 */
async function fetchBlock({ fetch, ids }: Block, run: DeferredRun): Promise<ErrorCollector> {
  const errors = createErrorCollector()
  const { variables, context, data } = run
  const planRun: PlanRun = {
    variables,
    context,
    data,
    errors,
    deduplicated: null,
    isRepeated: true,
    resolveEvent: null,
    onFetched: run.fetched.signal,
  }
  try {
    await fetch?.(planRun, [data])
  } finally {
    for (const id of ids) run.fetched.signal(id)
  }
  return errors
}

/** Parts of a fetched block: one per object whose enclosing part was delivered. */
function partsOf(
  { queryPath, label, projectionFor, isIncluded, typeCondition }: Block,
  { isOf, keyOf, ...run }: DeferredRun & { readonly isOf: TypeTest; readonly keyOf: PlannedDocument['keyOf'] },
  errors: ErrorCollector,
  around: readonly DeferredPart[],
): readonly DeferredPart[] {
  if (!isIncluded(run.variables)) return []
  const parts: { readonly data: DeferredPart['data']; readonly path: ResponsePath }[] = []
  const project = projectionFor(run.variables)
  forEachAt(run.data, queryPath, isOf, keyOf, (object, path) => {
    const { __typename } = object
    if (typeCondition !== null && typeof __typename === 'string' && !isOf(__typename, typeCondition)) return
    if (!isDelivered(path, around)) return
    parts.push({ data: project(object, run.variables, errors.addInvalidValue, false, undefined, path), path })
  })
  const byPart = errorsByPart(errors.errors, parts)
  return parts.map((part, index) => {
    const own = byPart.get(index)
    return { ...part, ...(label !== undefined && { label }), ...(own && { errors: own }) }
  })
}

const countBlocks = ({ nested }: Block): number => nested.reduce((sum, block) => sum + countBlocks(block), 1)

/** Ids of the fetches of a node, without those of deferred blocks. */
const idsIn = (node: PlanNode | undefined): readonly string[] =>
  node ? fetchesIn(node).flatMap(({ node: { id } }) => (id === undefined ? [] : [id])) : []

/** Whether the enclosing part was delivered and contains the object. */
const isDelivered = (path: ResponsePath, around: readonly DeferredPart[]): boolean =>
  around.some(({ data, path: start }) => {
    if (start.length > path.length || start.some((element, index) => path[index] !== element)) return false
    let value: unknown = data
    for (const element of path.slice(start.length)) {
      if (typeof value !== 'object' || value === null) return false
      value = Reflect.get(value, element)
    }
    return typeof value === 'object' && value !== null
  })

/** Errors by index of the part whose path theirs begins with; others go to the first part. */
function errorsByPart(
  errors: readonly GraphQLFormattedError[],
  parts: readonly { readonly path: ResponsePath }[],
): ReadonlyMap<number, readonly GraphQLFormattedError[]> {
  const byPart = new Map<number, GraphQLFormattedError[]>()
  for (const error of errors) {
    const { path } = error
    const index = path ? parts.findIndex(({ path: start }) => start.every((element, at) => path[at] === element)) : 0
    const at = Math.max(0, index)
    const own = byPart.get(at)
    if (own) own.push(error)
    else byPart.set(at, [error])
  }
  return byPart
}

/** Completion signals of fetches, by id. */
type Signals = { readonly wait: (id: string) => Promise<void>; readonly signal: (id: string) => void }

function createSignals(): Signals {
  const signals = new Map<string, PromiseWithResolvers<void>>()
  const signalOf = (id: string): PromiseWithResolvers<void> => {
    const known = signals.get(id)
    if (known) return known
    const made = Promise.withResolvers<void>()
    signals.set(id, made)
    return made
  }
  return { wait: (id) => signalOf(id).promise, signal: (id) => signalOf(id).resolve() }
}
