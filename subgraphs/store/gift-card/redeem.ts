import { type Amount, amountOf, sumOf } from '../amount.ts'
import type { UnitOfWork } from '../write.ts'
import { creditOf, type GiftCard, refusalOf, spread } from './gift-card.ts'
import { giftCardRepository } from './repository.ts'

type OfStore = Pick<UnitOfWork, 'query' | 'storeId' | 'now'>

/**
 * Locks the cards of an order that can pay, in the order of `ids`, until the transaction ends. To be
 * called before stock is locked: everything locks in this order.
 */
export async function lockGiftCards(
  { query, storeId, now }: OfStore,
  ids: readonly number[],
  currency: string,
): Promise<readonly GiftCard[]> {
  const locked = await giftCardRepository(query).lock(storeId, ids)
  return ids.flatMap((id) => locked.find((card) => card.id === id && refusalOf(card, { currency, now }) === null) ?? [])
}

/** Pays `amount` of an order with locked cards, which have as much. */
export async function redeemGiftCards(
  { query, storeId, now }: OfStore,
  orderId: number,
  cards: readonly GiftCard[],
  amount: Amount,
): Promise<void> {
  await giftCardRepository(query).enter(storeId, { kind: 'REDEMPTION', orderId, at: now }, spread(amount, cards))
}

/**
 * Takes again what a locked order gave back, from the same cards. False: they have not as much any
 * more, and nothing was taken.
 */
export async function redeemGiftCardsAgain(
  unit: OfStore,
  order: { readonly id: number; readonly currency: string; readonly giftCardsDiscount: string },
): Promise<boolean> {
  const amount = amountOf(order.giftCardsDiscount)
  if (amount === 0n) return true
  const paid = await giftCardRepository(unit.query).unreturnedBy(unit.storeId, order.id)
  const ids = paid.map(({ giftCardId }) => giftCardId)
  const cards = await lockGiftCards(unit, ids, order.currency)
  if (creditOf(cards) < amount) return false
  await redeemGiftCards(unit, order.id, cards, amount)
  return true
}

/**
 * Gives what a locked order took back to its cards, up to `max`; null: all of it. Cards that have
 * expired or are disabled get it too: the ledger says what happened. Returns how much it was.
 */
export async function returnGiftCards({ query, storeId, now }: OfStore, orderId: number, max: Amount | null): Promise<Amount> {
  const giftCards = giftCardRepository(query)
  const unreturned = (await giftCards.unreturnedBy(storeId, orderId)).filter(({ amount }) => amount > 0n)
  if (unreturned.length === 0) return 0n
  await giftCards.lock(
    storeId,
    unreturned.map(({ giftCardId }) => giftCardId),
  )
  let left = max ?? sumOf(unreturned.map(({ amount }) => amount))
  const shares = unreturned.flatMap(({ giftCardId, amount }) => {
    const share = amount < left ? amount : left
    left -= share
    return share > 0n ? [{ giftCardId, amount: share }] : []
  })
  await giftCards.enter(storeId, { kind: 'RETURN', orderId, at: now }, shares)
  return sumOf(shares.map(({ amount }) => amount))
}

/** What gift cards paid of a locked order and have not got back. */
export const unreturnedGiftCards = async ({ query, storeId }: OfStore, orderId: number): Promise<Amount> =>
  sumOf((await giftCardRepository(query).unreturnedBy(storeId, orderId)).map(({ amount }) => amount))
