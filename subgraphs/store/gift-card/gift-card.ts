import { type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { type Amount, amountOf, LARGEST, least, minorUnitOf, sumOf, textOf } from '../amount.ts'

/** A credit that shoppers pay orders with, by a code of which only a hash is stored. */
export type GiftCard = {
  readonly id: number
  readonly lastFour: string
  /** ISO 4217 code. */
  readonly currency: string
  readonly issued: string
  readonly balance: string
  readonly expiresAt: Date | null
  readonly disabledAt: Date | null
  readonly note: string | null
  readonly createdAt: Date
}

/** Entry in the ledger of a gift card; an amount above 0 is added to the balance. */
export type GiftCardTransaction = {
  readonly id: number
  readonly giftCardId: number
  readonly kind: 'ISSUE' | 'REDEMPTION' | 'RETURN'
  readonly amount: string
  readonly orderId: number | null
  readonly createdAt: Date
}

/** An amount of one gift card. */
export type GiftCardShare = { readonly giftCardId: number; readonly amount: Amount }

/** A new gift card, as a merchant gives it. */
export type GiftCardInput = {
  readonly amount: string
  readonly code?: string | null | undefined
  readonly expiresAt?: Date | null | undefined
  readonly note?: string | null | undefined
}

/** What a cart promises to take. */
export const MAX_CART_GIFT_CARDS = 10
/** Codes that one address may try in one store: more than anybody has, and no way to guess one. */
export const CODES_PER_MINUTE = 20
/** Shorter codes could be guessed by many clients together. */
const CODE = /^[A-Z0-9]{12,40}$/
/** Longest code with the spaces and hyphens that people write. */
export const MAX_CODE_CHARACTERS = 100
const MAX_NOTE_CHARACTERS = 500
/** Crockford's Base32: no letter looks like a digit. 16 of them are 80 bits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A code without what people add when they write it; null when it cannot be one. */
export function codeKey(code: string): string | null {
  if (code.length > MAX_CODE_CHARACTERS) return null
  const key = code.replace(/[\s-]/g, '').toUpperCase()
  return CODE.test(key) ? key : null
}

/** A code of these random bytes, five bits of each, in groups of four. */
export const codeOf = (random: Uint8Array): string =>
  (
    Array.from(random, (byte) => ALPHABET[byte % ALPHABET.length])
      .join('')
      .match(/.{1,4}/g) ?? []
  ).join('-')

/** Invalid fields of a new gift card. */
export function giftCardProblems(
  { amount, code, expiresAt, note }: GiftCardInput,
  { currency, now }: { readonly currency: string; readonly now: Date },
): readonly Problem[] {
  const unit = minorUnitOf(currency)
  const value = amountOf(amount)
  return problemsIn([
    value <= 0n || value > LARGEST || value % unit !== 0n
      ? problem('amount', `above 0 and at most ${textOf(LARGEST)}, in steps of ${textOf(unit)}`, amount)
      : null,
    code == null || codeKey(code) !== null
      ? null
      : problem('code', '12 to 40 letters and digits of ASCII', `${code.length} characters`),
    expiresAt == null || expiresAt > now ? null : problem('expiresAt', 'in the future', expiresAt.toISOString()),
    note?.trim() ? textProblem('note', note, MAX_NOTE_CHARACTERS) : null,
  ])
}

/** Why a gift card pays nothing of an order now; null: it can pay. */
export function refusalOf(
  { currency, balance, expiresAt, disabledAt }: GiftCard,
  order: { readonly currency: string; readonly now: Date },
): string | null {
  if (disabledAt !== null) return 'is disabled'
  if (expiresAt !== null && expiresAt <= order.now) return 'has expired'
  if (currency !== order.currency) return `is in ${currency}`
  return amountOf(balance) > 0n ? null : 'has nothing left'
}

/** What these cards can pay together. */
export const creditOf = (cards: readonly GiftCard[]): Amount => sumOf(cards.map(({ balance }) => amountOf(balance)))

/** Splits an amount: each takes as much as it can, the first ones first. None is 0. */
export function spread(
  amount: Amount,
  cards: readonly { readonly id: number; readonly balance: string }[],
): readonly GiftCardShare[] {
  let left = amount
  return cards.flatMap(({ id, balance }) => {
    const share = least(left, amountOf(balance))
    left -= share
    return share > 0n ? [{ giftCardId: id, amount: share }] : []
  })
}
