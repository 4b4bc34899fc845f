import { type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { urlProblem } from '../input.ts'

export type OrderDocumentType = 'CREDIT_NOTE' | 'INVOICE'

/** An invoice or a credit note of an order. */
export type OrderDocument = DocumentFields & {
  readonly id: number
  readonly orderNumber: number
  readonly publicId: string
  readonly appCode: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** What can be written of a document, besides its address. */
export type DocumentFields = {
  readonly documentType: OrderDocumentType
  readonly externalId: string | null
  readonly url: string | null
}

/** What `Order.documents` promises to hold. */
export const MAX_DOCUMENTS = 100
/** What fits 32 bits: the REST API has it in a path. */
export const MAX_PUBLIC_ID = 2_147_483_647

/** Problems of a document after a change. */
export const documentProblems = (
  { documentType, externalId, url }: DocumentFields,
  { publicId, appCode }: { readonly publicId: string | null; readonly appCode: string | null },
): readonly Problem[] =>
  problemsIn([
    // The type has no null, but a caller can.
    documentType === null ? problem('documentType', 'CREDIT_NOTE or INVOICE', null) : null,
    externalId === null ? null : textProblem('externalId', externalId, 255),
    publicId === null || (/^[1-9]\d{0,9}$/.test(publicId) && Number(publicId) <= MAX_PUBLIC_ID)
      ? null
      : problem('publicId', `1 to ${MAX_PUBLIC_ID} in digits`, publicId),
    url === null ? null : urlProblem('url', url),
    appCode === null ? null : textProblem('appCode', appCode, 100),
  ])
