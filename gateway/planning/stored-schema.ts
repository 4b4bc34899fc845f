import type { Schema, Supergraph as SupergraphModel } from '@apollo/federation-internals'
import { buildASTSchema, type GraphQLSchema, parse, print } from 'graphql'
import { apiSchemaOf } from './api-schema-copy.ts'
import { federationLibrary } from './planner-library.ts'

/** What a gateway reads from the model of a supergraph before it plans an operation. */
export type SchemaFacts = {
  /** Names of the subgraphs. */
  readonly subgraphs: readonly string[]
  readonly hasInaccessibleElements: boolean
  /** Root fields of queries with `@tag(name: "once")`. */
  readonly queriesWithSideEffects: readonly string[]
  /** Interfaces and unions with their object types. */
  readonly members: readonly (readonly [type: string, objects: readonly string[]])[]
}

/**
 * Stored between starts, because building the model and the API schema takes 0.3 s of processor
 * time.
 */
export type StoredSchema = SchemaFacts & {
  /** SDL of the API schema, with the directive `@defer`. */
  readonly api: string
}

/** Reads a model, which must be valid. */
export function factsOf(model: SupergraphModel): SchemaFacts {
  const { isInterfaceType, isUnionType } = federationLibrary()
  return {
    subgraphs: [...model.subgraphsMetadata()].map(({ name }) => name),
    hasInaccessibleElements: hidesSomething(model),
    queriesWithSideEffects: onceIn(model),
    members: [...model.schema.types()].flatMap((type) => {
      if (isInterfaceType(type)) return [[type.name, type.allImplementations().map(({ name }) => name)] as const]
      return isUnionType(type) ? [[type.name, type.types().map(({ name }) => name)] as const] : []
    }),
  }
}

/** The API schema. Not validated: it was when it was stored. */
export function apiSchemaFrom({ api }: StoredSchema): GraphQLSchema {
  return buildASTSchema(parse(api, { noLocation: true }), { assumeValid: true })
}

/** SDL of what Apollo's `toGraphQLJSSchema({ includeDefer: true })` builds. */
export function apiSdlOf(model: SupergraphModel): string {
  const schema = apiSchemaOf(model.schema)
  return `${federationLibrary().printSchema(schema)}\n\n${print(schema.deferDirective().toAST())}`
}

/** Whether any element is `@inaccessible`. */
function hidesSomething({ schema }: SupergraphModel): boolean {
  const { inaccessibleIdentity } = federationLibrary()
  const name = linkedName(schema, inaccessibleIdentity, 'inaccessible')
  return name !== undefined && (schema.directive(name)?.applications().size ?? 0) > 0
}

/** What a schema calls a directive of a linked specification; undefined when it is not linked. */
const linkedName = (schema: Schema, identity: string, directive: string): string | undefined =>
  schema.coreFeatures?.getByIdentity(identity)?.directiveNameInSchema(directive)

function onceIn({ schema }: SupergraphModel): readonly string[] {
  const fields = schema.schemaDefinition.rootType('query')?.fields() ?? []
  const name = linkedName(schema, federationLibrary().tagIdentity, 'tag')
  const isOnce = (field: (typeof fields)[number]) =>
    name !== undefined && field.appliedDirectivesOf(name).some((tag) => tag.arguments().name === 'once')
  return fields.filter(isOnce).map(({ name }) => name)
}
