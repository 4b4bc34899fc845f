import { type Problem, problem, problemsIn } from '../../toolkit/validation.ts'

/** A picture of a product. */
export type ProductImage = {
  readonly id: number
  readonly productId: number
  /** From 1, without gaps. */
  readonly position: number
  readonly fileId: number
  readonly key: string
  readonly contentType: string
  readonly byteCount: number
  readonly createdAt: Date
}

/** As many pictures as a product may have: it is read with all of them. */
export const MAX_IMAGES = 100

/** Problems of a position. */
export const positionProblems = (position: number | null | undefined): readonly Problem[] =>
  problemsIn([position == null || position >= 1 ? null : problem('position', '1 or more', position)])

/** The place that is meant among so many pictures, this one included. */
export const placeAmong = (count: number, position: number | null | undefined): number => Math.min(position ?? count, count)
