import type { Supergraph as SupergraphModel } from '@apollo/federation-internals'
import type { QueryPlan } from '@apollo/query-planner'
import {
  type ConstDirectiveNode,
  type DocumentNode,
  type GraphQLSchema,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  visit,
} from 'graphql'
import { once } from '../../platform/collections/once.ts'
import { authorizationRules } from '../../platform/graphql/authorization-rules.ts'
import { describeRequirements } from '../authorization/describe-requirements.ts'
import { type PlannedDocument, plannedDocument } from '../executor/federated/planned-document.ts'
import type { TypeTest } from '../executor/federated/response-data.ts'
import type { ValidatedOperation } from '../operations/document-cache.ts'
import { planWithoutApiCopy } from './api-schema-copy.ts'
import { type FieldSets, fieldSetsIn } from './field-sets.ts'
import { forgetNodes, forgetSources } from './forget-sources.ts'
import { createIntern, internDocument } from './intern-strings.ts'
import { federationLibrary, plannerLibrary } from './planner-library.ts'
import type { TypesOverlap } from './required-fields.ts'
import { separateArguments } from './requires-arguments.ts'
import { separateFetches } from './separate-fetches.ts'
import { apiSchemaFrom, apiSdlOf, factsOf, type SchemaFacts, type StoredSchema } from './stored-schema.ts'

/** A supergraph that can plan operations. */
export type Supergraph = {
  /** API schema: without join directives and `@inaccessible` elements. */
  readonly api: GraphQLSchema
  /**
   * Schema of everything that plans can fetch, including `@inaccessible` elements. Built on first
   * use.
   */
  readonly complete: () => GraphQLSchema
  /** Names of the subgraphs. */
  readonly subgraphs: readonly string[]
  /** Whether elements are `@inaccessible`, so that subgraph responses must be projected. */
  readonly hasInaccessibleElements: boolean
  /**
   * Plans the only operation of a document that is valid for `api`. Throws for unsupported
   * operations.
   */
  readonly plan: (document: DocumentNode) => QueryPlan
  /** The same graph with these `@override` labels active; here none are. */
  readonly withLabels: (active: ReadonlySet<string>) => Supergraph
  /** Cache key of the active labels. */
  readonly activeLabels: string
  /** Root fields of queries with side effects (`@tag(name: "once")`), which are never retried. */
  readonly queriesWithSideEffects: ReadonlySet<string>
  /** Whether a type satisfies a type condition, including `@inaccessible` types. */
  readonly isOf: TypeTest
  readonly fieldSets: FieldSets
  /** For the next start. */
  readonly schemaToStore: () => StoredSchema
  /** Cancels creating the planner in advance; it is then created on first use. */
  readonly close: () => void
}

/** A supergraph with the document it was read from. */
export type ParsedSupergraph = { readonly supergraph: Supergraph; readonly document: DocumentNode }

/** Names and URLs of a supergraph's subgraphs, without building it. Throws for invalid SDL. */
export function subgraphLocations(sdl: string): readonly { readonly name: string; readonly url: string }[] {
  const graphs = parse(sdl, { noLocation: true }).definitions.find(
    (definition) => definition.kind === Kind.ENUM_TYPE_DEFINITION && definition.name.value === 'join__Graph',
  )
  if (graphs?.kind !== Kind.ENUM_TYPE_DEFINITION) return []
  return (graphs.values ?? []).flatMap(({ directives }) => {
    const said = directives?.find(({ name }) => name.value === 'join__graph')?.arguments ?? []
    const text = (wanted: string) => {
      const value = said.find(({ name }) => name.value === wanted)?.value
      return value?.kind === Kind.STRING ? value.value : ''
    }
    return [{ name: text('name'), url: text('url') }]
  })
}

/**
 * Supported features of a supergraph: those of Apollo's library, `@context`, and authorization
 * directives, which gateway/authorization enforces. Any other feature marked for execution or
 * security is refused at start.
 */
export const supportedFeatures = (): Set<string> =>
  new Set([
    ...federationLibrary().DEFAULT_SUPPORTED_SUPERGRAPH_FEATURES,
    'https://specs.apollo.dev/context/v0.1',
    'https://specs.apollo.dev/authenticated/v0.1',
    'https://specs.apollo.dev/requiresScopes/v0.1',
    'https://specs.apollo.dev/policy/v0.1',
  ])

/**
 * Delay before the model is created in advance, and then that before the planner is, so that they
 * slow down neither the start nor, both at once, a request.
 */
const MODEL_DELAY_MS = 5_000
const PLANNER_DELAY_MS = 1_000

/**
 * Reads a Federation 2 supergraph. Throws when the document is not one. `isKnown`: stored plans
 * exist for it, so validation is skipped, and the planner (some 300 ms) is created on first use or
 * after these delays. `stored`: the stored schema of a known one; its model is then created in
 * the same way. Null: there is none.
 */
export function readSupergraph(
  document: DocumentNode,
  { isKnown = false, stored = null }: { readonly isKnown?: boolean; readonly stored?: StoredSchema | null } = {},
): Supergraph {
  const modelOf = (of: DocumentNode, validateSupergraph: boolean) =>
    federationLibrary().Supergraph.build(withoutUnusableKeys(of), { supportedFeatures: supportedFeatures(), validateSupergraph })
  const intern = createIntern()
  internDocument(document, intern)
  const separated = separateArguments(document)
  const { variants } = separated
  // The parsed text of a large supergraph has 10 MB: it is dropped when the model is made, and kept
  // with `isKnown`, because both models are then made later.
  let sources: { readonly document: DocumentNode; readonly separated: DocumentNode } | null = {
    document,
    separated: separated.document,
  }
  const model = once(() => modelOf(madeFrom(sources).document, !isKnown))
  if (!isKnown) model()
  // The API schema is that of `model`, without variant fields. Not validated, because a subgraph
  // need not use every variant.
  const planned = once(() => {
    const built = variants.size === 0 ? model() : modelOf(madeFrom(sources).separated, false)
    // The copy, validated twice, is half of the time until the first plan.
    if (stored && !stored.hasInaccessibleElements) planWithoutApiCopy(built.schema)
    return built
  })
  if (variants.size > 0 && !isKnown) model().subgraphs()
  if (!isKnown) planned().apiSchema()
  const planner = once(() => {
    const { QueryPlanner } = plannerLibrary()
    return new QueryPlanner(planned(), {
      // Without it, equal paths below different union members share one fetch, and so one member's
      // arguments.
      typeConditionedFetching: true,
      // Does not affect plans of documents without `@defer`.
      incrementalDelivery: { enableDefer: true },
    })
  })
  let inAdvance: NodeJS.Timeout | undefined
  if (isKnown) {
    inAdvance = setTimeout(() => {
      planned()
      inAdvance = setTimeout(planner, PLANNER_DELAY_MS).unref()
    }, MODEL_DELAY_MS).unref()
  }
  // One-entry cache: executor and response cache plan the same document in succession.
  let last: { readonly document: DocumentNode; readonly plan: QueryPlan } | null = null
  const facts = stored ?? factsOf(model())
  const api = stored ? apiSchemaFrom(stored) : model().apiSchema().toGraphQLJSSchema({ includeDefer: true })
  if (!isKnown) {
    sources = null
    const models = new Set([model(), planned()])
    if (!facts.hasInaccessibleElements) for (const { schema } of models) planWithoutApiCopy(schema)
    planner()
    forgetSourcesOf(models)
  }
  forgetNodes(api, intern)
  const { isOf, overlap } = typeTests(facts)
  const fieldSets = fieldSetsIn(separated, isOf, overlap)
  const planWith = (document: DocumentNode, active: ReadonlySet<string>): QueryPlan => {
    const operation = federationLibrary().operationFromDocument(planned().apiSchema(), document)
    const plan = planner().buildQueryPlan(operation, {
      overrideConditions: new Map([...active].map((label) => [label, true])),
    })
    return separateFetches(plan, { ...fieldSets, variants, overlap })
  }
  let complete: GraphQLSchema | null = null
  const supergraph: Supergraph = {
    api: describeRequirements(api, authorizationRules(document)),
    complete() {
      complete ??= planned().schema.toGraphQLJSSchema()
      return complete
    },
    subgraphs: facts.subgraphs,
    hasInaccessibleElements: facts.hasInaccessibleElements,
    plan(document) {
      if (last?.document !== document) {
        last = { document, plan: planWith(document, new Set()) }
      }
      return last.plan
    },
    activeLabels: '',
    withLabels: (active) =>
      active.size === 0
        ? supergraph
        : {
            ...supergraph,
            activeLabels: JSON.stringify([...active].sort()),
            plan: (document) => planWith(document, active),
          },
    queriesWithSideEffects: new Set(facts.queriesWithSideEffects),
    isOf,
    fieldSets,
    schemaToStore: () => stored ?? { ...facts, api: apiSdlOf(model()) },
    close: () => clearTimeout(inAdvance),
  }
  return supergraph
}

function forgetSourcesOf(models: Iterable<SupergraphModel>): void {
  const forget = forgetSources()
  for (const each of models) {
    for (const schema of [each.schema, each.apiSchema(), ...[...each.subgraphs()].map((subgraph) => subgraph.schema)]) {
      forget(schema)
    }
  }
}

/**
 * Removes keys that a subgraph cannot resolve (`resolvable: false`) when it has another key for the
 * type: the planner might represent objects by such a key.
 */
function withoutUnusableKeys(document: DocumentNode): DocumentNode {
  const omit = <Type extends ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode>(type: Type): Type => {
    const textOf = ({ arguments: values = [] }: ConstDirectiveNode, wanted: string): string | undefined => {
      const value = values.find(({ name }) => name.value === wanted)?.value
      return value && print(value)
    }
    const joins = (type.directives ?? []).filter(({ name }) => name.value === 'join__type')
    const isUnusable = (join: ConstDirectiveNode): boolean => textOf(join, 'resolvable') === 'false'
    const resolving = new Set(
      joins.filter((join) => textOf(join, 'key') && !isUnusable(join)).map((join) => textOf(join, 'graph')),
    )
    const isOmitted = (join: ConstDirectiveNode): boolean =>
      join.name.value === 'join__type' && isUnusable(join) && resolving.has(textOf(join, 'graph'))
    return joins.some(isOmitted) ? { ...type, directives: type.directives?.filter((join) => !isOmitted(join)) } : type
  }
  return visit(document, { ObjectTypeDefinition: omit, InterfaceTypeDefinition: omit })
}

/** The document as planned, and its plan. Throws for unsupported operations. */
export function queryPlanOf(
  { document, operation, storedPlan: known }: ValidatedOperation,
  supergraph: Supergraph,
): { readonly ready: PlannedDocument; readonly plan: QueryPlan } {
  const ready = plannedDocument(document, operation, supergraph.fieldSets.names)
  return { ready, plan: known?.plan ?? supergraph.plan(ready.document) }
}

/** Like `readSupergraph`, with the parsed document for those who read more of it. */
export function parseSupergraph(sdl: string, options: Parameters<typeof readSupergraph>[1]): ParsedSupergraph {
  const document = parse(sdl, { noLocation: true })
  return { supergraph: readSupergraph(document, options), document }
}

function madeFrom<Sources>(sources: Sources | null): Sources {
  if (sources === null) throw new Error('Expected the model to be made before its sources are dropped.')
  return sources
}

function typeTests(facts: SchemaFacts): { readonly isOf: TypeTest; readonly overlap: TypesOverlap } {
  const members = new Map(facts.members.map(([type, objects]) => [type, new Set(objects)]))
  const isOf: TypeTest = (typename, condition) => typename === condition || members.get(condition)?.has(typename) === true
  const overlap: TypesOverlap = (one, other) =>
    isOf(one, other) || isOf(other, one) || members.get(one)?.isDisjointFrom(members.get(other) ?? new Set()) === false
  return { isOf, overlap }
}
