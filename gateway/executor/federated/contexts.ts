import type { FetchDataKeyRenamer } from '@apollo/query-planner'
import { type DocumentNode, type ExecutionResult, GraphQLError, Kind, visit } from 'graphql'
import { compileContextPath } from './context-path.ts'
import type { PathSegment } from './flatten-path.ts'
import { type JoinedDocument, joinEntityDocuments, representationsOf, resultOfAlias } from './joined-documents.ts'
import { ENTITIES, type PlannedFetch } from './planned-fetch.ts'
import { type Data, isData, type TypeTest } from './response-data.ts'

/** The values of the contextual arguments of a fetch (`@fromContext`), by variable name. */
export type ContextValues = Readonly<Record<string, unknown>>

/** Objects with equal context values, for which one `_entities` selection suffices. */
export type ContextGroup = { readonly values: ContextValues; readonly targets: Data[] }

/** A group with its distinct representations. */
export type RepresentedGroup = { readonly values: ContextValues; readonly representations: readonly Data[] }

/** Sends a request: with this document, or for null with the document of the plan. */
export type SendGroups = (variables: Record<string, unknown>, document: JoinedDocument | null) => Promise<ExecutionResult>

/** Reads the context values of one fetch, and sends its requests. */
export type Contexts = {
  /** Objects at the fetch's path in order, grouped by their context values. */
  readonly groupsIn: (root: Data) => readonly ContextGroup[]
  /**
   * Fetches all groups; the result is that of one list of entities in order. `own`: client
   * variables of the fetch.
   */
  readonly fetch: (
    groups: readonly RepresentedGroup[],
    own: () => Record<string, unknown>,
    send: SendGroups,
  ) => Promise<ExecutionResult>
}

/** Groups per request, which bounds the length of its text; more groups need several requests. */
const MAX_GROUPS_PER_REQUEST = 25

/**
 * Compiles the contexts of a fetch. A context is a value of an enclosing object, so equal entities
 * at different paths may have different arguments.
 */
export function compileContexts(
  { document, path }: Pick<PlannedFetch, 'document' | 'path'>,
  rewrites: readonly FetchDataKeyRenamer[],
  isOf: TypeTest,
): Contexts {
  const reads = rewrites.map(({ path: steps, renameKeyTo }) => ({ name: renameKeyTo, read: compileContextPath(steps, isOf) }))
  const names = new Set(reads.map(({ name }) => name))
  const required = [...nonNullVariables(document)].filter((name) => names.has(name))
  const documents = new Map<number, JoinedDocument>()
  return { groupsIn, fetch }

  function groupsIn(root: Data): readonly ContextGroup[] {
    const groups = new Map<string, ContextGroup>()
    forEachWithAncestors(root, path, (ancestors, target) => {
      const values: Record<string, unknown> = {}
      for (const { name, read } of reads) {
        const value = values[name] === undefined ? read(ancestors) : undefined
        if (value !== undefined) values[name] = value
      }
      const key = JSON.stringify(values)
      const group = groups.get(key)
      if (group) group.targets.push(target)
      else groups.set(key, { values, targets: [target] })
    })
    return [...groups.values()]
  }

  async function fetch(...[groups, own, send]: Parameters<Contexts['fetch']>): Promise<ExecutionResult> {
    const requests: RepresentedGroup[][] = []
    for (const group of groups) {
      if (!isComplete(group)) continue
      const last = requests.at(-1)
      if (last && last.length < MAX_GROUPS_PER_REQUEST) last.push(group)
      else requests.push([group])
    }
    const results = new Map<RepresentedGroup, ExecutionResult>()
    await Promise.all(
      requests.map(async (request) => {
        for (const [group, result] of await sendOne(request, own(), send)) results.set(group, result)
      }),
    )
    return joined(groups, results)
  }

  async function sendOne(
    request: readonly RepresentedGroup[],
    own: Record<string, unknown>,
    send: SendGroups,
  ): Promise<readonly (readonly [RepresentedGroup, ExecutionResult])[]> {
    const [only, ...others] = request
    if (only && others.length === 0) {
      return [[only, await send({ ...own, ...only.values, representations: only.representations }, null)]]
    }
    const result = await send(groupVariables(own, request), documentFor(request.length))
    return request.map((group, index) => [group, resultOfAlias(index, result, request.length)])
  }

  /**
   * Whether every non-null argument has a value: a subgraph would reject the whole request
   * otherwise.
   */
  function isComplete({ values }: RepresentedGroup): boolean {
    return required.every((name) => (values[name] ?? null) !== null)
  }

  function documentFor(count: number): JoinedDocument {
    const known = documents.get(count)
    if (known) return known
    const made = joinEntityDocuments(
      Array.from({ length: count }, () => document),
      names,
    )
    documents.set(count, made)
    return made
  }
}

/** Adds the variables of each group, with its suffix, to the client's. */
function groupVariables(own: Record<string, unknown>, groups: readonly RepresentedGroup[]): Record<string, unknown> {
  for (const [index, { values, representations }] of groups.entries()) {
    own[representationsOf(index)] = representations
    for (const [name, value] of Object.entries(values)) own[`${name}_${index}`] = value
  }
  return own
}

/**
 * Joins the results of groups into that of one list of entities. A group without a valid result
 * gets nulls and an error; `data` is null when no group has data.
 */
function joined(groups: readonly RepresentedGroup[], results: ReadonlyMap<RepresentedGroup, ExecutionResult>): ExecutionResult {
  const entities: unknown[] = []
  const errors: GraphQLError[] = []
  let hasData = false
  for (const group of groups) {
    const start = entities.length
    const { length } = group.representations
    const result = results.get(group)
    for (const error of result?.errors ?? []) errors.push(fromStart(error, start))
    const own = result?.data?.[ENTITIES]
    if (Array.isArray(own) && own.length === length) {
      hasData = true
      for (const entity of own) entities.push(entity)
      continue
    }
    for (let index = 0; index < length; index++) entities.push(null)
    if (!result) errors.push(...group.representations.map((_, index) => missingContext(start + index)))
    else if (result.data) errors.push(invalidAnswer(`Expected a list of ${length} entities from a service.`))
  }
  return { data: hasData || results.size < groups.length ? { [ENTITIES]: entities } : null, errors }
}

const invalidAnswer = (message: string, path?: GraphQLError['path']): GraphQLError =>
  new GraphQLError(message, { ...(path && { path }), extensions: { code: 'INVALID_SUBGRAPH_ANSWER' } })

const missingContext = (index: number): GraphQLError =>
  invalidAnswer('Expected a value for a contextual argument, got null.', [ENTITIES, index])

/** Moves an error's path to the group's start in the joined list. */
function fromStart({ message, path, extensions }: GraphQLError, start: number): GraphQLError {
  const [, index, ...rest] = path ?? []
  const moved = typeof index === 'number' ? { path: [ENTITIES, start + index, ...rest] } : {}
  return new GraphQLError(message, { ...moved, extensions })
}

/** Calls `found` for each object at a path, with its enclosing objects from the root to itself. */
function forEachWithAncestors(
  root: Data,
  segments: readonly PathSegment[],
  found: (ancestors: readonly Data[], target: Data) => void,
): void {
  const ancestors: Data[] = []
  visitValue(root, 0)

  function visitValue(value: unknown, at: number): void {
    const segment = segments[at]
    if (segment?.key === null) {
      if (Array.isArray(value)) for (const item of value) if (matches(item, segment)) visitValue(item, at + 1)
      return
    }
    if (!isData(value)) return
    ancestors.push(value)
    if (!segment) found(ancestors, value)
    else if (matches(value[segment.key], segment)) visitValue(value[segment.key], at + 1)
    ancestors.pop()
  }
}

const matches = (value: unknown, { types }: PathSegment): boolean =>
  types === null || (isData(value) && typeof value.__typename === 'string' && types.has(value.__typename))

function nonNullVariables(document: DocumentNode): ReadonlySet<string> {
  const names = new Set<string>()
  visit(document, {
    VariableDefinition({ variable, type, defaultValue }) {
      if (type.kind === Kind.NON_NULL_TYPE && !defaultValue) names.add(variable.name.value)
    },
  })
  return names
}
