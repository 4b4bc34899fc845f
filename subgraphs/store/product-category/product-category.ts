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

/** What is written of a category; undefined stays as it is. */
export type ProductCategoryInput = {
  readonly name?: string | null | undefined
  readonly permalink?: string | null | undefined
}

const LONGEST = 200

/** What is wrong with a category to be created or changed; `name` is needed when it is created. */
export const productCategoryProblems = ({ name, permalink }: ProductCategoryInput): readonly Problem[] =>
  problemsIn([
    name === undefined ? null : textProblem('name', name ?? '', LONGEST),
    permalink == null ? null : textProblem('permalink', permalink, LONGEST),
  ])
