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

/** What an answer is made of, or what a change concerns: names of subgraphs and of object types, told apart by `subgraph` and `type` in front. */
export type Dependencies = ReadonlySet<string>

const ofSubgraph = (name: string): string => `subgraph ${name}`
const ofType = (name: string): string => `type ${name}`

/** What the answer to a query is made of: every subgraph that is asked, and every object type that is selected or asked for on the way. */
export function dependenciesOf(document: DocumentNode, plan: QueryPlan, schema: GraphQLSchema): Dependencies {
  const fetches = fetchesIn(plan)
  return new Set([
    ...fetches.map(({ serviceName }) => ofSubgraph(serviceName)),
    ...[document, ...fetches.map(({ operation }) => parse(operation, { noLocation: true }))].flatMap((text) =>
      typesIn(text, schema),
    ),
  ])
}

/**
 * What a mutation may have changed: everything in the subgraphs that carry it out, for its answer need not name what it deletes, and every type that its
 * answer may name, for other subgraphs may know that, too.
 */
export function mutationChanges(document: DocumentNode, plan: QueryPlan, schema: GraphQLSchema): Dependencies {
  const carrying = fetchesIn(plan).filter(({ operationKind }) => operationKind === 'mutation')
  return new Set([...carrying.map(({ serviceName }) => ofSubgraph(serviceName)), ...typesIn(document, schema)])
}

/** What a subgraph says that has changed: objects of these types, or anything that it knows when it does not say. */
export const announcedChanges = (subgraph: string, types: readonly string[] | null, schema: GraphQLSchema): Dependencies =>
  new Set(types ? types.flatMap((name) => objectsOf(schema.getType(name), schema)) : [ofSubgraph(subgraph)])

/** Every object type that a field in `document` leads to or belongs to. */
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
  return [...types].flatMap((type) => objectsOf(type, schema))
}

/** An object type, or those that an abstract type may be. Roots are none: everything belongs to them. */
function objectsOf(type: GraphQLNamedType | undefined, schema: GraphQLSchema): readonly string[] {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  const objects = isAbstractType(type) ? schema.getPossibleTypes(type) : isObjectType(type) ? [type] : []
  return objects.filter((object) => !roots.includes(object)).map(({ name }) => ofType(name))
}

type Fetch = { readonly serviceName: string; readonly operation: string; readonly operationKind: string }

/** Every fetch, wherever in the plan it is. */
function fetchesIn(part: unknown): readonly Fetch[] {
  if (Array.isArray(part)) return part.flatMap(fetchesIn)
  if (typeof part !== 'object' || part === null) return []
  if ('kind' in part && part.kind === 'Fetch') return [part as unknown as Fetch]
  return ['node', 'nodes', 'primary', 'rest', 'ifClause', 'elseClause'].flatMap((key) => fetchesIn(Reflect.get(part, key)))
}
