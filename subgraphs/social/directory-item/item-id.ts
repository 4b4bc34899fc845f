import { type Problem, problem } from '../../toolkit/validation.ts'

/** The problem of an id that cannot be an item's; only the directory knows whether the item exists. */
export const itemIdProblem = (field: string, id: string | null | undefined): Problem | null =>
  id == null || /^[\w-]{1,100}$/.test(id) ? null : problem(field, 'the id of an item of the directory', id)
