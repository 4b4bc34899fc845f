import { rowOf } from '../ids.ts'
import { createLabel, deleteLabel, updateLabel } from '../page-label/actions.ts'
import type { Unit } from '../write.ts'

type Versioned = { readonly expectedVersion?: number | null | undefined }

const named = (id: string) => ({ id, row: rowOf(id, 'PageTemplate') })

/** Creates a template. */
export async function createPageTemplate(unit: Unit, { name }: { readonly name: string }) {
  const made = await createLabel(unit, 'page_template', name)
  if ('__typename' in made) return made
  return { __typename: 'CreatePageTemplateSuccess' as const, pageTemplate: made.row }
}

/** Changes what the input has. */
export async function updatePageTemplate(
  unit: Unit,
  id: string,
  input: Versioned & { readonly name?: string | null | undefined },
) {
  const changed = await updateLabel(unit, 'page_template', named(id), input)
  if ('__typename' in changed) return changed
  return { __typename: 'UpdatePageTemplateSuccess' as const, pageTemplate: changed.row }
}

/** Deletes a template; pages that had it have none. */
export async function deletePageTemplate(unit: Unit, id: string, given: Versioned) {
  const gone = await deleteLabel(unit, 'page_template', named(id), given)
  if ('__typename' in gone) return gone
  return { __typename: 'DeletePageTemplateSuccess' as const, row: gone.row }
}
