import { type DocumentNode, Kind, print, type SelectionSetNode } from 'graphql'

/** Two fields whose `@requires` name one field with different arguments. */
export type RequiresConflict = { readonly fields: readonly [string, string]; readonly required: string }

/** Arguments as text, by the path of the required field; fields without arguments are absent. */
export type RequiredArguments = ReadonlyMap<string, string>

/** The fields with arguments of a field set. */
export function requiredArguments(fieldSet: DocumentNode): RequiredArguments {
  const found = new Map<string, string>()
  const collect = ({ selections }: SelectionSetNode, path: string): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const own = `${path}${path && '.'}${selection.name.value}`
        if (selection.arguments?.length) found.set(own, selection.arguments.map(print).toSorted().join(', '))
        if (selection.selectionSet) collect(selection.selectionSet, own)
      } else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet, path)
    }
  }
  for (const definition of fieldSet.definitions)
    if (definition.kind === Kind.OPERATION_DEFINITION) collect(definition.selectionSet, '')
  return found
}

/**
 * The first conflict among fields of the same objects: they are fetched under one name, so that one
 * of two arguments would be used for both. `fieldsByPath`: `Type.field` by the path of the objects.
 */
export function findRequiresConflict(
  argumentsOf: ReadonlyMap<string, RequiredArguments>,
  fieldsByPath: ReadonlyMap<string, readonly string[]>,
): RequiresConflict | null {
  for (const fields of fieldsByPath.values()) {
    const seen = new Map<string, { readonly field: string; readonly text: string }>()
    for (const field of fields) {
      for (const [required, text] of argumentsOf.get(field) ?? []) {
        const earlier = seen.get(required)
        if (earlier && earlier.text !== text) return { fields: [earlier.field, field], required }
        seen.set(required, { field, text })
      }
    }
  }
  return null
}
