import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSubgraphSchema } from '@apollo/subgraph'
import {
  buildSchema,
  type DocumentNode,
  execute,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  isObjectType,
  Kind,
  parse,
  printSchema,
  visit,
} from 'graphql'
import { compose } from '../../../gateway/planning/composition.ts'
import { readSupergraph } from '../../../gateway/planning/supergraph.ts'
import type { Answer } from './answer.ts'
import { type Oracle, startOracle } from './oracle.ts'
import { type Case, type Running, type Tap, typeDefsOf } from './small-graph.ts'
import { type Form, type Subject, startSubjects } from './subject.ts'
import { TABLES } from './tables.ts'
import { createUniverse, type Thing, type Universe } from './universe.ts'

/** A graph whose every field has a value, asked in four ways. */
export type World = {
  readonly name: string
  readonly api: GraphQLSchema
  readonly universe: Universe
  /** The whole graph as one schema, executed by graphql-js: what is right by the specification. */
  readonly truth: (operation: Case) => Promise<Answer>
  readonly oracle: Oracle
  /** Whether every fetch of its plan declares the variables that it uses. */
  readonly isSound: (operation: Case) => boolean
  readonly subjects: Readonly<Record<Form, Subject>>
}

/**
 * Its entities have keys of objects only: nothing to tell them apart by that a universe could make.
 */
const WITHOUT_UNIVERSE = ['tagged']

/** Graphs that random operations are asked of: those of the tables, and our own. */
export const WORLDS: readonly { readonly name: string; readonly typeDefs: Readonly<Record<string, DocumentNode>> }[] = [
  ...TABLES.filter(({ graph, isRefusedByOracle }) => !isRefusedByOracle && !WITHOUT_UNIVERSE.includes(graph)).map(
    ({ graph, subgraphs }) => ({
      name: graph,
      typeDefs: Object.fromEntries(Object.entries(subgraphs).map(([name, subgraph]) => [name, typeDefsOf(subgraph)])),
    }),
  ),
  { name: 'atrium', typeDefs: { directory: ownSdl('directory'), social: ownSdl('social') } },
]

function ownSdl(subgraph: string): DocumentNode {
  const folder = join(import.meta.dirname, '../../../schema', subgraph)
  return parse(
    globSync('*.graphql', { cwd: folder })
      .sort()
      .map((file) => readFileSync(join(folder, file), 'utf8'))
      .join('\n'),
    { noLocation: true },
  )
}

export async function startWorld({ name, typeDefs }: (typeof WORLDS)[number]): Promise<World> {
  const sdl = compose(Object.entries(typeDefs).map(([subgraph, text]) => ({ name: subgraph, typeDefs: text })))
  const { api, plan } = readSupergraph(parse(sdl))
  const bare = Object.values(typeDefs).map((text) => ({ typeDefs: text, schema: built(text) }))
  const universe = createUniverse(api, bare)
  const whole = resolved(buildSchema(printSchema(api)), universe)
  const parts: readonly Running[] = Object.entries(typeDefs).map(([subgraph, text]) => {
    const schema = resolved(built(text, universe), universe)
    return { name: subgraph, strict: schema, lax: schema }
  })
  const tap: Tap = { fault: null, reached: new Set() }
  const oracle = await startOracle(sdl, parts, tap)
  const subjects = await startSubjects(sdl, parts, tap)
  const truth = async ({ query, variables = {} }: Case): Promise<Answer> =>
    JSON.parse(JSON.stringify(await execute({ schema: whole, document: parse(query), variableValues: variables })))
  const isSound = ({ query }: Case) => operationsIn(plan(parse(query))).every(declaresVariables)
  return { name, api, universe, truth, oracle, isSound, subjects }
}

function built(typeDefs: DocumentNode, universe?: Universe): GraphQLSchema {
  const entities = typeDefs.definitions.flatMap((definition) =>
    (definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.INTERFACE_TYPE_DEFINITION) &&
    definition.directives?.some(({ name }) => name.value === 'key')
      ? [definition.name.value]
      : [],
  )
  const __resolveReference = (representation: Readonly<Record<string, unknown>>) => universe?.thingOf(representation) ?? null
  const resolvers = Object.fromEntries(entities.map((name) => [name, { __resolveReference }]))
  return buildSubgraphSchema([{ typeDefs, resolvers }] as never)
}

/** The same schema, with the values of the universe. */
function resolved(schema: GraphQLSchema, universe: Universe): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('_')) continue
    for (const field of Object.values(type.getFields())) {
      if (field.name.startsWith('_')) continue
      const resolve: GraphQLFieldResolver<Thing | undefined, unknown> = (source, given) =>
        universe.valueAt(source ?? universe.root(type.name), field.name, given)
      field.resolve = resolve
    }
  }
  return schema
}

/** The texts of all fetches of a plan. */
function operationsIn(plan: unknown): readonly string[] {
  if (typeof plan !== 'object' || plan === null) return []
  return Object.entries(plan).flatMap(([key, value]) => (key === 'operation' ? [String(value)] : operationsIn(value)))
}

function declaresVariables(text: string): boolean {
  const [declared, used] = [new Set<string>(), new Set<string>()]
  visit(parse(text), {
    VariableDefinition: ({ variable }) => {
      declared.add(variable.name.value)
      return false
    },
    Variable: ({ name }) => void used.add(name.value),
  })
  return used.isSubsetOf(declared)
}
