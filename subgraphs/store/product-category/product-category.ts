import { type Problem, problemsIn, textProblem } from '../../toolkit/validation.ts'

/** A group of products. */
export type ProductCategory = {
  readonly id: number
  /** Null at the top. */
  readonly parentId: number | null
  readonly name: string
  readonly permalink: string
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** Fields of a category to write; undefined stays unchanged. */
export type ProductCategoryInput = {
  readonly name?: string | null | undefined
  readonly permalink?: string | null | undefined
}

const MAX_TEXT_LENGTH = 200

/** Problems of a category to create or change; `name` is required for a new one. */
export const productCategoryProblems = ({ name, permalink }: ProductCategoryInput): readonly Problem[] =>
  problemsIn([
    name === undefined ? null : textProblem('name', name ?? '', MAX_TEXT_LENGTH),
    permalink == null ? null : textProblem('permalink', permalink, MAX_TEXT_LENGTH),
  ])
