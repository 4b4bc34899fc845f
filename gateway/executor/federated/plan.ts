import type { PlanNode, QueryPlan } from '@apollo/query-planner'
import { type DocumentNode, execute, type FieldNode, Kind, type SelectionSetNode } from 'graphql'
import { boundedCache } from '../../../platform/collections/bounded-cache.ts'
import type { Refused } from '../../authorization/authorization.ts'
import type { Outcome } from '../../operations/execution-result.ts'
import type { Supergraph } from '../../planning/supergraph.ts'
import type { Link, Passage } from '../../subgraph-client/link.ts'
import { type Conditions, conditionsOf } from './conditions.ts'
import { fetchesIn, nameOf, type PlannedFetch, type Shared, sharedIn } from './deduplicate-entities.ts'
import { type Owned, ownedIn } from './exclusive-paths.ts'
import { type Ask, compileFetch, type PlanRun, type RunNode } from './fetch.ts'
import { objectsAt, type Step, stepsOf } from './flatten-path.ts'
import { noProblems } from './plan-errors.ts'
import type { PlannedDocument } from './planned-document.ts'
import { compileShape, type Given, type RefusedParts, type Shape } from './projection.ts'
import type { Data } from './response-data.ts'

/** Runs a plan for one request. `variables` are the client's own, known to be valid. */
export type RunPlan = (
  variables: Readonly<Record<string, unknown>>,
  passage: Passage,
  /** Answers the fetches that the plan has from `EVENT`. */
  event?: PlanRun['event'],
  /** Describes what is refused; needed where the plan was compiled with refused parts. */
  errorOf?: Refused['errorOf'],
) => Promise<Outcome>

/** The name that stands in a plan for what has happened already: no subgraph can have it. */
export const EVENT = '(event)'

/** How many shapes an operation may have by the values of the variables in its `@skip` and `@include`; a client that tries them all compiles anew. */
const SHAPES = { maxEntries: 16, maxCharacters: 16_000 }

/**
 * Compiles a plan into functions, once; no text of a client becomes code. Throws for what Apollo's planner can plan and we cannot run: `@defer`, which it only
 * plans on request, and `@fromContext`, which Apollo's own executor refuses, too.
 */
export function compilePlan(
  planned: PlannedDocument,
  { node }: QueryPlan,
  supergraph: Supergraph,
  links: ReadonlyMap<string, Link>,
  refused: RefusedParts | null = null,
): RunPlan {
  if (node?.kind === 'Subscription') throw new Error('Expected the plan of a query or a mutation.')
  const { document, operation, keyOf, variablesOf } = planned
  const conditions = conditionsOf(document, operation)
  const fetches = new Map((node ? fetchesIn(node) : []).map((fetch) => [fetch.node, fetch] as const))
  const shared = sharedIn([...fetches.values()])
  const sharedNames = new Set([...shared.values()].flat().map(({ name }) => name))
  const owned = ownedIn([...fetches.values()], (name) => links.get(name)?.schema !== undefined)
  const shapeFor = shapesOf(planned, supergraph, conditions, sharedNames, owned, refused)
  const runNode = node ? compileNode(node, []) : null

  return async (given, passage, event = null, errorOf) => {
    const variables = variablesOf(given)
    const problems = noProblems()
    const data: Data = {}
    const run: PlanRun = { variables, passage, data, problems, united: null, isRepeated: false, event }
    if (runNode) await runNode(run, [data])
    const shaped = shapeFor(variables)(data, variables, problems.unfit, !run.isRepeated, (part, path) => {
      if (errorOf) problems.add({ ...errorOf(part), path: [...path] })
    })
    return problems.errors.length > 0 ? { data: shaped, errors: problems.errors } : { data: shaped }
  }

  function compileNode(node: PlanNode, way: readonly Step[]): RunNode {
    switch (node.kind) {
      case 'Fetch': {
        if (node.contextRewrites) throw new Error('Expected a plan without @fromContext.')
        const fetch = fetches.get(node) as PlannedFetch
        const isParted = fetches.values().some((other) => goesOn(other.way, way) && !hasSameTypes(other.way, way))
        const { isOf, fieldSets } = supergraph
        const keysOf = (typename: string) => fieldSets.keysOf(node.serviceName, typename)
        const ask = askerOf(fetch, links, supergraph.once)
        return compileFetch(fetch, { ask, isOf, keysOf, shared: shared.get(node) ?? [], isParted, keyOf })
      }
      case 'Sequence': {
        const nodes = node.nodes.map((each) => compileNode(each, way))
        return async (run, objects) => {
          for (const each of nodes) await each(run, objects)
        }
      }
      case 'Parallel': {
        const nodes = node.nodes.map((each) => compileNode(each, way))
        return async (run, objects) => {
          await Promise.all(nodes.map((each) => each(run, objects)))
        }
      }
      case 'Flatten': {
        const steps = stepsOf(node.path)
        const whole = [...way, ...steps]
        const [name, inside] = [nameOf(whole), compileNode(node.node, whole)]
        return async (run, objects) => {
          const found = run.united?.get(name) ?? objectsAt(objects, steps)
          if (found.length > 0) await inside(run, found)
        }
      }
      case 'Condition': {
        const [ifTrue, ifFalse] = [node.ifClause, node.elseClause].map((each) => (each ? compileNode(each, way) : null))
        return async (run, objects) => {
          await (conditions.valueOf(node.condition, run.variables) === true ? ifTrue : ifFalse)?.(run, objects)
        }
      }
      case 'Defer':
        throw new Error('Expected a plan without @defer.')
    }
  }
}

/** The shapes that answers to an operation have, by the variables of its conditions; each compiled when it is first needed. */
export function shapesOf(
  planned: PlannedDocument,
  supergraph: Supergraph,
  conditions: Conditions,
  shared: ReadonlySet<Shared['name']> = new Set(),
  owned: Owned = new Map(),
  refused: RefusedParts | null = null,
): (variables: Readonly<Record<string, unknown>>) => Shape {
  const { document, operation, keyOf } = planned
  const shapes = boundedCache<Shape>(SHAPES)
  return (variables) => {
    const key = conditions.keyOf(variables)
    const known = shapes.get(key)
    if (known) return known
    const isOn = conditions.isOnWith(variables)
    const given = ofSchema(planned, supergraph)
    const shape = compileShape({ schema: supergraph.api, document, operation, keyOf, isOn, given, shared, owned, refused })
    shapes.set(key, shape)
    return shape
  }
}

/** Whether a way that goes on leads to all of the objects that the other leads to, and not only to those of some types. */
const hasSameTypes = (way: readonly Step[], from: readonly Step[]): boolean =>
  from.every(({ types }, index) => {
    const others = way[index]?.types ?? null
    return types === null || others === null ? types === others : types.symmetricDifference(others).size === 0
  })

const goesOn = (way: readonly Step[], from: readonly Step[]): boolean => from.every(({ key }, index) => way[index]?.key === key)

function askerOf(
  { node: { serviceName, operation: query, operationName }, document }: PlannedFetch,
  links: ReadonlyMap<string, Link>,
  once: Supergraph['once'],
): Ask {
  if (serviceName === EVENT) {
    return async (_, { event }) => {
      if (!event) throw new Error('Expected an event.')
      return event()
    }
  }
  const link = links.get(serviceName)
  if (!link) throw new Error(`Expected a link to subgraph "${serviceName}".`)
  const isOnce = rootFieldsOf(document).some((name) => once.has(name))
  return (variables, { passage }) => link.execute({ query, operationName, variables, document, isOnce }, passage)
}

/** The names of the fields at the root of a fetch. */
function rootFieldsOf({ definitions }: DocumentNode): readonly string[] {
  return definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION || definition.kind === Kind.FRAGMENT_DEFINITION
      ? fieldsIn(definition.selectionSet)
      : [],
  )
}

/** Without the fields below them. What a named fragment has is found where that is defined. */
const fieldsIn = ({ selections }: SelectionSetNode): readonly string[] =>
  selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection.name.value]
    return selection.kind === Kind.INLINE_FRAGMENT ? fieldsIn(selection.selectionSet) : []
  })

/** What the graph says about itself besides other fields. */
function ofSchema({ document, operation }: PlannedDocument, { api }: Supergraph): Given {
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION)
  return (nodes: readonly FieldNode[]) => {
    const asked: DocumentNode = {
      kind: Kind.DOCUMENT,
      definitions: [
        { ...operation, directives: [], selectionSet: { kind: Kind.SELECTION_SET, selections: nodes } },
        ...fragments,
      ],
    }
    const [first] = nodes
    const key = (first?.alias ?? first?.name)?.value ?? ''
    return (variables) => {
      const answer = execute({ schema: api, document: asked, variableValues: variables })
      if (answer instanceof Promise) throw new Error('Expected a schema that answers at once.')
      return { value: answer.data?.[key], errors: answer.errors ?? [] }
    }
  }
}
