import { Kind, type SelectionSetNode } from 'graphql'
import { documentIndex, fragmentOf } from '../../operations/document-index.ts'
import type { Supergraph } from '../../planning/supergraph.ts'
import type { PlannedDocument } from './planned-document.ts'
import type { PlannedFetch } from './planned-fetch.ts'

/**
 * Why a plan would return wrong or incomplete data without an error; null when it would not. The
 * planner silently omits fields that no subgraph resolves, and of two conflicting arguments fetches
 * only one.
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
  return conflictReason(fetches, fieldSets)
}

/**
 * Message when a required field has two different arguments, of which a fetch could get only one;
 * null when none has.
 */
export function conflictReason(fetches: readonly PlannedFetch[], { conflictIn }: Supergraph['fieldSets']): string | null {
  for (const { node } of fetches) {
    const path = node.requires ? conflictIn(node.requires) : null
    if (path !== null) return `${path} is required with different arguments: select the fields that need it in two operations.`
  }
  return null
}

/** Name of a root field without conditions that the plan does not fetch; null for none. */
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
