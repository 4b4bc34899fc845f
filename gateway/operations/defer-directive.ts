import {
  type DirectiveNode,
  type DocumentNode,
  type FragmentSpreadNode,
  type GraphQLFormattedError,
  type InlineFragmentNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
  visit,
} from 'graphql'
import { BOUNDS } from '../limits/limits.ts'
import { documentIndex, fragmentOf } from './document-index.ts'
import { refusal } from './errors.ts'

type Variables = Readonly<Record<string, unknown>>
type FragmentNode = InlineFragmentNode | FragmentSpreadNode

const DEFER = 'defer'
const isDefer = ({ name }: DirectiveNode): boolean => name.value === DEFER

const argumentOf = ({ arguments: nodes = [] }: DirectiveNode, wanted: string) =>
  nodes.find(({ name }) => name.value === wanted)?.value

/** Whether `@defer` is disabled by the literal `if: false`. */
const isOff = (directive: DirectiveNode): boolean => {
  const value = argumentOf(directive, 'if')
  return value?.kind === Kind.BOOLEAN && !value.value
}

/** Error for `@stream`, which is not supported; null when the document has none. */
export function streamRefusal(document: DocumentNode): GraphQLFormattedError | null {
  let isFound = false
  visit(document, {
    Directive({ name }) {
      if (name.value === 'stream') isFound = true
    },
  })
  return isFound
    ? refusal('STREAM_NOT_SUPPORTED', 'Expected an operation without @stream: lists come whole, @defer is supported.')
    : null
}

/**
 * Errors of `@defer` in a valid operation: too many after spreading fragments, invalid labels,
 * forbidden places.
 */
export function deferErrors(document: DocumentNode, operation: OperationDefinitionNode): readonly GraphQLFormattedError[] {
  if (!mentionsDefer(document)) return []
  const count = countDefers(document, operation)
  if (count > BOUNDS.defers) {
    const message = `Expected at most ${BOUNDS.defers} @defer, got ${count}.`
    return [refusal('OPERATION_TOO_LARGE', message, { defers: count, limit: BOUNDS.defers })]
  }
  const invalid = (message: string) => [refusal('GRAPHQL_VALIDATION_FAILED', message)]
  const labels = new Set<string>()
  for (const directive of defersIn(document)) {
    const label = argumentOf(directive, 'label')
    if (label === undefined || label.kind === Kind.NULL) continue
    if (label.kind !== Kind.STRING) return invalid('Expected the label of @defer to be text in the document, got a variable.')
    if (labels.has(label.value)) return invalid(`Expected labels of @defer to be unique, got "${label.value}" twice.`)
    labels.add(label.value)
  }
  if (operation.operation === 'subscription') return invalid('Expected a subscription without @defer.')
  if (operation.operation === 'mutation' && isRootDeferred(document, operation)) {
    return invalid('Expected the fields of a mutation without @defer: they run in order. Defer fields below them.')
  }
  return []
}

/** Whether a document has `@defer`, including disabled ones. */
export function mentionsDefer(document: DocumentNode): boolean {
  let isFound = false
  visit(document, {
    Directive(node) {
      if (isDefer(node)) isFound = true
    },
  })
  return isFound
}

/** `@defer` directives that are not disabled by a literal. */
function defersIn(document: DocumentNode): readonly DirectiveNode[] {
  const found: DirectiveNode[] = []
  visit(document, {
    Directive(node) {
      if (isDefer(node) && !isOff(node)) found.push(node)
    },
  })
  return found
}

/** Removes `@defer`, for a complete result. */
export const withoutDefer = (document: DocumentNode): DocumentNode =>
  visit(document, { Directive: (node) => (isDefer(node) ? null : undefined) })

/** Active `@defer` of an operation, by its variables. */
export type DeferVariants = {
  /** Key of the active set; null when none is active. */
  readonly keyOf: (variables: Variables) => string | null
  /** The document with unconditional `@defer` where active, and without the others. */
  readonly documentFor: (variables: Variables) => DocumentNode
}

/** Reads the conditions of `@defer` in an operation. */
export function deferVariantsOf(document: DocumentNode, operation: OperationDefinitionNode): DeferVariants {
  const defaults = new Map(
    (operation.variableDefinitions ?? []).map(({ variable, defaultValue }) => [
      variable.name.value,
      defaultValue && valueFromASTUntyped(defaultValue),
    ]),
  )
  const isActive = (directive: DirectiveNode, variables: Variables): boolean => {
    const value = argumentOf(directive, 'if')
    if (value?.kind !== Kind.VARIABLE) return !isOff(directive)
    const name = value.name.value
    return (Object.hasOwn(variables, name) && variables[name] !== undefined ? variables[name] : defaults.get(name)) === true
  }
  const defers = defersIn(document)
  return {
    keyOf(variables) {
      const key = defers.map((directive) => (isActive(directive, variables) ? '1' : '0')).join('')
      return key.includes('1') ? key : null
    },
    documentFor: (variables) =>
      visit(document, {
        Directive(node) {
          if (!isDefer(node)) return undefined
          if (!isActive(node, variables)) return null
          return { ...node, arguments: node.arguments?.filter(({ name }) => name.value !== 'if') }
        },
      }),
  }
}

const isDeferred = ({ directives = [] }: FragmentNode): boolean =>
  directives.some((directive) => isDefer(directive) && !isOff(directive))

/** Counts each fragment once, so the time is linear in the text. */
function countDefers(document: DocumentNode, operation: OperationDefinitionNode): number {
  const { fragments } = documentIndex(document)
  const counted = new Map<string, number>()
  return countIn(operation.selectionSet)

  function countIn({ selections }: SelectionSetNode): number {
    return selections.reduce((sum, selection) => {
      if (selection.kind === Kind.FIELD) return sum + (selection.selectionSet ? countIn(selection.selectionSet) : 0)
      return sum + (isDeferred(selection) ? 1 : 0) + countBelow(selection)
    }, 0)
  }

  function countBelow(selection: FragmentNode): number {
    if (selection.kind === Kind.INLINE_FRAGMENT) return countIn(selection.selectionSet)
    const name = selection.name.value
    const known = counted.get(name)
    if (known !== undefined) return known
    const fragment = fragments.get(name)
    const count = fragment ? countIn(fragment.selectionSet) : 0
    counted.set(name, count)
    return count
  }
}

/** Whether a root field is in a deferred fragment. */
function isRootDeferred(document: DocumentNode, operation: OperationDefinitionNode): boolean {
  const { fragments } = documentIndex(document)
  const isIn = ({ selections }: SelectionSetNode): boolean =>
    selections.some((selection) => {
      if (selection.kind === Kind.FIELD) return false
      if (isDeferred(selection)) return true
      const fragment = fragmentOf(selection, fragments)
      return fragment !== undefined && isIn(fragment.selectionSet)
    })
  return isIn(operation.selectionSet)
}
