import {
  type DirectiveNode,
  type DocumentNode,
  type FragmentSpreadNode,
  type InlineFragmentNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import { documentIndex } from './document-index.ts'

const DEFER = 'defer'
const isDefer = ({ name }: DirectiveNode): boolean => name.value === DEFER

/** Client labels of deferred fragments, by the labels used for planning. */
export type DeferLabels = ReadonlyMap<string, string | undefined>

/**
 * Gives each use of a deferred fragment a unique label, because the planner identifies fragments by
 * label and would confuse two uses of one fragment. Fragments with `@defer` become inline
 * fragments.
 */
export function labelDeferredFragments(
  document: DocumentNode,
  operation: OperationDefinitionNode,
): { readonly document: DocumentNode; readonly labels: DeferLabels } {
  const { fragments } = documentIndex(document)
  const labels = new Map<string, string | undefined>()
  const deferring = new Map<string, boolean>()
  const own: OperationDefinitionNode = { ...operation, selectionSet: expanded(operation.selectionSet) }
  const others = document.definitions.filter(
    (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && !hasDefer(definition.name.value),
  )
  return { document: { kind: Kind.DOCUMENT, definitions: [own, ...others] }, labels }

  function expanded({ selections }: SelectionSetNode): SelectionSetNode {
    return { kind: Kind.SELECTION_SET, selections: selections.map(expandSelection) }
  }

  function expandSelection(selection: SelectionNode): SelectionNode {
    if (selection.kind === Kind.FIELD) {
      return selection.selectionSet ? { ...selection, selectionSet: expanded(selection.selectionSet) } : selection
    }
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      return { ...selection, directives: labelled(selection), selectionSet: expanded(selection.selectionSet) }
    }
    const fragment = fragments.get(selection.name.value)
    const isDeferred = selection.directives?.some(isDefer) ?? false
    if (!fragment || (!isDeferred && !hasDefer(selection.name.value))) return selection
    const { typeCondition, selectionSet } = fragment
    return { kind: Kind.INLINE_FRAGMENT, typeCondition, directives: labelled(selection), selectionSet: expanded(selectionSet) }
  }

  function labelled({ directives = [] }: InlineFragmentNode | FragmentSpreadNode): readonly DirectiveNode[] {
    return directives.map((directive) => {
      if (!isDefer(directive)) return directive
      const value = directive.arguments?.find(({ name }) => name.value === 'label')?.value
      const label = `d${labels.size}`
      labels.set(label, value?.kind === Kind.STRING ? value.value : undefined)
      return { ...directive, arguments: [LABEL(label)] }
    })
  }

  /** Whether a named fragment contains `@defer`, at any depth. */
  function hasDefer(name: string): boolean {
    const known = deferring.get(name)
    if (known !== undefined) return known
    const fragment = fragments.get(name)
    const has = fragment !== undefined && isDeferringIn(fragment.selectionSet)
    deferring.set(name, has)
    return has
  }

  function isDeferringIn({ selections }: SelectionSetNode): boolean {
    return selections.some((selection) => {
      if (selection.kind !== Kind.FIELD && selection.directives?.some(isDefer)) return true
      if (selection.kind === Kind.FRAGMENT_SPREAD) return hasDefer(selection.name.value)
      return selection.selectionSet !== undefined && isDeferringIn(selection.selectionSet)
    })
  }
}

const LABEL = (value: string) => ({
  kind: Kind.ARGUMENT as const,
  name: { kind: Kind.NAME as const, value: 'label' },
  value: { kind: Kind.STRING as const, value },
})

/** A deferred fragment with its enclosing selections, whose conditions may exclude it. */
export type DeferredFragment = { readonly node: InlineFragmentNode; readonly around: readonly SelectionNode[] }

/** Deferred fragments of a labelled operation, by label. */
export function deferredFragmentsIn({ selectionSet }: OperationDefinitionNode): ReadonlyMap<string, DeferredFragment> {
  const found = new Map<string, DeferredFragment>()
  collect(selectionSet, [])
  return found

  function collect({ selections }: SelectionSetNode, around: readonly SelectionNode[]): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD || !selection.selectionSet) continue
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        const label = selection.directives?.find(isDefer)?.arguments?.[0]?.value
        if (label?.kind === Kind.STRING) found.set(label.value, { node: selection, around })
      }
      collect(selection.selectionSet, [...around, selection])
    }
  }
}

/** Whether a selection is deferred, and so not part of the enclosing result. */
export const isDeferredSelection = ({
  directives = [],
}: {
  readonly directives?: readonly DirectiveNode[] | undefined
}): boolean => directives.some(isDefer)
