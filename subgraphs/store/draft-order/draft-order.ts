import { type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { amountOf, LARGEST } from '../amount.ts'
import type { NewOrderInput } from '../order/calculation/prepare.ts'

export type DraftOrderStatus = 'OPEN' | 'COMPLETED' | 'CANCELED'

/** What a draft contains, as a caller gives it. */
export type DraftContents = Omit<
  NewOrderInput,
  'status' | 'allowMissingProducts' | 'giftCards' | 'locale' | 'createdFrom' | 'orderDiscount'
> & { readonly discount?: string | null | undefined }

/** An order that a merchant prepares. */
export type DraftOrder = {
  readonly id: number
  readonly status: DraftOrderStatus
  readonly contents: DraftContents
  readonly currency: string
  /** At the last change. */
  readonly total: string
  readonly orderId: number | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** Drafts of a store that are OPEN: more than people work on. */
export const MAX_OPEN_DRAFTS = 1_000
/** Characters of a coupon code. */
const MAX_CODE_LENGTH = 100

/** The order that a draft would become. */
export function orderInputOfDraft({ discount, ...input }: DraftContents): NewOrderInput {
  return { ...input, createdFrom: 'draft_order', orderDiscount: discount ?? null }
}

/** Problems of contents, besides those of the order that they would become. */
export const draftProblems = ({ discount, couponCodes }: DraftContents): readonly Problem[] =>
  problemsIn([
    discount == null || (amountOf(discount) >= 0n && amountOf(discount) <= LARGEST)
      ? null
      : problem('contents.discount', '0 or more', discount),
    // Codes without effect are stored as well.
    ...(couponCodes ?? []).map((code, index) => textProblem(`contents.couponCodes.${index}`, code, MAX_CODE_LENGTH)),
  ])

/** A `DraftOrderNotOpen` of the schema. */
export const notOpen = (status: DraftOrderStatus) => ({
  __typename: 'DraftOrderNotOpen' as const,
  message: `Expected a draft that is OPEN, but it is ${status}.`,
  status,
})
