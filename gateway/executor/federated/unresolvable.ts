import { type DocumentNode, Kind, type SelectionSetNode } from 'graphql'
import { documentIndex, type Fragments, fragmentOf } from '../../operations/document-index.ts'
import type { Supergraph } from '../../planning/supergraph.ts'
import type { PlannedDocument } from './planned-document.ts'
import { ENTITIES, type PlannedFetch, pathText } from './planned-fetch.ts'

/**
 * Why a plan would return wrong or incomplete data without an error; null when it would not. The
 * planner leaves out what no subgraph resolves, and fetches one of two conflicting arguments.
 */
export function unresolvableReason(
  planned: PlannedDocument,
  fetches: readonly PlannedFetch[],
  { api, fieldSets }: Supergraph,
): string | null {
  const field = unplannedRootField(planned, fetches)
  if (field !== null) {
    const root = api.getRootType(planned.operation.operation)?.name
    return `No subgraph resolves ${root}.${field} with these fields.`
  }
  const conflict = fieldSets.conflictIn(requiringFieldsByPath(fetches))
  return (
    conflict &&
    `${conflict.fields.join(' and ')} require ${conflict.required} with different arguments: select them in two operations.`
  )
}

/** A root field that the plan does not fetch, though no condition may exclude it; null for none. */
function unplannedRootField({ document, operation }: PlannedDocument, fetches: readonly PlannedFetch[]): string | null {
  const fetched = new Set(
    fetches
      .filter(({ node, path }) => !node.requires && path.length === 0)
      .flatMap(({ selected }) => selected.map(({ key }) => key)),
  )
  const { fragments } = documentIndex(document)
  return missingIn(operation.selectionSet)

  function missingIn({ selections }: SelectionSetNode): string | null {
    for (const selection of selections) {
      if (selection.directives?.some(({ name }) => name.value === 'skip' || name.value === 'include')) continue
      if (selection.kind !== Kind.FIELD) {
        const fragment = fragmentOf(selection, fragments)
        const missing = fragment ? missingIn(fragment.selectionSet) : null
        if (missing !== null) return missing
      } else if (!selection.name.value.startsWith('__') && !fetched.has((selection.alias ?? selection.name).value)) {
        return selection.name.value
      }
    }
    return null
  }
}

/** Fields `Type.field` that entity fetches select, by the path of their objects. */
function requiringFieldsByPath(fetches: readonly PlannedFetch[]): ReadonlyMap<string, readonly string[]> {
  const byPath = new Map<string, string[]>()
  for (const { node, path, document } of fetches) {
    if (!node.requires) continue
    const key = pathText(path)
    byPath.set(key, [...(byPath.get(key) ?? []), ...entityFields(document)])
  }
  return byPath
}

function entityFields(document: DocumentNode): readonly string[] {
  const { operations, fragments } = documentIndex(document)
  const entities = operations[0]?.selectionSet.selections.find(
    (selection) => selection.kind === Kind.FIELD && selection.name.value === ENTITIES,
  )
  return entities?.kind === Kind.FIELD && entities.selectionSet ? fieldsOfType(entities.selectionSet, '', fragments) : []
}

const fieldsOfType = ({ selections }: SelectionSetNode, type: string, fragments: Fragments): readonly string[] =>
  selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [`${type}.${selection.name.value}`]
    const fragment = fragmentOf(selection, fragments)
    return fragment ? fieldsOfType(fragment.selectionSet, fragment.typeCondition?.name.value ?? type, fragments) : []
  })
