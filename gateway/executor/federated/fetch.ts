import type { ExecutionResult } from 'graphql'
import type { Passage } from '../../subgraph-client/link.ts'
import { ENTITIES, type PlannedFetch, type Shared } from './deduplicate-entities.ts'
import { tableOf, tables } from './entity-identity.ts'
import { pathsTo, type ResponsePath, unite } from './flatten-path.ts'
import { copied, merge } from './merge.ts'
import { type Gap, gapOf } from './missing-fields.ts'
import type { Problems } from './plan-errors.ts'
import { compileRepresentation, type KeysOf, type Represent, type Told } from './representation.ts'
import { type Data, isData, type TypeTest } from './response-data.ts'
import { compileRewrites, type Rewrite, renamedKeys } from './rewrites.ts'

/** One operation of a client while it runs. */
export type PlanRun = {
  readonly variables: Readonly<Record<string, unknown>>
  readonly passage: Passage
  readonly data: Data
  readonly problems: Problems
  /** The objects that a shared way leads to, where something did. */
  united: Map<Shared['name'], readonly Data[]> | null
  /** Whether objects or lists that one fetch answered once stand at several places now, other than those that were united. */
  isRepeated: boolean
  /** What the subgraph of a subscription says about an event. */
  readonly event: (() => Promise<ExecutionResult>) | null
}

/** Asks a subgraph; never rejects. */
export type Ask = (variables: Readonly<Record<string, unknown>>, run: PlanRun) => Promise<ExecutionResult>

/** Runs a part of a plan for the objects that it is about: the root, or what a Flatten leads to. */
export type RunNode = (run: PlanRun, objects: readonly Data[]) => Promise<void>

export type FetchContext = {
  readonly ask: Ask
  readonly isOf: TypeTest
  readonly keysOf: KeysOf
  /** What is to be made one of what the fetch is answered. */
  readonly shared: readonly Shared[]
  /** Whether another fetch goes on with only some of the objects that this one is about. */
  readonly isParted: boolean
  readonly keyOf: (key: string) => string
}

/** Compiles a fetch: of fields of the root, or of entities that other fetches found. */
export function compileFetch(fetch: PlannedFetch, context: FetchContext): RunNode {
  const { node } = fetch
  const inputOf = variablesFor(node.variableUsages ?? [])
  const rewrite = compileRewrites(node.outputRewrites, context.isOf)
  const parts = { ...fetch, ...context, inputOf, rewrite, keyIn: keysBack(fetch, context) }
  if (!node.requires) return fetchOfFields(parts)
  const represent = compileRepresentation(node.requires, context.isOf, context.keysOf)
  return fetchOfEntities({ ...parts, represent, prepare: compileRewrites(node.inputRewrites, context.isOf) })
}

type Parts = FetchContext &
  Pick<PlannedFetch, 'selected' | 'way'> & {
    readonly inputOf: (variables: Readonly<Record<string, unknown>>) => Record<string, unknown>
    readonly rewrite: Rewrite | null
    /** The client's key for one that the subgraph was asked for. */
    readonly keyIn: (key: string | number) => string | number
  }

function fetchOfFields({ ask, isOf, inputOf, rewrite, selected, way, shared, keyIn }: Parts): RunNode {
  return async (run, objects) => {
    const { data, errors } = await ask(inputOf(run.variables), run)
    // The same is answered for all of them, if there are several at all.
    const places = () => (way.length === 0 ? [[]] : [...pathsTo(run.data, way).values()].flat().map((path) => path.map(keyIn)))
    const gaps: Gap[] = []
    for (const error of errors ?? []) {
      const path = error.path?.map(keyIn)
      for (const place of path ? places() : [null]) report(run.problems, error, place && path && [...place, ...path])
      const gap = data && error.path ? gapOf(data, error.path, selected, keyIn) : null
      if (gap) gaps.push(gap)
    }
    if (gaps.length > 0)
      run.problems.missing(() => places().flatMap((place) => gaps.flatMap((gap) => pathsIn(gap, place, keyIn))))
    if (!data) {
      run.problems.missing(() => places().flatMap((place) => selected.map(({ key }) => [...place, keyIn(key)])))
      return
    }
    rewrite?.(data)
    objects.forEach((object, index) => {
      merge(object, (index === 0 ? data : copied(data, selected)) as Data, selected, isOf)
    })
    uniteAll(run, objects, shared)
  }
}

function uniteAll(run: PlanRun, objects: readonly Data[], shared: readonly Shared[]): void {
  for (const { name, steps, identity } of shared) {
    run.united ??= new Map()
    run.united.set(name, unite(objects, steps, identity))
  }
}

function fetchOfEntities({
  ask,
  isOf,
  inputOf,
  rewrite,
  selected,
  way,
  shared,
  keyIn,
  isParted,
  represent,
  prepare,
}: Parts & { readonly represent: Represent; readonly prepare: Rewrite | null }): RunNode {
  const hasParts = selected.some(({ below }) => below)
  return async (run, objects) => {
    const representations: Data[] = []
    /** For each of `targets`, the place of its representation: equal ones are asked about once. */
    const places: number[] = []
    const targets: Data[] = []
    const known = tables<Told, number>()
    for (let index = 0; index < objects.length; index++) {
      const object = objects[index] as Data
      const told = represent(object)
      if (!told) continue
      const placeBy = tableOf(known, told)
      let identity = told.identity(object)
      let place = placeBy.get(identity)
      if (place === undefined) {
        const representation = told.representation(object)
        if (!representation) continue
        identity ??= JSON.stringify(representation)
        place = placeBy.get(identity)
        if (place === undefined) {
          prepare?.(representation)
          place = representations.push(representation) - 1
          placeBy.set(identity, place)
        }
      }
      places.push(place)
      targets.push(object)
    }
    if (representations.length === 0) return

    const variables = inputOf(run.variables)
    variables.representations = representations
    const { data, errors } = await ask(variables, run)
    const entities = data?.[ENTITIES]
    if (errors) {
      for (const error of errors) reportOf(run, error, targets, places)
      if (Array.isArray(entities)) explain(run, errors, entities, targets, places)
    }

    if (!Array.isArray(entities) || entities.length !== representations.length) {
      run.problems.missing(() => pathsOf(run, targets))
      if (data) {
        const message = `Expected a list of ${representations.length} entities from a service.`
        run.problems.add({ message, extensions: { code: 'INVALID_SUBGRAPH_ANSWER' } })
      }
      return
    }
    rewrite?.(entities)
    const isTaken = isParted && representations.length < targets.length ? new Uint8Array(entities.length) : null
    if (hasParts && representations.length < targets.length) run.isRepeated = true
    for (let index = 0; index < targets.length; index++) {
      const place = places[index] as number
      const entity: unknown = entities[place]
      if (!isData(entity)) continue
      // What equal entities are answered may be one object at all of their places, unless other fetches add different things to it.
      const own = isTaken?.[place] ? (copied(entity, selected) as Data) : entity
      merge(targets[index] as Data, own, selected, isOf)
      if (isTaken) isTaken[place] = 1
    }
    uniteAll(run, targets, shared)
  }

  /** An error about one entity is an error at every place where that entity is. */
  function reportOf(
    run: PlanRun,
    error: NonNullable<ExecutionResult['errors']>[number],
    targets: readonly Data[],
    places: readonly number[],
  ): void {
    const [first, place, ...rest] = error.path ?? []
    if (first !== ENTITIES || typeof place !== 'number') {
      report(run.problems, error, null)
      return
    }
    const own = targets.filter((_, index) => places[index] === place)
    for (const path of pathsOf(run, own)) report(run.problems, error, [...path, ...rest.map(keyIn)])
  }

  /** Remembers what errors about entities explain beside the fields that they name. */
  function explain(
    run: PlanRun,
    errors: NonNullable<ExecutionResult['errors']>,
    entities: readonly unknown[],
    targets: readonly Data[],
    places: readonly number[],
  ): void {
    const gaps = new Map<number, Gap[]>()
    for (const { path } of errors) {
      const [first, place, ...rest] = path ?? []
      if (first !== ENTITIES || typeof place !== 'number') continue
      const gap = gapOf(entities[place], rest, selected, keyIn)
      if (gap) gaps.set(place, [...(gaps.get(place) ?? []), gap])
    }
    if (gaps.size === 0) return
    run.problems.missing(() => {
      const paths = pathsTo(run.data, way)
      return targets.flatMap((target, index) => {
        const own = gaps.get(places[index] as number) ?? []
        const at = own.length === 0 ? [] : (paths.get(target) ?? [])
        return at.flatMap((path) => own.flatMap((gap) => pathsIn(gap, path.map(keyIn), keyIn)))
      })
    })
  }

  function pathsOf(run: PlanRun, objects: readonly Data[]): readonly ResponsePath[] {
    const paths = pathsTo(run.data, way)
    return [...new Set(objects)].flatMap((object) => (paths.get(object) ?? []).map((path) => path.map(keyIn)))
  }
}

/** The paths of a gap, as the client knows them, below the object that the fetch was about. */
const pathsIn = ({ at, keys }: Gap, place: ResponsePath, keyIn: Parts['keyIn']): ResponsePath[] =>
  keys.map((key) => [...place, ...at.map(keyIn), keyIn(key)])

/** Errors about the plan have no code; those of links do. */
function report(
  { add }: Problems,
  { message, extensions }: NonNullable<ExecutionResult['errors']>[number],
  path: ResponsePath | null | undefined,
): void {
  add({ message, ...(path && { path }), extensions: { ...extensions, code: extensions?.code ?? 'INTERNAL_SERVER_ERROR' } })
}

/** Picks what a fetch uses; it must not send values that the client did not. */
function variablesFor(names: readonly string[]): Parts['inputOf'] {
  return (variables) => {
    const own: Record<string, unknown> = {}
    for (const name of names) if (Object.hasOwn(variables, name) && variables[name] !== undefined) own[name] = variables[name]
    return own
  }
}

function keysBack({ node: { outputRewrites } }: PlannedFetch, { keyOf }: FetchContext): Parts['keyIn'] {
  const renamed = renamedKeys(outputRewrites)
  return (key) => (typeof key === 'number' ? key : keyOf(renamed.get(key) ?? key))
}
