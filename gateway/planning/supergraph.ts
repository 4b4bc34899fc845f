import {
  DEFAULT_SUPPORTED_SUPERGRAPH_FEATURES,
  isInterfaceType,
  isUnionType,
  operationFromDocument,
  Supergraph as SupergraphModel,
} from '@apollo/federation-internals'
import type { QueryPlan, QueryPlanner } from '@apollo/query-planner'
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
import { authorizationRules } from '../../platform/graphql/authorization-rules.ts'
import { describeRequirements } from '../authorization/describe-requirements.ts'
import { type PlannedDocument, plannedDocument } from '../executor/federated/planned-document.ts'
import type { TypeTest } from '../executor/federated/response-data.ts'
import type { ValidatedOperation } from '../operations/document-cache.ts'
import { type FieldSets, fieldSetsIn } from './field-sets.ts'
import { plannerLibrary } from './planner-library.ts'
import type { TypesOverlap } from './required-fields.ts'
import { separateArguments } from './requires-arguments.ts'
import { separateFetches } from './separate-fetches.ts'

/** A composed graph, ready to plan operations. */
export type Supergraph = {
  /** What clients see: without joins and without what is `@inaccessible`. */
  readonly api: GraphQLSchema
  /** Everything that plans fetch, also what clients do not see. Made when it is first needed. */
  readonly complete: () => GraphQLSchema
  /** Names of the subgraphs that plans fetch from. */
  readonly subgraphs: readonly string[]
  /** Whether anything is kept from clients, so that what subgraphs answer must be filtered. */
  readonly hasInaccessibleElements: boolean
  /**
   * The plan of the only operation in `document`, which is valid against `api`. Throws for what the
   * planner does not support.
   */
  readonly plan: (document: DocumentNode) => QueryPlan
  /** The same graph with these labels of `@override` active; none are active here. */
  readonly withLabels: (active: ReadonlySet<string>) => Supergraph
  /** The active labels as text: equal only for equal sets. */
  readonly activeLabels: string
  /** Queries with side effects, marked with `@tag(name: "once")`: never retried. */
  readonly queriesWithSideEffects: ReadonlySet<string>
  /**
   * Whether objects of this type are of that type, interface or union, also where clients do not
   * see it.
   */
  readonly isOf: TypeTest
  readonly fieldSets: FieldSets
  /** Creates no planner in advance any more. */
  readonly close: () => void
}

/**
 * The subgraphs of a supergraph and where it says they are reached, without composing anything.
 * Throws for text that is no SDL.
 */
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
 * Features that a supergraph may require: those that Apollo's library can plan, `@context`, and the
 * authorization directives, which gateway/authorization enforces. Everything else that is marked
 * for execution or security is refused at start.
 */
export const SUPPORTED_FEATURES: ReadonlySet<string> = new Set([
  ...DEFAULT_SUPPORTED_SUPERGRAPH_FEATURES,
  'https://specs.apollo.dev/context/v0.1',
  'https://specs.apollo.dev/authenticated/v0.1',
  'https://specs.apollo.dev/requiresScopes/v0.1',
  'https://specs.apollo.dev/policy/v0.1',
])

/**
 * Delay before the planner is created when no operation needed it: after the work of the start.
 */
const PLANNER_DELAY_MS = 5_000

/**
 * Reads a federation 2 supergraph. Throws when the document is none. One that is `known` was
 * planned for before, so it is valid; its planner, which takes a few hundred milliseconds, is made
 * when the first document has to be planned, or soon.
 */
export function readSupergraph(document: DocumentNode, { isKnown = false }: { readonly isKnown?: boolean } = {}): Supergraph {
  const model = SupergraphModel.build(withoutUnusableKeys(document), {
    supportedFeatures: new Set(SUPPORTED_FEATURES),
    validateSupergraph: !isKnown,
  })
  const separated = separateArguments(document)
  const { variants } = separated
  // Clients see the first, without the fields of variants. Subgraphs need not use every one of them.
  const planned =
    variants.size === 0
      ? model
      : SupergraphModel.build(withoutUnusableKeys(separated.document), {
          supportedFeatures: new Set(SUPPORTED_FEATURES),
          validateSupergraph: false,
        })
  if (planned !== model && !isKnown) model.subgraphs()
  const apiSchema = model.apiSchema()
  const plannedApiSchema = variants.size === 0 ? apiSchema : planned.apiSchema()
  let planner: QueryPlanner | null = null
  const plannerOf = () => {
    const { QueryPlanner } = plannerLibrary()
    planner ??= new QueryPlanner(planned, {
      // Otherwise equal paths below different types of a union share one fetch, and with it the
      // arguments of one of them.
      typeConditionedFetching: true,
      // Plans of documents without `@defer` are the same.
      incrementalDelivery: { enableDefer: true },
    })
    return planner
  }
  const inAdvance = isKnown ? setTimeout(plannerOf, PLANNER_DELAY_MS).unref() : undefined
  if (!isKnown) plannerOf()
  // How an operation is run and what its answer is made of are both read from its plan, one after
  // the other.
  let last: { readonly document: DocumentNode; readonly plan: QueryPlan } | null = null
  const { isOf, overlap } = typeTests(model)
  const fieldSets = fieldSetsIn(separated, isOf, overlap)
  const planWith = (document: DocumentNode, active: ReadonlySet<string>): QueryPlan => {
    const plan = plannerOf().buildQueryPlan(operationFromDocument(plannedApiSchema, document), {
      overrideConditions: new Map([...active].map((label) => [label, true])),
    })
    return separateFetches(plan, { ...fieldSets, variants, overlap })
  }
  let complete: GraphQLSchema | null = null
  const supergraph: Supergraph = {
    api: describeRequirements(apiSchema.toGraphQLJSSchema({ includeDefer: true }), authorizationRules(document)),
    complete() {
      complete ??= planned.schema.toGraphQLJSSchema()
      return complete
    },
    subgraphs: [...model.subgraphsMetadata()].map(({ name }) => name),
    hasInaccessibleElements: hidesSomething(model),
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
    queriesWithSideEffects: onceIn(model),
    isOf,
    fieldSets,
    close: () => clearTimeout(inAdvance),
  }
  return supergraph
}

/**
 * Leaves out the keys that a subgraph cannot resolve, where it resolves the type by another: the
 * planner would represent objects by the first key whose fields are available, also by one of
 * these.
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

/** Whether anything carries `@inaccessible`, under whatever prefix it is linked. */
const hidesSomething = ({ schema }: SupergraphModel): boolean =>
  schema.directives().some((directive) => /(?:^|__)inaccessible$/.test(directive.name) && directive.applications().size > 0)

function onceIn({ schema }: SupergraphModel): ReadonlySet<string> {
  const fields = schema.schemaDefinition.rootType('query')?.fields() ?? []
  const isOnce = (field: (typeof fields)[number]) =>
    field.appliedDirectivesOf('tag').some((tag) => tag.arguments().name === 'once')
  return new Set(fields.filter(isOnce).map(({ name }) => name))
}

/**
 * A checked operation in the words of its plan, and that plan. Throws for what the planner does not
 * support.
 */
export function queryPlanOf(
  { document, operation, storedPlan: known }: ValidatedOperation,
  supergraph: Supergraph,
): { readonly ready: PlannedDocument; readonly plan: QueryPlan } {
  const ready = plannedDocument(document, operation, supergraph.fieldSets.names)
  return { ready, plan: known?.plan ?? supergraph.plan(ready.document) }
}

function typeTests({ schema }: SupergraphModel): { readonly isOf: TypeTest; readonly overlap: TypesOverlap } {
  const members = new Map<string, ReadonlySet<string>>()
  for (const type of schema.types()) {
    if (isInterfaceType(type)) members.set(type.name, new Set(type.allImplementations().map(({ name }) => name)))
    else if (isUnionType(type)) members.set(type.name, new Set(type.types().map(({ name }) => name)))
  }
  const isOf: TypeTest = (typename, condition) => typename === condition || members.get(condition)?.has(typename) === true
  const overlap: TypesOverlap = (one, other) =>
    isOf(one, other) || isOf(other, one) || members.get(one)?.isDisjointFrom(members.get(other) ?? new Set()) === false
  return { isOf, overlap }
}
