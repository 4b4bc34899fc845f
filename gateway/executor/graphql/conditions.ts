import { type DirectiveNode, type DocumentNode, Kind, type SelectionSetNode } from 'graphql'

/**
 * Makes a key of the variables that decide in `@skip` and `@include` about what is asked: two runs with equal keys ask for the same. They are Booleans, so a letter
 * says all about each: true, false, null or absent.
 */
export function conditionKey({ definitions }: DocumentNode): (variableValues: Readonly<Record<string, unknown>>) => string {
  const names = new Set<string>()
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION) continue
    collect(definition.selectionSet, names)
  }
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

function collectFrom({ name, arguments: given }: DirectiveNode, names: Set<string>): void {
  if (name.value !== 'skip' && name.value !== 'include') return
  for (const { value } of given ?? []) if (value.kind === Kind.VARIABLE) names.add(value.name.value)
}
