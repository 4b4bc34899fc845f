import { type DirectiveNode, type DocumentNode, Kind, type SelectionSetNode } from 'graphql'
import { documentIndex } from '../../operations/document-index.ts'

/**
 * Returns a function for the cache key of a selection: a letter per variable of `@skip` and
 * `@include` for true, false, null or absent. Equal keys mean equal selections.
 */
export function conditionKey(document: DocumentNode): (variableValues: Readonly<Record<string, unknown>>) => string {
  const names = new Set<string>()
  const { operations, fragments } = documentIndex(document)
  for (const { selectionSet } of [...operations, ...fragments.values()]) collect(selectionSet, names)
  if (names.size === 0) return () => ''
  return (variableValues) => {
    let key = ''
    for (const name of names) {
      const value = Object.hasOwn(variableValues, name) ? variableValues[name] : undefined
      key += value === true ? 't' : value === false ? 'f' : value === null ? 'n' : 'a'
    }
    return key
  }
}

function collect({ selections }: SelectionSetNode, names: Set<string>): void {
  for (const selection of selections) {
    for (const directive of selection.directives ?? []) collectFrom(directive, names)
    const within = selection.kind === Kind.FRAGMENT_SPREAD ? undefined : selection.selectionSet
    if (within) collect(within, names)
  }
}

function collectFrom({ name, arguments: nodes }: DirectiveNode, names: Set<string>): void {
  if (name.value !== 'skip' && name.value !== 'include') return
  for (const { value } of nodes ?? []) if (value.kind === Kind.VARIABLE) names.add(value.name.value)
}
