import { notFoundError, problemsIn, validationError } from '../../toolkit/validation.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import { LABEL_KINDS, type LabelKind, labelProblem, nameProblem } from './page-label.ts'
import { pageLabelRepository } from './repository.ts'

type Versioned = { readonly expectedVersion?: number | null | undefined }

/** Creates one of this kind; its row, or why not. */
export async function createLabel({ query, storeId, now }: UnitOfWork, kind: LabelKind, name: string) {
  const wrong = problemsIn([nameProblem(name)])
  if (wrong.length > 0) return validationError(wrong)
  const labels = pageLabelRepository(query, kind)
  const taken = labelProblem(kind, name, await labels.lockNames(storeId, null), true)
  return taken ? validationError([taken]) : { row: await labels.insert(storeId, name, now) }
}

/**
 * Sets the name; undefined leaves it, and still counts as a change. `row` is null for an invalid
 * id; `id` is the given one.
 */
export async function updateLabel(
  { query, storeId, now }: UnitOfWork,
  kind: LabelKind,
  { id, row }: { readonly id: string; readonly row: number | null },
  { name, expectedVersion }: Versioned & { readonly name?: string | null | undefined },
) {
  const wrong = problemsIn([name === undefined ? null : nameProblem(name ?? '')])
  if (wrong.length > 0) return validationError(wrong)
  const labels = pageLabelRepository(query, kind)
  const before = await labels.lock(storeId, row ?? 0)
  if (!before) return notFoundError(LABEL_KINDS[kind], id)
  const stale = staleVersion(expectedVersion, before.version)
  if (stale) return stale
  if (name != null && name !== before.name) {
    const taken = labelProblem(kind, name, await labels.lockNames(storeId, before.id), false)
    if (taken) return validationError([taken])
  }
  await labels.update(storeId, before.id, name ?? before.name, now)
  return { row: before.id }
}

/** Deletes it; pages stay. */
export async function deleteLabel(
  { query, storeId }: UnitOfWork,
  kind: LabelKind,
  { id, row }: { readonly id: string; readonly row: number | null },
  { expectedVersion }: Versioned,
) {
  const labels = pageLabelRepository(query, kind)
  const before = await labels.lock(storeId, row ?? 0)
  if (!before) return notFoundError(LABEL_KINDS[kind], id)
  const stale = staleVersion(expectedVersion, before.version)
  if (stale) return stale
  await labels.delete(storeId, before.id)
  return { row: before.id }
}
