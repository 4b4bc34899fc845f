import type { QueryPlan } from '@apollo/query-planner'
import {
  type DocumentNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'

/**
 * What a response depends on, or what a change affects: names of subgraphs and of object types,
 * prefixed by `subgraph ` and `type `.
 */
export type Dependencies = ReadonlySet<string>

const subgraphKey = (name: string): string => `subgraph ${name}`
const typeKey = (name: string): string => `type ${name}`

/** The dependencies of a query: every subgraph in its plan, every object type in its selections. */
export function dependenciesOf(document: DocumentNode, plan: QueryPlan, schema: GraphQLSchema): Dependencies {
  const fetches = fetchesIn(plan)
  return new Set([
    ...fetches.map(({ serviceName }) => subgraphKey(serviceName)),
    ...[document, ...fetches.map(({ operation }) => parse(operation, { noLocation: true }))].flatMap((text) =>
      typesIn(text, schema),
    ),
  ])
}

/**
 * What a mutation may change: all data of the subgraphs that execute it, because its response need
 * not name deleted objects; and the types it selects, because other subgraphs may extend them.
 */
export function mutationChanges(document: DocumentNode, plan: QueryPlan, schema: GraphQLSchema): Dependencies {
  const mutating = fetchesIn(plan).filter(({ operationKind }) => operationKind === 'mutation')
  return new Set([...mutating.map(({ serviceName }) => subgraphKey(serviceName)), ...typesIn(document, schema)])
}

/** Dependencies of a subgraph's announcement: these types, or the whole subgraph for null. */
export const announcedChanges = (subgraph: string, types: readonly string[] | null, schema: GraphQLSchema): Dependencies =>
  new Set(types ? types.flatMap((name) => objectTypesOf(schema.getType(name), schema)) : [subgraphKey(subgraph)])

/** Every object type that a field of `document` returns or belongs to. */
function typesIn(document: DocumentNode, schema: GraphQLSchema): readonly string[] {
  const types = new Set<GraphQLNamedType>()
  const info = new TypeInfo(schema)
  visit(
    document,
    visitWithTypeInfo(info, {
      Field() {
        const [parent, type] = [info.getParentType(), info.getType()]
        if (parent) types.add(parent)
        if (type && isCompositeType(getNamedType(type))) types.add(getNamedType(type))
      },
    }),
  )
  return [...types].flatMap((type) => objectTypesOf(type, schema))
}

/** An object type, or the possible types of an abstract one. Root types are left out. */
function objectTypesOf(type: GraphQLNamedType | undefined, schema: GraphQLSchema): readonly string[] {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  const objects = isAbstractType(type) ? schema.getPossibleTypes(type) : isObjectType(type) ? [type] : []
  return objects.filter((object) => !roots.includes(object)).map(({ name }) => typeKey(name))
}

type Fetch = { readonly serviceName: string; readonly operation: string; readonly operationKind: string }

/** Every fetch of a plan. */
function fetchesIn(part: unknown): readonly Fetch[] {
  if (Array.isArray(part)) return part.flatMap(fetchesIn)
  if (typeof part !== 'object' || part === null) return []
  // A plan node of kind Fetch has the properties of `Fetch`.
  if ('kind' in part && part.kind === 'Fetch') return [part as unknown as Fetch]
  return ['node', 'nodes', 'primary', 'rest', 'ifClause', 'elseClause'].flatMap((key) => fetchesIn(Reflect.get(part, key)))
}
