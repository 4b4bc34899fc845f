import { type Problem, problem, textProblem } from '../../toolkit/validation.ts'

/**
 * What pages are sorted by, a category, or laid out by, a template: a name that is unique among
 * those of its kind in the store.
 */
export type PageLabel = {
  readonly id: number
  readonly name: string
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** The two kinds, and what messages call them. */
export const LABEL_KINDS = { page_category: 'page category', page_template: 'page template' } as const
export type LabelKind = keyof typeof LABEL_KINDS

/** So many of a kind a store has at most: they are read as a whole. */
const MAX_LABELS = 100
const MAX_TEXT_LENGTH = 100

/** The problem of the name; null: none. */
export const nameProblem = (name: string): Problem | null => textProblem('name', name, MAX_TEXT_LENGTH)

/**
 * The problem of this name, or of one more of the kind; null: none. `others` are the other names in
 * the store.
 */
export function labelProblem(kind: LabelKind, name: string, others: readonly string[], isNew: boolean): Problem | null {
  if (others.includes(name)) return problem('name', `a name that no other ${LABEL_KINDS[kind]} has`, name)
  if (!isNew || others.length < MAX_LABELS) return null
  return {
    field: 'name',
    message: `Expected at most ${MAX_LABELS} in a store: delete a ${LABEL_KINDS[kind]} first.`,
  }
}
