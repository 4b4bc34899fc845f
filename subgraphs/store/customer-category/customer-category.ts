import { type Problem, problemsIn, textProblem } from '../../toolkit/validation.ts'

/** A group of customers. */
export type CustomerCategory = {
  readonly id: number
  readonly name: string
  readonly code: string
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** Invalid fields of a category. */
export const customerCategoryProblems = (name: string): readonly Problem[] => problemsIn([textProblem('name', name, 200)])
