import type { GraphQLError } from 'graphql'
import type { EntityResult } from '../../subgraph-client/link.ts'
import { type Contexts, compileContexts, type RepresentedGroup, type SendGroups } from './contexts.ts'
import { createTables, type TablesByKind, tableFor } from './entity-identity.ts'
import {
  type CompiledFetch,
  compileFetch,
  deduplicateAll,
  type FetchContext,
  type PlanRun,
  pathsOfMissing,
  type RunNode,
  report,
} from './fetch.ts'
import { type ResponsePath, responsePathsOf } from './flatten-path.ts'
import { copyObject, merge } from './merge.ts'
import { type MissingFields, missingFieldsOf } from './missing-fields.ts'
import { ENTITIES, type PlannedFetch } from './planned-fetch.ts'
import { compileRepresentation, type EntityRepresentation, type RepresentEntity } from './representation.ts'
import { type Data, isData } from './response-data.ts'
import { compileRewrites, type Rewrite } from './rewrites.ts'

/** An entity fetch with what every execution of it needs. */
export type CompiledEntityFetch = CompiledFetch & {
  readonly represent: RepresentEntity
  readonly rewriteInput: Rewrite | null
  /** Contextual arguments; null where the fetch has none. */
  readonly contexts: Contexts | null
  /** Whether its selection of an entity has objects. */
  readonly hasObjects: boolean
}

/** Representations of one entity fetch, one per distinct entity. */
export type Representations = {
  readonly representations: readonly Data[]
  /** Objects that the fetch completes. */
  readonly targets: readonly Data[]
  /** For each target, the index of its representation. */
  readonly indexes: readonly number[]
  /** Representations grouped by contextual arguments; absent without such arguments. */
  readonly groups?: readonly RepresentedGroup[]
  /**
   * For each representation, whether its entity was written by another fetch of a merged request,
   * which may go on with it. Absent: nobody else gets these entities.
   */
  readonly written?: Uint8Array | null
}

export function compileEntityFetch(fetch: PlannedFetch, context: FetchContext): CompiledEntityFetch {
  const { requires = [], contextRewrites, inputRewrites } = fetch.node
  return {
    ...compileFetch(fetch, context),
    represent: compileRepresentation(requires, context.isOf, context.keyFieldsOf),
    contexts: contextRewrites ? compileContexts(fetch, contextRewrites, context.isOf) : null,
    rewriteInput: compileRewrites(inputRewrites, context.isOf),
    hasObjects: fetch.selected.some(({ below }) => below),
  }
}

/** Runs an entity fetch alone. */
export function runEntityFetch(parts: CompiledEntityFetch): RunNode {
  const { fetchSubgraph, inputOf, contexts } = parts
  return async (run, objects) => {
    const collected = contexts ? collectByContext(parts, contexts, run.data) : collectRepresentations(parts, objects)
    const { representations, groups } = collected
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
    writeEntities(parts, run, result, collected)
  }
}

/** Writes the entities of a result into their targets, and reports what is missing. */
export function writeEntities(
  parts: CompiledEntityFetch,
  run: PlanRun,
  { data, errors, unfetched }: EntityResult,
  collected: Representations,
): void {
  const { rewrite, sharedPaths, hasObjects } = parts
  const { representations, targets } = collected
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

/** Distinct representations so far, with their indexes by identity. */
export type RepresentationList = {
  readonly representations: Data[]
  readonly tables: TablesByKind<EntityRepresentation, number>
}

export const createRepresentationList = (): RepresentationList => ({ representations: [], tables: createTables() })

/** Collects representations of the objects; equal ones only once. */
export function collectRepresentations(
  { represent, rewriteInput }: Pick<CompiledEntityFetch, 'represent' | 'rewriteInput'>,
  objects: readonly Data[],
  { representations, tables }: RepresentationList = createRepresentationList(),
): Representations {
  const indexes: number[] = []
  const targets: Data[] = []
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
function collectByContext(parts: CompiledEntityFetch, contexts: Contexts, root: Data): Representations {
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
  { selected, isOf, isSplitByType }: CompiledEntityFetch,
  entities: readonly unknown[],
  { representations, targets, indexes, written = null }: Representations,
): boolean {
  let isShaped = true
  const isMerged = written ?? (isSplitByType && representations.length < targets.length ? new Uint8Array(entities.length) : null)
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
  parts: CompiledEntityFetch,
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
function reportEntityError(
  parts: CompiledEntityFetch,
  run: PlanRun,
  error: GraphQLError,
  { targets, indexes }: Representations,
): void {
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
  { selected, clientKey, path: fetchPath }: CompiledEntityFetch,
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

function clientPathsOf(
  { path, clientKey }: CompiledEntityFetch,
  run: PlanRun,
  objects: readonly Data[],
): readonly ResponsePath[] {
  const paths = responsePathsOf(run.data, path)
  return [...new Set(objects)].flatMap((object) => (paths.get(object) ?? []).map((each) => each.map(clientKey)))
}
