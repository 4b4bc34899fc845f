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
import { type CostModel, compileCostModel } from '../limits/cost-limit.ts'
import type { CostWeights } from '../limits/cost-weights.ts'
import { measureOperation, sizeLimitErrors } from '../limits/depth-limit.ts'
import { BOUNDS, type Limits } from '../limits/limits.ts'
import type { StoredPlan } from '../planning/plan-store.ts'
import { deferErrors, mentionsDefer, streamRefusal, withoutDefer } from './defer-directive.ts'
import { documentIndex, fragmentOf } from './document-index.ts'
import { documentError, refusal, withoutSuggestions } from './errors.ts'

/** A valid operation. */
export type ValidatedOperation = {
  /** The operation and the fragments that it uses, directly or indirectly; nothing else. */
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  /** Whether every root field is `__schema`, `__type` or `__typename`. */
  readonly isIntrospection: boolean
  /** Stored plan; null or absent without one. */
  readonly storedPlan?: StoredPlan | null
  /** The document including `@defer`, which `document` lacks; absent when it has none. */
  readonly deferred?: DocumentNode
}

/** A rejected operation with at least one error. */
export type RejectedOperation = {
  readonly kind: 'rejected'
  readonly errors: readonly GraphQLFormattedError[]
  /** Operation type, if parsing got that far. */
  readonly operation?: OperationTypeNode
}

/** A valid operation with its cost model, or the errors of its rejection. */
export type ValidationResult =
  | { readonly kind: 'valid'; readonly validated: ValidatedOperation; readonly model: CostModel }
  | RejectedOperation

type ValidationRules = {
  readonly schema: GraphQLSchema
  readonly weights: CostWeights
  readonly limits: Limits
  /** Whether introspection and suggestions for misspelled names are allowed. */
  readonly introspection: boolean
}

/**
 * Validates a client's document: tokens, syntax, schema, operation, depth and size. Never throws.
 */
export function validateOperation(text: string, operationName: string | undefined, rules: ValidationRules): ValidationResult {
  const document = parseBounded(text)
  if (document.kind === 'rejected') return document
  const operation = operationNamed(document, operationName)
  if (typeof operation === 'string') return rejected(refusal('OPERATION_RESOLUTION_FAILURE', operation))
  const kind = operation.operation
  const streamed = streamRefusal(document)
  if (streamed) return { ...rejected(streamed), operation: kind }

  const invalid = validationErrors(rules.schema, document, text)
  if (invalid.length > 0) {
    return { ...rejected(...(rules.introspection ? invalid : invalid.map(withoutSuggestions))), operation: kind }
  }

  const own = reachableFrom(operation, document)
  if (kind === 'subscription' && isConditional(operation, own)) return { ...rejected(CONDITIONAL), operation: kind }
  const size = measureOperation(own, operation)
  if (!rules.introspection && size.introspections > 0) return { ...rejected(NO_INTROSPECTION), operation: kind }
  const sizeErrors = sizeLimitErrors(size, rules.limits)
  if (sizeErrors.length > 0) return { ...rejected(...sizeErrors), operation: kind }
  const invalidDefers = deferErrors(own, operation)
  if (invalidDefers.length > 0) return { ...rejected(...invalidDefers), operation: kind }

  const validated = validatedOperation(own, operation)
  const model = validated.isIntrospection
    ? FREE
    : compileCostModel(rules.schema, rules.weights, validated.document, validated.operation)
  return { kind: 'valid', validated, model }
}

/** Parses a text within the bounds that make validation itself safe. */
function parseBounded(text: string): DocumentNode | RejectedOperation {
  let document: DocumentNode
  try {
    // Parsed without locations, which need two thirds of a document's memory and matter for errors
    // only.
    document = parse(text, { noLocation: true, maxTokens: BOUNDS.tokens })
  } catch (error) {
    // `parse` throws GraphQLErrors only.
    return rejected(syntaxError(error as GraphQLError))
  }
  const repeated = maxRepetition(document)
  if (repeated.times > BOUNDS.repetitions) {
    const message = `Expected at most ${BOUNDS.repetitions} times ${repeated.what}, got ${repeated.times}.`
    return rejected(refusal('OPERATION_TOO_LARGE', message))
  }
  const depth = valueDepth(document)
  if (depth > BOUNDS.variableDepth) {
    const message = `Expected values nested at most ${BOUNDS.variableDepth} deep, got ${depth}.`
    return rejected(refusal('OPERATION_TOO_LARGE', message, { limit: BOUNDS.variableDepth }))
  }
  return document
}

/**
 * Validates a facade's document, without limits. Skipped for a document with a stored plan. Throws
 * one error with all problems.
 */
export function validateInternalOperation(
  document: DocumentNode,
  schema: GraphQLSchema,
  storedPlan: StoredPlan | null,
): ValidatedOperation {
  const errors = storedPlan ? [] : validate(schema, document)
  const operation = operationNamed(document, undefined)
  if (typeof operation === 'string') throw new Error(operation)
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'))
  return { ...validatedOperation(document, operation), storedPlan }
}

/**
 * Separates the variant with `@defer`, because planner and executor of complete results do not
 * support it.
 */
function validatedOperation(document: DocumentNode, operation: OperationDefinitionNode): ValidatedOperation {
  const checked = { document, operation, isIntrospection: isIntrospection(document, operation) }
  if (!mentionsDefer(document)) return checked
  const complete = withoutDefer(document)
  const [own = operation] = documentIndex(complete).operations
  return { ...checked, document: complete, operation: own, deferred: document }
}

/** Caches the result of `prepare`, valid or not, by text and operation name. */
export function createDocumentCache<Prepared>(
  prepare: (text: string, operationName: string | undefined) => Prepared,
): (text: string, operationName: string | undefined) => Prepared {
  const cache = boundedCache<{ readonly prepared: Prepared }>(DOCUMENT_CACHE_BOUND)
  return (text, operationName) => {
    // Prefixed with the name's length, so that keys are unambiguous.
    const key = `${operationName?.length ?? ''}:${operationName ?? ''}${text}`
    const hit = cache.get(key)
    if (hit) return hit.prepared
    const prepared = prepare(text, operationName)
    cache.set(key, { prepared })
    return prepared
  }
}

/**
 * Upper bound, at most 70 MB: measured, a compiled text of short fields takes 70 bytes per
 * character.
 */
const DOCUMENT_CACHE_BOUND = { maxEntries: 1_000, maxCharacters: 1_000_000 }

/** Introspection costs nothing; `BOUNDS.introspections` and graphql-js's depth rule bound it. */
const FREE: CostModel = { cost: () => 0, pageFault: () => null }

const NO_INTROSPECTION = refusal(
  'INTROSPECTION_DISABLED',
  'Expected no "__schema" and "__type", for introspection is switched off here: ask the operator of this server for the SDL of its graph.',
)

/** Maximum errors per document: a short text can cause thousands. */
const VALIDATION_OPTIONS = { maxErrors: 20 }

/**
 * Forbidden by the specification (§5.2.4.1), but not checked by graphql-js: the root field could be
 * skipped.
 */
const CONDITIONAL = refusal('GRAPHQL_VALIDATION_FAILED', 'Expected the field of a subscription without @skip and @include.')

const rejected = (...errors: readonly GraphQLFormattedError[]) => ({ kind: 'rejected' as const, errors })

function syntaxError(error: GraphQLError): GraphQLFormattedError {
  if (error.message.includes('Parsing aborted')) {
    return refusal('OPERATION_TOO_LARGE', `Expected a document of at most ${BOUNDS.tokens} tokens.`, { limit: BOUNDS.tokens })
  }
  if (!error.locations) return refusal('OPERATION_TOO_LARGE', 'Expected a document that is nested less deeply.')
  return documentError(error, 'GRAPHQL_PARSE_FAILED')
}

/**
 * Finds the operation that `operationName` selects, or returns an error message. An empty name
 * selects none.
 */
function operationNamed(document: DocumentNode, name: string | undefined): OperationDefinitionNode | string {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
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

/**
 * Validation errors with locations in `text`. Documents for which graphql-js throws are invalid
 * too.
 */
function validationErrors(schema: GraphQLSchema, document: DocumentNode, text: string): readonly GraphQLFormattedError[] {
  try {
    if (validate(schema, document, specifiedRules, VALIDATION_OPTIONS).length === 0) return []
    const errors = validate(schema, parse(text), specifiedRules, VALIDATION_OPTIONS)
    return errors.map((error) => documentError(error, 'GRAPHQL_VALIDATION_FAILED'))
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be validated'
    return [refusal('GRAPHQL_VALIDATION_FAILED', `Expected a valid document: ${reason}`)]
  }
}

/** Maximum nesting of lists and objects in literals and types. */
function valueDepth(document: DocumentNode): number {
  let [depth, maxDepth] = [0, 0]
  const enter = () => {
    maxDepth = Math.max(maxDepth, ++depth)
  }
  const leave = () => {
    depth--
  }
  visit(document, { ListValue: { enter, leave }, ObjectValue: { enter, leave }, ListType: { enter, leave } })
  return maxDepth
}

/**
 * The most frequent response name or construct: validation compares equal names in pairs, which
 * takes quadratic time.
 */
function maxRepetition(document: DocumentNode): { readonly what: string; readonly times: number } {
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
  const visited = new Set<FragmentDefinitionNode>()
  const follow = (node: OperationDefinitionNode | FragmentDefinitionNode): void => {
    visit(node, {
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value)
        if (!fragment || visited.has(fragment)) return
        visited.add(fragment)
        follow(fragment)
      },
    })
  }
  follow(operation)
  return { kind: Kind.DOCUMENT, definitions: [operation, ...visited] }
}

/** Whether `@skip` or `@include` is on a root field or an enclosing fragment. */
function isConditional(operation: OperationDefinitionNode, document: DocumentNode): boolean {
  const { fragments } = documentIndex(document)
  const hasCondition = ({ selectionSet }: Pick<OperationDefinitionNode, 'selectionSet'>): boolean =>
    selectionSet.selections.some((selection) => {
      if (selection.directives?.some(({ name }) => name.value === 'skip' || name.value === 'include')) return true
      if (selection.kind === Kind.FIELD) return false
      const fragment = fragmentOf(selection, fragments)
      return fragment !== undefined && hasCondition(fragment)
    })
  return hasCondition(operation)
}

/** Whether all root fields are introspection fields. */
function isIntrospection(document: DocumentNode, operation: OperationDefinitionNode): boolean {
  const { fragments } = documentIndex(document)
  const selectsOnlyMeta = ({ selectionSet }: Pick<OperationDefinitionNode, 'selectionSet'>): boolean =>
    selectionSet.selections.every((selection) => {
      if (selection.kind === Kind.FIELD) return selection.name.value.startsWith('__')
      const fragment = fragmentOf(selection, fragments)
      return fragment === undefined || selectsOnlyMeta(fragment)
    })
  return operation.operation === 'query' && selectsOnlyMeta(operation)
}
