import { decodeId } from '../ids.ts'
import { createLabel, deleteLabel, updateLabel } from '../page-label/actions.ts'
import type { UnitOfWork } from '../write.ts'

type Versioned = { readonly expectedVersion?: number | null | undefined }

const named = (id: string) => ({ id, row: decodeId(id, 'PageTemplate') })

/** Creates a template. */
export async function createPageTemplate(unit: UnitOfWork, { name }: { readonly name: string }) {
  const made = await createLabel(unit, 'page_template', name)
  if ('__typename' in made) return made
  return { __typename: 'CreatePageTemplateSuccess' as const, pageTemplate: made.row }
}

/** Changes what the input has. */
export async function updatePageTemplate(
  unit: UnitOfWork,
  id: string,
  input: Versioned & { readonly name?: string | null | undefined },
) {
  const changed = await updateLabel(unit, 'page_template', named(id), input)
  if ('__typename' in changed) return changed
  return { __typename: 'UpdatePageTemplateSuccess' as const, pageTemplate: changed.row }
}

/** Deletes a template; pages that had it have none. */
export async function deletePageTemplate(unit: UnitOfWork, id: string, given: Versioned) {
  const gone = await deleteLabel(unit, 'page_template', named(id), given)
  if ('__typename' in gone) return gone
  return { __typename: 'DeletePageTemplateSuccess' as const, row: gone.row }
}
