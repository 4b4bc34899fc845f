import type { FetchNode } from '@apollo/query-planner'
import type { ExecutionResult, GraphQLError } from 'graphql'
import { isSerializedResult } from '../../operations/serialized-result.ts'
import type { EntityResult, RequestContext } from '../../subgraph-client/link.ts'
import type { ReadAnswer } from './answer-reader.ts'
import { deduplicateEntities, type SharedPath } from './deduplicate-entities.ts'
import { type ResponsePath, responsePathsOf } from './flatten-path.ts'
import type { JoinedDocument } from './joined-documents.ts'
import { copyObject, merge } from './merge.ts'
import { type MissingFields, missingFieldsOf } from './missing-fields.ts'
import type { ErrorCollector } from './plan-errors.ts'
import type { PlannedFetch } from './planned-fetch.ts'
import type { KeyFieldsOf } from './representation.ts'
import type { Data, TypeTest } from './response-data.ts'
import { compileRewrites, type Rewrite, renamedKeys } from './rewrites.ts'

/** State of one execution of a plan. */
export type PlanRun = {
  readonly variables: Readonly<Record<string, unknown>>
  readonly context: RequestContext
  readonly data: Data
  readonly errors: ErrorCollector
  /** Distinct objects by deduplicated shared path; null when none was deduplicated. */
  deduplicated: Map<SharedPath['name'], readonly Data[]> | null
  /** Whether an object or list occurs at several response paths, apart from shared paths. */
  isRepeated: boolean
  /**
   * Returns the event of a subscription, for fetches from EVENT_SOURCE; null for other operations.
   */
  readonly resolveEvent: (() => Promise<ExecutionResult>) | null
  /** Reads a response that is the client's as it is; absent for plans of several fetches. */
  readonly readAnswer?: ReadAnswer | null
  /** The response that `readAnswer` has read. */
  answer?: ExecutionResult
  /** Called with a fetch's id on completion, for deferred parts that depend on it. */
  readonly onFetched?: (id: string) => void
}

/**
 * Sends a fetch to its subgraph, with `other` in place of the plan's document; never rejects.
 * `planNodes`: those that the request answers, when they are not the fetch's own.
 */
export type FetchSubgraph = (
  variables: Readonly<Record<string, unknown>>,
  run: PlanRun,
  other?: JoinedDocument | null,
  planNodes?: readonly FetchNode[],
) => Promise<EntityResult>

/** Runs a plan node for its objects: the root, or the objects at a flatten path. */
export type RunNode = (run: PlanRun, objects: readonly Data[]) => Promise<void>

export type FetchContext = {
  readonly fetchSubgraph: FetchSubgraph
  readonly isOf: TypeTest
  readonly keyFieldsOf: KeyFieldsOf
  /** Paths to deduplicate after this fetch. */
  readonly sharedPaths: readonly SharedPath[]
  /** Whether another fetch continues with some types of this fetch's objects only. */
  readonly isSplitByType: boolean
  readonly keyOf: (key: string) => string
}

/** A fetch with what every execution of it needs. */
export type CompiledFetch = FetchContext &
  Pick<PlannedFetch, 'selected' | 'path'> & {
    readonly inputOf: (variables: Readonly<Record<string, unknown>>) => Record<string, unknown>
    readonly rewrite: Rewrite | null
    /** Converts a key of the fetch's document to the client's key. */
    readonly clientKey: (key: string | number) => string | number
  }

export function compileFetch(fetch: PlannedFetch, context: FetchContext): CompiledFetch {
  const { node, selected, path } = fetch
  const inputOf = variablesFor(node.variableUsages ?? [])
  const rewrite = compileRewrites(node.outputRewrites, context.isOf)
  return { selected, path, ...context, inputOf, rewrite, clientKey: clientKeys(fetch, context) }
}

/** Runs a fetch of root fields. */
export function compileRootFetch(parts: CompiledFetch): RunNode {
  const { fetchSubgraph, isOf, inputOf, rewrite, selected, sharedPaths, clientKey } = parts
  return async (run, objects) => {
    const result = await fetchSubgraph(inputOf(run.variables), run)
    if (run.readAnswer && isSerializedResult(result)) {
      run.answer = result
      return
    }
    const { data, errors } = result
    reportRootErrors(parts, run, data, errors ?? [])
    if (!data) {
      run.errors.addMissingPaths(() =>
        rootPaths(parts, run).flatMap((path) => selected.map(({ key }) => [...path, clientKey(key)])),
      )
      return
    }
    rewrite?.(data)
    objects.forEach((object, index) => {
      merge(object, index === 0 ? data : copyObject(data, selected), selected, isOf)
    })
    deduplicateAll(run, objects, sharedPaths)
  }
}

/** Client paths of the objects that a root fetch writes; each gets the whole response. */
const rootPaths = ({ path, clientKey }: CompiledFetch, run: PlanRun): readonly ResponsePath[] =>
  path.length === 0 ? [[]] : [...responsePathsOf(run.data, path).values()].flat().map((each) => each.map(clientKey))

function reportRootErrors(
  parts: CompiledFetch,
  run: PlanRun,
  data: ExecutionResult['data'],
  errors: readonly GraphQLError[],
): void {
  const { selected, clientKey } = parts
  const missing: MissingFields[] = []
  for (const error of errors) {
    const path = error.path?.map(clientKey)
    for (const start of path ? rootPaths(parts, run) : [null]) report(run.errors, error, start && path && [...start, ...path])
    const fields = data && error.path ? missingFieldsOf(data, error.path, selected, clientKey) : null
    if (fields) missing.push(fields)
  }
  if (missing.length === 0) return
  run.errors.addMissingPaths(() =>
    rootPaths(parts, run).flatMap((start) => missing.flatMap((fields) => pathsOfMissing(fields, start, clientKey))),
  )
}

export function deduplicateAll(run: PlanRun, objects: readonly Data[], sharedPaths: readonly SharedPath[]): void {
  for (const { name, segments, identity } of sharedPaths) {
    run.deduplicated ??= new Map()
    run.deduplicated.set(name, deduplicateEntities(objects, segments, identity))
  }
}

/** Client paths of missing fields of an object at `start`. */
export const pathsOfMissing = (
  { at, keys }: MissingFields,
  start: ResponsePath,
  clientKey: CompiledFetch['clientKey'],
): ResponsePath[] => keys.map((key) => [...start, ...at.map(clientKey), clientKey(key)])

/** Adds an error; one without a code, as graphql-js throws, gets INTERNAL_SERVER_ERROR. */
export function report(
  { add }: ErrorCollector,
  { message, extensions }: GraphQLError,
  path: ResponsePath | null | undefined,
): void {
  add({ message, ...(path && { path }), extensions: { ...extensions, code: extensions?.code ?? 'INTERNAL_SERVER_ERROR' } })
}

/** Selects the variables of a fetch; absent variables stay absent. */
function variablesFor(names: readonly string[]): CompiledFetch['inputOf'] {
  return (variables) => {
    const own: Record<string, unknown> = {}
    for (const name of names) {
      if (Object.hasOwn(variables, name) && variables[name] !== undefined) own[name] = variables[name]
    }
    return own
  }
}

function clientKeys({ node: { outputRewrites } }: PlannedFetch, { keyOf }: FetchContext): CompiledFetch['clientKey'] {
  const renamed = renamedKeys(outputRewrites)
  return (key) => (typeof key === 'number' ? key : keyOf(renamed.get(key) ?? key))
}
