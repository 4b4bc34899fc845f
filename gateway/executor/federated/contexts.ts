import type { FetchDataKeyRenamer } from '@apollo/query-planner'
import { type DocumentNode, type ExecutionResult, GraphQLError, Kind, print, visit } from 'graphql'
import { compileContextPath } from './context-path.ts'
import type { PathSegment } from './flatten-path.ts'
import { ENTITIES, type PlannedFetch } from './planned-fetch.ts'
import { type Data, isData, type TypeTest } from './response-data.ts'

/** The values of the contextual arguments of a fetch (`@fromContext`), by variable name. */
export type ContextValues = Readonly<Record<string, unknown>>

/** Objects with equal context values, for which one `_entities` selection suffices. */
export type ContextGroup = { readonly values: ContextValues; readonly targets: Data[] }

/** A group with its distinct representations. */
export type RepresentedGroup = { readonly values: ContextValues; readonly representations: readonly Data[] }

/**
 * A document that fetches several groups: group `n` has alias `_n` and variables with suffix `_n`.
 */
export type ContextDocument = { readonly query: string; readonly document: DocumentNode }

/** Sends a request: with this document, or for null with the document of the plan. */
export type SendGroups = (variables: Record<string, unknown>, document: ContextDocument | null) => Promise<ExecutionResult>

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
  const documents = new Map<number, ContextDocument>()
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
    return request.map((group, index) => [group, resultOf(index, result, request.length)])
  }

  /**
   * Whether every non-null argument has a value: a subgraph would reject the whole request
   * otherwise.
   */
  function isComplete({ values }: RepresentedGroup): boolean {
    return required.every((name) => (values[name] ?? null) !== null)
  }

  function documentFor(count: number): ContextDocument {
    const known = documents.get(count)
    if (known) return known
    const made = aliased(document, names, count)
    documents.set(count, made)
    return made
  }
}

/** Adds the variables of each group, with its suffix, to the client's. */
function groupVariables(own: Record<string, unknown>, groups: readonly RepresentedGroup[]): Record<string, unknown> {
  for (const [index, { values, representations }] of groups.entries()) {
    own[`representations_${index}`] = representations
    for (const [name, value] of Object.entries(values)) own[`${name}_${index}`] = value
  }
  return own
}

/** Result of one alias. Errors without an alias go to the first group. */
function resultOf(index: number, { data, errors = [] }: ExecutionResult, count: number): ExecutionResult {
  const alias = `_${index}`
  const isOfOther = (key: unknown) => typeof key === 'string' && /^_\d+$/.test(key) && Number(key.slice(1)) < count
  const own = errors.flatMap((error) => {
    const key = error.path?.[0]
    if (key === alias) return [error]
    return index === 0 && !isOfOther(key) ? [new GraphQLError(error.message, { extensions: error.extensions })] : []
  })
  return { data: data ? { [ENTITIES]: data[alias] } : null, errors: own }
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

/**
 * Copies a document's `_entities` selection for each group, with separate fragments and variables.
 */
function aliased(document: DocumentNode, contexts: ReadonlySet<string>, count: number): ContextDocument {
  const copies = Array.from({ length: count }, (_, index) => copyFor(document, contexts, index))
  const operations = copies.flatMap(({ definitions }) =>
    definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION),
  )
  const [first] = operations
  if (!first) throw new Error('Expected a fetch with an operation.')
  const variables = new Map(
    operations.flatMap(({ variableDefinitions = [] }) =>
      variableDefinitions.map((each) => [each.variable.name.value, each] as const),
    ),
  )
  const joined: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [
      {
        ...first,
        variableDefinitions: [...variables.values()],
        selectionSet: { ...first.selectionSet, selections: operations.flatMap(({ selectionSet }) => selectionSet.selections) },
      },
      ...copies.flatMap(({ definitions }) => definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION)),
    ],
  }
  return { query: print(joined), document: joined }
}

function copyFor(document: DocumentNode, contexts: ReadonlySet<string>, index: number): DocumentNode {
  const suffixed = <Node extends { readonly name: { readonly value: string } }>(node: Node): Node => ({
    ...node,
    name: { ...node.name, value: `${node.name.value}_${index}` },
  })
  return visit(document, {
    Variable: (node) => (contexts.has(node.name.value) || node.name.value === 'representations' ? suffixed(node) : undefined),
    FragmentSpread: (node) => suffixed(node),
    FragmentDefinition: { leave: (node) => suffixed(node) },
    Field: (node) => (node.name.value === ENTITIES ? { ...node, alias: { kind: Kind.NAME, value: `_${index}` } } : undefined),
  })
}
