import { createHash, randomBytes } from 'node:crypto'
import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { amountOf, textOf } from '../amount.ts'
import { decodeId } from '../ids.ts'
import { storeRepository } from '../store/repository.ts'
import { conflictError, type UnitOfWork } from '../write.ts'
import { codeKey, codeOf, type GiftCardInput, giftCardProblems, MAX_CART_GIFT_CARDS, refusalOf } from './gift-card.ts'
import { giftCardRepository } from './repository.ts'

/** Characters of a random code, five bits each. */
const CODE_CHARACTERS = 16

/** A code for a gift card: 80 random bits. */
export const newGiftCardCode = (): string => codeOf(randomBytes(CODE_CHARACTERS))

/** Stored hash of a code; it differs from store to store. */
const hashOf = (storeId: number, key: string): Buffer => createHash('sha256').update(`gift card ${storeId} ${key}`).digest()

/** Issues a gift card with `code`, which is the merchant's own or a random one. */
export async function createGiftCard({ query, storeId, now }: UnitOfWork, code: string, input: GiftCardInput) {
  const [store] = await storeRepository(query).findByIds([storeId])
  if (!store) throw new Error('Expected the store of the caller.')
  const { currency } = store
  const problems = giftCardProblems(input, { currency, now })
  const key = codeKey(code)
  if (problems.length > 0 || key === null) return validationError(problems)
  const giftCard = await giftCardRepository(query).insert(
    storeId,
    hashOf(storeId, key),
    {
      lastFour: key.slice(-4),
      currency,
      amount: textOf(amountOf(input.amount)),
      expiresAt: input.expiresAt ?? null,
      note: input.note?.trim() || null,
    },
    now,
  )
  return giftCard === null
    ? conflictError('Another gift card of the store has this code.')
    : { __typename: 'CreateGiftCardSuccess' as const, giftCard, code }
}

/** Disables a gift card; one that is disabled stays so. */
export async function disableGiftCard({ query, storeId, now }: UnitOfWork, id: string) {
  const row = decodeId(id, 'GiftCard')
  const isThere = row !== null && (await giftCardRepository(query).disable(storeId, row, now))
  return isThere ? { __typename: 'DisableGiftCardSuccess' as const, giftCard: row } : notFoundError('gift card', id)
}

/** Gift cards of a cart after a change, or its problem. One that cannot pay is not added. */
export async function changedGiftCards(
  { query, storeId, now }: UnitOfWork,
  { giftCards: before, currency }: { readonly giftCards: readonly number[]; readonly currency: string | null },
  change: {
    readonly addGiftCardCodes?: readonly string[] | null | undefined
    readonly removeGiftCardIds?: readonly string[] | null | undefined
  },
) {
  const removed = (change.removeGiftCardIds ?? []).map((id) => decodeId(id, 'GiftCard'))
  const ids = before.filter((id) => !removed.includes(id))
  const codes = change.addGiftCardCodes ?? []
  const [store] = codes.length === 0 ? [] : await storeRepository(query).findByIds([storeId])
  for (const [index, code] of codes.entries()) {
    const key = codeKey(code)
    const card = key === null ? null : await giftCardRepository(query).byCode(storeId, hashOf(storeId, key))
    const refusal = card && store ? refusalOf(card, { currency: currency ?? store.currency, now }) : 'does not exist'
    // The code is a secret: no message repeats it.
    if (!card || refusal !== null) {
      const field = `addGiftCardCodes.${index}`
      const message = `Expected "${field}" to be the code of a gift card that can pay; this one ${refusal ?? ''}.`
      return { problem: { field, message } }
    }
    if (!ids.includes(card.id)) ids.push(card.id)
  }
  return ids.length > MAX_CART_GIFT_CARDS
    ? { problem: problem('addGiftCardCodes', `codes for a cart of at most ${MAX_CART_GIFT_CARDS} gift cards`, ids.length) }
    : { ids }
}
