import type { ExecutionResult, GraphQLError } from 'graphql'
import type { EntityResult, RequestContext } from '../../subgraph-client/link.ts'
import { type ContextDocument, type Contexts, compileContexts, type RepresentedGroup, type SendGroups } from './contexts.ts'
import { deduplicateEntities, type SharedPath } from './deduplicate-entities.ts'
import { createTables, tableFor } from './entity-identity.ts'
import { type ResponsePath, responsePathsOf } from './flatten-path.ts'
import { copyObject, merge } from './merge.ts'
import { type MissingFields, missingFieldsOf } from './missing-fields.ts'
import type { ErrorCollector } from './plan-errors.ts'
import { ENTITIES, type PlannedFetch } from './planned-fetch.ts'
import { compileRepresentation, type EntityRepresentation, type KeyFieldsOf, type RepresentEntity } from './representation.ts'
import { type Data, isData, type TypeTest } from './response-data.ts'
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
  /** Called with a fetch's id on completion, for deferred parts that depend on it. */
  readonly onFetched?: (id: string) => void
}

/** Sends a fetch to its subgraph, with `other` in place of the plan's document; never rejects. */
export type FetchSubgraph = (
  variables: Readonly<Record<string, unknown>>,
  run: PlanRun,
  other?: ContextDocument | null,
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

/** Compiles a fetch of root fields, or of entities. */
export function compileFetch(fetch: PlannedFetch, context: FetchContext): RunNode {
  const { node } = fetch
  const inputOf = variablesFor(node.variableUsages ?? [])
  const rewrite = compileRewrites(node.outputRewrites, context.isOf)
  const parts = { ...fetch, ...context, inputOf, rewrite, clientKey: clientKeys(fetch, context) }
  if (!node.requires) return compileRootFetch(parts)
  const represent = compileRepresentation(node.requires, context.isOf, context.keyFieldsOf)
  const contexts = node.contextRewrites ? compileContexts(fetch, node.contextRewrites, context.isOf) : null
  return compileEntityFetch({ ...parts, represent, contexts, rewriteInput: compileRewrites(node.inputRewrites, context.isOf) })
}

type Parts = FetchContext &
  Pick<PlannedFetch, 'selected' | 'path'> & {
    readonly inputOf: (variables: Readonly<Record<string, unknown>>) => Record<string, unknown>
    readonly rewrite: Rewrite | null
    /** Converts a key of the fetch's document to the client's key. */
    readonly clientKey: (key: string | number) => string | number
  }

function compileRootFetch(parts: Parts): RunNode {
  const { fetchSubgraph, isOf, inputOf, rewrite, selected, sharedPaths, clientKey } = parts
  return async (run, objects) => {
    const { data, errors } = await fetchSubgraph(inputOf(run.variables), run)
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
const rootPaths = ({ path, clientKey }: Parts, run: PlanRun): readonly ResponsePath[] =>
  path.length === 0 ? [[]] : [...responsePathsOf(run.data, path).values()].flat().map((each) => each.map(clientKey))

function reportRootErrors(parts: Parts, run: PlanRun, data: ExecutionResult['data'], errors: readonly GraphQLError[]): void {
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

function deduplicateAll(run: PlanRun, objects: readonly Data[], sharedPaths: readonly SharedPath[]): void {
  for (const { name, segments, identity } of sharedPaths) {
    run.deduplicated ??= new Map()
    run.deduplicated.set(name, deduplicateEntities(objects, segments, identity))
  }
}

type EntityParts = Parts & {
  readonly represent: RepresentEntity
  readonly rewriteInput: Rewrite | null
  /** Contextual arguments; null where the fetch has none. */
  readonly contexts: Contexts | null
}

/** Representations of one entity fetch, one per distinct entity. */
type Representations = {
  readonly representations: readonly Data[]
  /** Objects that the fetch completes. */
  readonly targets: readonly Data[]
  /** For each target, the index of its representation. */
  readonly indexes: readonly number[]
  /** Representations grouped by contextual arguments; absent without such arguments. */
  readonly groups?: readonly RepresentedGroup[]
}

function compileEntityFetch(parts: EntityParts): RunNode {
  const { fetchSubgraph, inputOf, rewrite, selected, sharedPaths, contexts } = parts
  const hasObjects = selected.some(({ below }) => below)
  return async (run, objects) => {
    const collected = contexts ? collectByContext(parts, contexts, run.data) : collectRepresentations(parts, objects)
    const { representations, targets, groups } = collected
    if (representations.length === 0) return

    let result: EntityResult
    if (contexts && groups) {
      const send: SendGroups = (variables, other) => fetchSubgraph(variables, run, other)
      result = await contexts.fetch(groups, () => inputOf(run.variables), send)
    } else {
      const variables = inputOf(run.variables)
      variables.representations = representations
      result = await fetchSubgraph(variables, run)
    }
    const { data, errors, unfetched } = result
    const entities = data?.[ENTITIES]
    if (unfetched) {
      const failed = new Set(unfetched)
      run.errors.addMissingPaths(() =>
        clientPathsOf(
          parts,
          run,
          targets.filter((_, at) => failed.has(collected.indexes[at] ?? -1)),
        ),
      )
    }
    if (errors) {
      for (const error of errors) reportEntityError(parts, run, error, collected)
      if (Array.isArray(entities)) explainMissing(parts, run, errors, entities, collected)
    }

    if (!Array.isArray(entities) || entities.length !== representations.length) {
      run.errors.addMissingPaths(() => clientPathsOf(parts, run, targets))
      if (data) {
        const message = `Expected a list of ${representations.length} entities from a service.`
        run.errors.add({ message, extensions: { code: 'INVALID_SUBGRAPH_ANSWER' } })
      }
      return
    }
    rewrite?.(entities)
    if (hasObjects && representations.length < targets.length) run.isRepeated = true
    if (!mergeEntities(parts, entities, collected)) reportMisshapen(parts, run, entities, collected)
    deduplicateAll(run, targets, sharedPaths)
  }
}

/** Collects representations of the objects; equal ones only once. */
function collectRepresentations({ represent, rewriteInput }: EntityParts, objects: readonly Data[]): Representations {
  const representations: Data[] = []
  const indexes: number[] = []
  const targets: Data[] = []
  const tables = createTables<EntityRepresentation, number>()
  for (let at = 0; at < objects.length; at++) {
    const object = objects[at] as Data // below the length
    const entity = represent(object)
    if (!entity) continue
    const indexBy = tableFor(tables, entity)
    let identity = entity.identity(object)
    let index = indexBy.get(identity)
    if (index === undefined) {
      const representation = entity.representation(object)
      if (!representation) continue
      identity ??= JSON.stringify(representation)
      index = indexBy.get(identity)
      if (index === undefined) {
        rewriteInput?.(representation)
        index = representations.push(representation) - 1
        indexBy.set(identity, index)
      }
    }
    indexes.push(index)
    targets.push(object)
  }
  return { representations, targets, indexes }
}

/** Collects representations per group; equal ones of different groups are kept apart. */
function collectByContext(parts: EntityParts, contexts: Contexts, root: Data): Representations {
  const representations: Data[] = []
  const indexes: number[] = []
  const targets: Data[] = []
  const groups: RepresentedGroup[] = []
  for (const { values, targets: objects } of contexts.groupsIn(root)) {
    const own = collectRepresentations(parts, objects)
    if (own.representations.length === 0) continue
    const start = representations.length
    groups.push({ values, representations: own.representations })
    for (const representation of own.representations) representations.push(representation)
    for (const target of own.targets) targets.push(target)
    for (const index of own.indexes) indexes.push(start + index)
  }
  return { representations, targets, indexes, groups }
}

/** Merges entities into their targets. False when an entity is neither an object nor null. */
function mergeEntities(
  { selected, isOf, isSplitByType }: EntityParts,
  entities: readonly unknown[],
  { representations, targets, indexes }: Representations,
): boolean {
  let isShaped = true
  const isMerged = isSplitByType && representations.length < targets.length ? new Uint8Array(entities.length) : null
  for (let at = 0; at < targets.length; at++) {
    const index = indexes[at] as number // as long as `targets`
    const entity: unknown = entities[index]
    if (!isData(entity)) {
      if (entity !== null && entity !== undefined) isShaped = false
      continue
    }
    // Targets may share an entity object, unless later fetches write different fields to them.
    const source = isMerged?.[index] ? copyObject(entity, selected) : entity
    merge(targets[at] as Data, source, selected, isOf) // below the length
    if (isMerged) isMerged[index] = 1
  }
  return isShaped
}

/** Adds an error at every response path of each entity that is neither an object nor null. */
function reportMisshapen(
  parts: EntityParts,
  run: PlanRun,
  entities: readonly unknown[],
  { targets, indexes }: Representations,
): void {
  const affected = targets.filter((_, at) => {
    const entity = entities[indexes[at] as number] // as long as `targets`
    return entity !== null && entity !== undefined && !isData(entity)
  })
  for (const path of clientPathsOf(parts, run, affected)) {
    run.errors.add({
      message: 'Expected an object or null for an entity.',
      path,
      extensions: { code: 'INVALID_SUBGRAPH_ANSWER' },
    })
  }
}

/** Splits an error path into the index in `_entities` and the rest; null for other paths. */
function entityPath(path: GraphQLError['path']): { readonly index: number; readonly rest: ResponsePath } | null {
  const [first, index, ...rest] = path ?? []
  return first === ENTITIES && typeof index === 'number' ? { index, rest } : null
}

/** Adds an error of an entity at every response path of that entity. */
function reportEntityError(parts: EntityParts, run: PlanRun, error: GraphQLError, { targets, indexes }: Representations): void {
  const path = entityPath(error.path)
  if (!path) {
    report(run.errors, error, null)
    return
  }
  const affected = targets.filter((_, at) => indexes[at] === path.index)
  const rest = path.rest.map(parts.clientKey)
  for (const each of clientPathsOf(parts, run, affected)) report(run.errors, error, [...each, ...rest])
}

/**
 * Records the sibling fields that an entity's errors explain, in addition to the fields in their
 * paths.
 */
function explainMissing(
  { selected, clientKey, path: fetchPath }: EntityParts,
  run: PlanRun,
  errors: readonly GraphQLError[],
  entities: readonly unknown[],
  { targets, indexes }: Representations,
): void {
  const missing = new Map<number, MissingFields[]>()
  for (const error of errors) {
    const path = entityPath(error.path)
    const fields = path && missingFieldsOf(entities[path.index], path.rest, selected, clientKey)
    if (path && fields) missing.set(path.index, [...(missing.get(path.index) ?? []), fields])
  }
  if (missing.size === 0) return
  run.errors.addMissingPaths(() => {
    const paths = responsePathsOf(run.data, fetchPath)
    return targets.flatMap((target, at) => {
      const own = missing.get(indexes[at] as number) ?? [] // as long as `targets`
      const starts = own.length === 0 ? [] : (paths.get(target) ?? [])
      return starts.flatMap((start) => own.flatMap((fields) => pathsOfMissing(fields, start.map(clientKey), clientKey)))
    })
  })
}

function clientPathsOf({ path, clientKey }: EntityParts, run: PlanRun, objects: readonly Data[]): readonly ResponsePath[] {
  const paths = responsePathsOf(run.data, path)
  return [...new Set(objects)].flatMap((object) => (paths.get(object) ?? []).map((each) => each.map(clientKey)))
}

/** Client paths of missing fields of an object at `start`. */
const pathsOfMissing = ({ at, keys }: MissingFields, start: ResponsePath, clientKey: Parts['clientKey']): ResponsePath[] =>
  keys.map((key) => [...start, ...at.map(clientKey), clientKey(key)])

/** Adds an error; one without a code, as graphql-js throws, gets INTERNAL_SERVER_ERROR. */
function report({ add }: ErrorCollector, { message, extensions }: GraphQLError, path: ResponsePath | null | undefined): void {
  add({ message, ...(path && { path }), extensions: { ...extensions, code: extensions?.code ?? 'INTERNAL_SERVER_ERROR' } })
}

/** Selects the variables of a fetch; absent variables stay absent. */
function variablesFor(names: readonly string[]): Parts['inputOf'] {
  return (variables) => {
    const own: Record<string, unknown> = {}
    for (const name of names) {
      if (Object.hasOwn(variables, name) && variables[name] !== undefined) own[name] = variables[name]
    }
    return own
  }
}

function clientKeys({ node: { outputRewrites } }: PlannedFetch, { keyOf }: FetchContext): Parts['clientKey'] {
  const renamed = renamedKeys(outputRewrites)
  return (key) => (typeof key === 'number' ? key : keyOf(renamed.get(key) ?? key))
}
