import type { FetchNode, PlanNode, QueryPlan } from '@apollo/query-planner'
import {
  type GraphQLCompositeType,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLUnionType,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
} from 'graphql'
import { ownValue } from '../../platform/collections/lookup-table.ts'
import { type PathSegment, parseFlattenPath } from '../executor/federated/flatten-path.ts'
import { ENTITIES } from '../executor/federated/planned-fetch.ts'
import { documentIndex, type Fragments, fragmentOf } from '../operations/document-index.ts'
import { type CostContext, compileSelectionCost, defaultWeight, type SelectionCost, wholePoints } from './cost-limit.ts'
import type { CoercedVariables, Count } from './cost-terms.ts'
import type { CostWeights } from './cost-weights.ts'

/** Points that a plan sends to each subgraph, for coerced variables. */
export type SubgraphCosts = (variables: CoercedVariables) => ReadonlyMap<string, number>

/** A fetch with its condition. */
type CountedFetch = {
  readonly node: FetchNode
  readonly path: readonly PathSegment[]
  readonly isOn: ((variables: CoercedVariables) => boolean) | null
}

/**
 * Compiles the cost per subgraph: the sum of its fetches, with the operation's weights. The number
 * of entities is the product of enclosing list lengths, because equal entities are not known in
 * advance. `schema` has everything that plans can fetch, including `@inaccessible` elements.
 */
export function compileSubgraphCosts(schema: GraphQLSchema, weights: CostWeights, { node }: QueryPlan): SubgraphCosts {
  const lengths = new Map<string, Count[]>()
  const onLength = (path: string, length: Count): void => {
    lengths.set(path, [...(lengths.get(path) ?? []), length])
  }
  const counted = countedFetches(node).map((fetch) => ({
    subgraph: fetch.node.serviceName,
    count: countOf(fetch),
  }))
  return (variables) => {
    const points = new Map<string, number>()
    for (const { subgraph, count } of counted) points.set(subgraph, (points.get(subgraph) ?? 0) + count(variables))
    for (const [subgraph, sum] of points) points.set(subgraph, wholePoints(sum))
    return points
  }

  function countOf({ node, path, isOn }: CountedFetch): Count {
    const document = parse(node.operation, { noLocation: true })
    const context = { schema, weights, document, pages: [], onLength }
    const { each, once } = node.requires ? entityCost(context, pathText(path)) : rootCost(context, node, pathText(path))
    const times = node.requires ? entitiesAt(path) : () => 1
    return (variables) => (isOn && !isOn(variables) ? 0 : times(variables) * each(variables) + once(variables))
  }

  /** Product of the list lengths on a path; of several fields at one path the longest counts. */
  function entitiesAt(path: readonly PathSegment[]): Count {
    const prefixes = path.flatMap(({ key }, index) => {
      const isLast = path[index + 1]?.key !== null
      const isList = key === null
      return isLast ? [{ text: pathText(path.slice(0, index + 1)), isList }] : []
    })
    return (variables) => {
      let times = 1
      for (const { text, isList } of prefixes) {
        const known = lengths.get(text)
        if (known) times *= Math.max(...known.map((length) => length(variables)))
        else if (isList) times *= weights.defaults.listFactor
      }
      return times
    }
  }
}

function rootCost(context: CostContext, { operationKind }: FetchNode, path: string): SelectionCost {
  const root = context.schema.getRootType(operationKind)
  const [operation] = documentIndex(context.document).operations
  return root && operation ? compileSelectionCost(context, operation.selectionSet, root, path) : NOTHING
}

/** Cost of one entity and its selection: of the most expensive type. */
function entityCost(context: CostContext, path: string): SelectionCost {
  const { operations, fragments } = documentIndex(context.document)
  const entities = operations[0]?.selectionSet.selections.find(
    (selection) => selection.kind === Kind.FIELD && selection.name.value === ENTITIES,
  )
  if (entities?.kind !== Kind.FIELD || !entities.selectionSet) return NOTHING
  const types = objectTypesIn(entities.selectionSet, fragments, context.schema)
  const [first] = types
  if (!first) return NOTHING
  const parent: GraphQLCompositeType = types.length === 1 ? first : new GraphQLUnionType({ name: ENTITY, types: [...types] })
  const { each, once } = compileSelectionCost(context, entities.selectionSet, parent, path)
  const { weights } = context
  const own = Math.max(...types.map((type) => weights.costs.get(type.name) ?? defaultWeight(weights, type, getNamedType(type))))
  return { each: (variables) => own + each(variables), once }
}

/** Union of all entity types of a subgraph. */
const ENTITY = '_Entity'

function objectTypesIn(
  selectionSet: SelectionSetNode,
  fragments: Fragments,
  schema: GraphQLSchema,
): readonly GraphQLObjectType[] {
  const types = selectionSet.selections.flatMap((selection): readonly GraphQLObjectType[] => {
    if (selection.kind === Kind.FIELD) return []
    const fragment = fragmentOf(selection, fragments)
    const type = fragment?.typeCondition && schema.getType(fragment.typeCondition.name.value)
    if (!fragment || !isCompositeType(type)) return fragment ? objectTypesIn(fragment.selectionSet, fragments, schema) : []
    if (isObjectType(type)) return [type]
    return isAbstractType(type) ? schema.getPossibleTypes(type) : []
  })
  return [...new Set(types)]
}

/** Fetches of a plan; of a subscription, those for one event. */
function countedFetches(node: QueryPlan['node']): readonly CountedFetch[] {
  if (!node) return []
  if (node.kind !== 'Subscription') return fetchesBelow(node, [], null)
  return [node.primary, node.rest].flatMap((each) => (each ? fetchesBelow(each, [], null) : []))
}

function fetchesBelow(node: PlanNode, path: CountedFetch['path'], isOn: CountedFetch['isOn']): readonly CountedFetch[] {
  switch (node.kind) {
    case 'Fetch':
      return [{ node, path, isOn }]
    case 'Flatten':
      return fetchesBelow(node.node, [...path, ...parseFlattenPath(node.path)], isOn)
    case 'Sequence':
    case 'Parallel':
      return node.nodes.flatMap((each) => fetchesBelow(each, path, isOn))
    case 'Condition': {
      const when = (wanted: boolean) => (variables: CoercedVariables) =>
        (isOn?.(variables) ?? true) && (ownValue(variables, node.condition) === true) === wanted
      return [
        ...(node.ifClause ? fetchesBelow(node.ifClause, path, when(true)) : []),
        ...(node.elseClause ? fetchesBelow(node.elseClause, path, when(false)) : []),
      ]
    }
    case 'Defer':
      return [node.primary, ...node.deferred].flatMap((each) => (each.node ? fetchesBelow(each.node, path, isOn) : []))
  }
}

const NOTHING: SelectionCost = { each: () => 0, once: () => 0 }

/** Path in the format of `onLength`: each segment after a dot. */
const pathText = (path: readonly PathSegment[]): string => path.map(({ key }) => `.${key ?? '@'}`).join('')
