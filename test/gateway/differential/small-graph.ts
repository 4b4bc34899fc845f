import { buildSubgraphSchema } from '@apollo/subgraph'
import {
  GraphQLError,
  GraphQLScalarType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isLeafType,
  isObjectType,
  parse,
} from 'graphql'
import { compose } from '../../../gateway/compose.ts'
import type { Fault } from './faults.ts'

/** What a subgraph of a table is: SDL without its link to federation, and resolvers over constant values. */
export type SmallSubgraph = { readonly sdl: string; readonly resolvers?: object }

/** One operation over a small graph. `data` is what the specification says, where that is worth writing out. */
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
}

/** A subgraph that runs; `lax` says whatever its resolvers say, as a service that breaks its own schema would. */
export type Running = { readonly name: string; readonly strict: GraphQLSchema; readonly lax: GraphQLSchema }

/** What every resolver of a graph looks at: which fault there is now, and which fields were reached. */
export type Tap = { fault: Fault | null; readonly reached: Set<string> }

const DIRECTIVES =
  '"@key", "@requires", "@provides", "@external", "@shareable", "@override", "@inaccessible", "@interfaceObject", "@context", "@fromContext"'
const HEADER = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: [${DIRECTIVES}, "FieldSet", "ContextFieldValue"])`

const typeDefsOf = ({ sdl }: SmallSubgraph) => parse(`${HEADER}\n${sdl}`, { noLocation: true })

/** The supergraph SDL of a table. Throws when its subgraphs do not compose. */
export const composed = (subgraphs: Table['subgraphs']): string =>
  compose(Object.entries(subgraphs).map(([name, subgraph]) => ({ name, typeDefs: typeDefsOf(subgraph) })))

/** The subgraphs of a table, ready to run. */
export const running = (subgraphs: Table['subgraphs'], tap: Tap): readonly Running[] =>
  Object.entries(subgraphs).map(([name, subgraph]) => {
    const built = () => buildSubgraphSchema([{ typeDefs: typeDefsOf(subgraph), resolvers: subgraph.resolvers ?? {} } as never])
    return { name, strict: tapped(built(), name, tap), lax: relaxed(tapped(built(), name, tap)) }
  })

/** A value of any kind, as it is. */
const ANYTHING = new GraphQLScalarType({ name: 'AnythingAtAll', serialize: (value) => value })

function tapped(schema: GraphQLSchema, subgraph: string, tap: Tap): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('_')) continue
    for (const field of Object.values(type.getFields())) {
      const name = `${type.name}.${field.name}`
      if (name.includes('._')) continue
      const { resolve } = field
      const [isNullable, isLeaf] = [getNullableType(field.type) === field.type, isLeafType(getNullableType(field.type))]
      field.resolve = (source, args, context, info) => {
        tap.reached.add(`${subgraph} ${name} ${isNullable ? 'nullable' : 'non-null'} ${isLeaf ? 'leaf' : 'composite'}`)
        const { fault } = tap
        if (fault?.subgraph === subgraph && 'field' in fault && fault.field === name) {
          if (fault.kind === 'throws') throw new Error('password=hunter2')
          if (fault.kind === 'refuses') throw new GraphQLError('I am a teapot.', { extensions: { code: 'TEAPOT' } })
          return fault.kind === 'null' ? null : { not: 'a value' }
        }
        return resolve ? resolve(source, args, context, info) : source?.[field.name]
      }
    }
  }
  return schema
}

/** The same schema without promises about null and leaves; abstract types keep their resolution. */
function relaxed(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('_')) continue
    for (const field of Object.values(type.getFields())) {
      if (field.name.startsWith('_')) continue
      field.type = isLeafType(getNamedType(field.type)) ? ANYTHING : getNullableType(field.type)
    }
  }
  return schema
}
