/** A file that comes with a product. */
export type ProductAttachment = {
  readonly id: number
  readonly productId: number
  readonly fileId: number
  readonly key: string
  readonly filename: string
  readonly contentType: string
  readonly byteCount: number
  readonly createdAt: Date
}

/** As many attachments as a product may have: it is read with all of them. */
export const MAX_ATTACHMENTS = 100

/** For how long a URL of an attachment is good. Seconds. */
export const URL_SECONDS = 3_600
