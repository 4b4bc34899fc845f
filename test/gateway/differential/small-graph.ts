import { buildSubgraphSchema } from '@apollo/subgraph'
import {
  GraphQLError,
  GraphQLList,
  type GraphQLOutputType,
  GraphQLScalarType,
  type GraphQLSchema,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  parse,
} from 'graphql'
import { compose } from '../../../gateway/planning/composition.ts'
import type { Answer } from './answer.ts'
import type { Fault, FieldFault } from './faults.ts'

/**
 * What a subgraph of a table is: SDL without its link to federation, and resolvers over constant
 * values.
 */
export type SmallSubgraph = { readonly sdl: string; readonly resolvers?: object }

/**
 * One operation over a small graph. `data` is what the specification says, where that is worth
 * writing out.
 */
export type Case = {
  readonly name: string
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly operationName?: string
  readonly data?: unknown
}

/** A supergraph and the operations that are asked of it. */
export type Table = {
  readonly graph: string
  readonly subgraphs: Readonly<Record<string, SmallSubgraph>>
  readonly cases: readonly Case[]
  readonly subscriptions?: readonly SubscriptionCase[]
  /** The oracle does not start with such a supergraph; every case has to say its data. */
  readonly isRefusedByOracle?: true
}

/**
 * A subscription, under a fault if any, and what a client is told of each event, as the
 * specification says it.
 */
export type SubscriptionCase = {
  readonly name: string
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly fault?: Fault
  readonly events: readonly Answer[]
}

/**
 * A subgraph that runs; `lax` says whatever its resolvers say, as a service that breaks its own
 * schema would.
 */
export type Running = { readonly name: string; readonly strict: GraphQLSchema; readonly lax: GraphQLSchema }

/**
 * What every resolver of a graph looks at: which fault there is now, and which fields were reached.
 */
export type Tap = { fault: Fault | null; readonly reached: Set<string> }

const DIRECTIVES =
  '"@key", "@requires", "@provides", "@external", "@shareable", "@override", "@inaccessible", "@interfaceObject", "@context", "@fromContext"'
const HEADER = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: [${DIRECTIVES}, "FieldSet", "ContextFieldValue"])`

/** What a subgraph says of itself, with its link to federation. */
export const typeDefsOf = ({ sdl }: SmallSubgraph) => parse(`${HEADER}\n${sdl}`, { noLocation: true })

/** The supergraph SDL of a table. Throws when its subgraphs do not compose. */
export const composed = (subgraphs: Table['subgraphs']): string =>
  compose(Object.entries(subgraphs).map(([name, subgraph]) => ({ name, typeDefs: typeDefsOf(subgraph) })))

/** The subgraphs of a table, ready to run. */
export const running = (subgraphs: Table['subgraphs'], tap: Tap): readonly Running[] =>
  Object.entries(subgraphs).map(([name, subgraph]) => {
    const built = () => buildSubgraphSchema([{ typeDefs: typeDefsOf(subgraph), resolvers: subgraph.resolvers ?? {} } as never])
    return { name, strict: tapped(built(), name, tap), lax: relaxed(tapped(built(), name, tap), name, tap) }
  })

/** A value of any kind, as it is. */
const ANYTHING = new GraphQLScalarType({ name: 'AnythingAtAll', serialize: (value) => value })

function tapped(schema: GraphQLSchema, subgraph: string, tap: Tap): GraphQLSchema {
  for (const { name, field } of fieldsOf(schema)) {
    const { resolve, type } = field
    const kind = isLeafType(getNullableType(type)) ? 'leaf' : 'composite'
    const nullability = getNullableType(type) === type ? 'nullable' : 'non-null'
    field.resolve = (source, args, context, info) => {
      tap.reached.add(`${subgraph} ${name} ${nullability} ${kind}`)
      if (!isHit(tap.fault, subgraph, name)) return resolve ? resolve(source, args, context, info) : source?.[field.name]
      if (tap.fault.kind === 'throws') throw new Error('password=hunter2')
      if (tap.fault.kind === 'refuses') throw new GraphQLError('I am a teapot.', { extensions: { code: 'TEAPOT' } })
      if (tap.fault.kind === 'null') return null
      return isListType(getNullableType(type)) || kind === 'leaf' ? { not: 'that' } : ['not that']
    }
  }
  return schema
}

/**
 * The same schema without promises about null and leaves, and for the field that is misshapen none
 * about lists and objects.
 */
function relaxed(schema: GraphQLSchema, subgraph: string, tap: Tap): GraphQLSchema {
  for (const { name, field } of fieldsOf(schema)) {
    const type = isLeafType(getNullableType(field.type)) ? ANYTHING : withoutPromises(field.type)
    Object.defineProperty(field, 'type', { get: () => (isHit(tap.fault, subgraph, name, 'misshapen') ? ANYTHING : type) })
  }
  return schema
}

const withoutPromises = (type: GraphQLOutputType): GraphQLOutputType => {
  const nullable = getNullableType(type)
  return isListType(nullable) ? new GraphQLList(withoutPromises(nullable.ofType)) : nullable
}

function isHit(fault: Fault | null, subgraph: string, field: string, kind?: Fault['kind']): fault is FieldFault {
  return fault?.subgraph === subgraph && 'field' in fault && fault.field === field && (kind ?? fault.kind) === fault.kind
}

/** Fields of the subgraph's own object types. */
const fieldsOf = (schema: GraphQLSchema) =>
  Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter((type) => !type.name.startsWith('_'))
    .flatMap((type) => Object.values(type.getFields()).map((field) => ({ name: `${type.name}.${field.name}`, field })))
    .filter(({ field }) => !field.name.startsWith('_'))
