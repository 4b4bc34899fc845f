/** A picture of a page. */
export type PageImage = {
  readonly id: number
  readonly pageId: number
  /** From 1, without gaps. */
  readonly position: number
  readonly fileId: number
  readonly key: string
  readonly contentType: string
  readonly byteCount: number
  readonly createdAt: Date
}

/** As many pictures as a page may have: it is read with all of them. */
export const MAX_PAGE_IMAGES = 100

/** The ids in their order once this one is at this place; behind the last, it becomes the last. */
export function movedTo(ids: readonly number[], id: number, position: number): readonly number[] {
  const others = ids.filter((each) => each !== id)
  return others.toSpliced(position - 1, 0, id)
}
