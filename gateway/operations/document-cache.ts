import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type OperationTypeNode,
  parse,
  specifiedRules,
  validate,
  visit,
} from 'graphql'
import { boundedCache } from '../../platform/collections/bounded-cache.ts'
import { type CostModel, costModel } from '../limits/cost-limit.ts'
import type { Weights } from '../limits/cost-weights.ts'
import { shapeOf } from '../limits/depth-limit.ts'
import { shapeFaults } from '../limits/limit-errors.ts'
import { BOUNDS, type Limits } from '../limits/limits.ts'
import type { KnownPlan } from '../planning/plan-store.ts'
import { documentIndex, fragmentOf } from './document-index.ts'
import { documentError, refusal, withoutSuggestions } from './errors.ts'

/** An operation that passed every check that does not depend on variables. */
export type CheckedOperation = {
  /** The operation and the fragments that it reaches, and nothing else. */
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  /** True when every root field is `__schema`, `__type` or `__typename`. */
  readonly isIntrospection: boolean
  /** Its plan, where that was made before. */
  readonly known?: KnownPlan | null
}

/** A client's operation with the counting of its cost, or the errors that refuse it. */
export type Checked =
  | { readonly kind: 'checked'; readonly checked: CheckedOperation; readonly model: CostModel }
  | {
      readonly kind: 'refused'
      readonly errors: readonly GraphQLFormattedError[]
      /** Which kind of operation was meant, where the text says so. */
      readonly operation?: OperationTypeNode
    }

/** Checks a client's text: tokens, syntax, validity, operation, depth and size. Never throws. */
export function checkText(
  text: string,
  operationName: string | undefined,
  rules: {
    readonly schema: GraphQLSchema
    readonly weights: Weights
    readonly limits: Limits
    /** Whether a client may ask for the schema, in a query or by guessing names. */
    readonly introspection: boolean
  },
): Checked {
  let document: DocumentNode
  try {
    // Without locations a document takes a third of the memory; they are only needed for errors.
    document = parse(text, { noLocation: true, maxTokens: BOUNDS.tokens })
  } catch (error) {
    return refused(syntaxError(error as GraphQLError))
  }
  const repeated = mostRepeated(document)
  if (repeated.times > BOUNDS.repetitions) {
    return refused(
      refusal('OPERATION_TOO_LARGE', `Expected at most ${BOUNDS.repetitions} times ${repeated.what}, got ${repeated.times}.`),
    )
  }
  const deepest = deepestValue(document)
  if (deepest > BOUNDS.variableDepth) {
    const message = `Expected values nested at most ${BOUNDS.variableDepth} deep, got ${deepest}.`
    return refused(refusal('OPERATION_TOO_LARGE', message, { limit: BOUNDS.variableDepth }))
  }

  const operation = operationNamed(document, operationName)
  if (typeof operation === 'string') return refused(refusal('OPERATION_RESOLUTION_FAILURE', operation))
  const kind = operation.operation

  const invalid = validationErrors(rules.schema, document, text)
  if (invalid.length > 0) {
    return { ...refused(...(rules.introspection ? invalid : invalid.map(withoutSuggestions))), operation: kind }
  }

  const own = reachableFrom(operation, document)
  if (kind === 'subscription' && isConditional(operation, own)) return { ...refused(CONDITIONAL), operation: kind }
  const shape = shapeOf(own, operation)
  if (!rules.introspection && shape.introspections > 0) return { ...refused(NO_INTROSPECTION), operation: kind }
  const faults = shapeFaults(shape, rules.limits)
  if (faults.length > 0) return { ...refused(...faults), operation: kind }

  const checked = { document: own, operation, isIntrospection: isIntrospection(own, operation) }
  const model = checked.isIntrospection ? FREE : costModel(rules.schema, rules.weights, own, operation)
  return { kind: 'checked', checked, model }
}

/** The same for a document of our own, which no limit applies to, and which was checked before if there is a plan of it. Throws with every problem. */
export function checkOwn(document: DocumentNode, schema: GraphQLSchema, known: KnownPlan | null): CheckedOperation {
  const errors = known ? [] : validate(schema, document)
  const operation = operationNamed(document, undefined)
  if (typeof operation === 'string') throw new Error(operation)
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'))
  return { document, operation, isIntrospection: isIntrospection(document, operation), known }
}

/** Remembers the outcome of `check` per text and operation name, good or bad. */
export function rememberingDocuments<Outcome>(
  check: (text: string, operationName: string | undefined) => Outcome,
): (text: string, operationName: string | undefined) => Outcome {
  const outcomes = boundedCache<{ readonly outcome: Outcome }>(REMEMBERED)
  return (text, operationName) => {
    // Its length says where a name ends: no text makes another one's key.
    const key = `${operationName?.length ?? ''}:${operationName ?? ''}${text}`
    const known = outcomes.get(key)
    if (known) return known.outcome
    const outcome = check(text, operationName)
    outcomes.set(key, { outcome })
    return outcome
  }
}

/** Measured: a text of nothing but short fields takes 70 bytes per character with all that is made of it, so this is at most 70 MB. */
const REMEMBERED = { maxEntries: 1_000, maxCharacters: 1_000_000 }

/** Introspection has bounds of its own: repeated it is refused by shape, nested by a rule of graphql-js. */
const FREE: CostModel = { cost: () => 0, pageFault: () => null }

const NO_INTROSPECTION = refusal(
  'INTROSPECTION_DISABLED',
  'Expected no "__schema" and "__type", for introspection is switched off here: ask those who run this server for the SDL of its graph.',
)

/** Errors that are told about one document: more of them help nobody, and a short text can have thousands. */
const AT_MOST = { maxErrors: 20 }

/** The specification forbids it, graphql-js' validation does not: a subscription to nothing is none. */
const CONDITIONAL = refusal('GRAPHQL_VALIDATION_FAILED', 'Expected the field of a subscription without @skip and @include.')

const refused = (...errors: readonly GraphQLFormattedError[]) => ({ kind: 'refused' as const, errors })

function syntaxError(error: GraphQLError): GraphQLFormattedError {
  if (error.message.includes('Parsing aborted')) {
    return refusal('OPERATION_TOO_LARGE', `Expected a document of at most ${BOUNDS.tokens} tokens.`, { limit: BOUNDS.tokens })
  }
  if (!error.locations) return refusal('OPERATION_TOO_LARGE', 'Expected a document that is nested less deeply.')
  return documentError(error, 'GRAPHQL_PARSE_FAILED')
}

/** The one definition that an operationName selects, or a sentence about why there is none. An empty name is a name that nothing has. */
function operationNamed(document: DocumentNode, name: string | undefined): OperationDefinitionNode | string {
  const { operations } = documentIndex(document)
  if (name !== undefined) {
    return (
      operations.find((operation) => operation.name?.value === name) ??
      `Expected operationName to name an operation, got "${name}".`
    )
  }
  const [first, ...others] = operations
  if (!first) return 'Expected the document to contain an operation.'
  return others.length === 0 ? first : 'Expected operationName to say which operation to run: the document has several.'
}

/** Errors with locations in `text`. Validation itself throws for some documents; those are invalid too. */
function validationErrors(schema: GraphQLSchema, document: DocumentNode, text: string): readonly GraphQLFormattedError[] {
  try {
    if (validate(schema, document, specifiedRules, AT_MOST).length === 0) return []
    const errors = validate(schema, parse(text), specifiedRules, AT_MOST)
    return errors.map((error) => documentError(error, 'GRAPHQL_VALIDATION_FAILED'))
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be validated'
    return [refusal('GRAPHQL_VALIDATION_FAILED', `Expected a valid document: ${reason}`)]
  }
}

/** Lists and objects in each other, in the values and types that the text spells out. */
function deepestValue(document: DocumentNode): number {
  let [depth, deepest] = [0, 0]
  const enter = () => {
    deepest = Math.max(deepest, ++depth)
  }
  const leave = () => {
    depth--
  }
  visit(document, { ListValue: { enter, leave }, ObjectValue: { enter, leave }, ListType: { enter, leave } })
  return deepest
}

/** The response name or fragment that occurs most often: conflicts between equal names are searched pair by pair. */
function mostRepeated(document: DocumentNode): { readonly what: string; readonly times: number } {
  const names = new Map<string, number>()
  const count = (name: string) => names.set(name, (names.get(name) ?? 0) + 1)
  visit(document, {
    Field: ({ alias, name }) => void count(`the field "${(alias ?? name).value}"`),
    FragmentDefinition: () => void count('a fragment'),
    FragmentSpread: () => void count('a fragment spread'),
    InlineFragment: () => void count('an inline fragment'),
    OperationDefinition: () => void count('an operation'),
    Directive: () => void count('a directive'),
  })
  let [what, times] = ['', 0]
  for (const [name, occurrences] of names) if (occurrences > times) [what, times] = [name, occurrences]
  return { what, times }
}

function reachableFrom(operation: OperationDefinitionNode, document: DocumentNode): DocumentNode {
  const { fragments } = documentIndex(document)
  const reached = new Set<FragmentDefinitionNode>()
  const follow = (node: OperationDefinitionNode | FragmentDefinitionNode): void => {
    visit(node, {
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value)
        if (!fragment || reached.has(fragment)) return
        reached.add(fragment)
        follow(fragment)
      },
    })
  }
  follow(operation)
  return { kind: Kind.DOCUMENT, definitions: [operation, ...reached] }
}

/** Whether `@skip` or `@include` decides about a field of the root. */
function isConditional(operation: OperationDefinitionNode, document: DocumentNode): boolean {
  const { fragments } = documentIndex(document)
  const decides = ({ selectionSet }: Pick<OperationDefinitionNode, 'selectionSet'>): boolean =>
    selectionSet.selections.some((selection) => {
      if (selection.directives?.some(({ name }) => name.value === 'skip' || name.value === 'include')) return true
      if (selection.kind === Kind.FIELD) return false
      const fragment = fragmentOf(selection, fragments)
      return fragment !== undefined && decides(fragment)
    })
  return decides(operation)
}

/** Whether nothing but introspection is asked at the root. */
function isIntrospection(document: DocumentNode, operation: OperationDefinitionNode): boolean {
  const { fragments } = documentIndex(document)
  const asksOnly = ({ selectionSet }: Pick<OperationDefinitionNode, 'selectionSet'>): boolean =>
    selectionSet.selections.every((selection) => {
      if (selection.kind === Kind.FIELD) return selection.name.value.startsWith('__')
      const fragment = fragmentOf(selection, fragments)
      return fragment === undefined || asksOnly(fragment)
    })
  return operation.operation === 'query' && asksOnly(operation)
}
