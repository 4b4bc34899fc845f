import type { Resolvers } from '#generated/store/resolvers.ts'
import { encodeId } from '../../toolkit/ids.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { amountOf, textOf } from '../amount.ts'
import { decodeId, identified, present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import { createGiftCard, disableGiftCard, newGiftCardCode } from './actions.ts'
import { type GiftCard, type GiftCardTransaction, refusalOf, spread } from './gift-card.ts'

const ALL: KeysetList<GiftCard> = { name: 'giftCards', parts: ['number'], positionOf: ({ id }) => [id] }
const LEDGER: KeysetList<GiftCardTransaction> = { name: 'transactions', parts: ['number'], positionOf: ({ id }) => [id] }

export const giftCardResolvers = {
  Query: {
    giftCard: (_, { id }, { load }) => {
      const row = decodeId(id, 'GiftCard')
      return row === null ? null : load.giftCardById.load(row)
    },
    giftCards: async (_, page, { storeId, giftCards }) => {
      const range = keysetRange(ALL, page, LIST_SIZES)
      const store = await storeId()
      return keysetPage(ALL, range, await giftCards.list(store, range), () => giftCards.count(store))
    },
  },
  Mutation: {
    createGiftCard: (_, { input }, { write }) =>
      write('createGiftCard', {}, (unit) => createGiftCard(unit, input.code ?? newGiftCardCode(), input)),
    disableGiftCard: (_, { id }, { write }) => write('disableGiftCard', { id }, (unit) => disableGiftCard(unit, id)),
  },
  GiftCard: {
    ...identified('GiftCard'),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'GiftCard')
      return row === null ? null : load.giftCardById.load(row)
    },
    transactions: async ({ id }, page, { load }) => {
      const range = keysetRange(LEDGER, page, LIST_SIZES)
      return keysetPage(
        LEDGER,
        range,
        await load.transactionsOfGiftCard(range).load(id),
        async () => (await load.transactionCountOfGiftCard.load(id))?.count ?? 0,
      )
    },
  },
  GiftCardTransaction: {
    ...identified('GiftCardTransaction'),
    order: ({ orderId }, _, { load }) => (orderId === null ? null : load.orderById.load(orderId)),
  },
  GiftCardConnection: connectionFields,
  GiftCardTransactionConnection: connectionFields,
  CreateGiftCardSuccess: {
    giftCard: ({ giftCard }, _, { load }) => present(load.giftCardById.load(giftCard), 'gift card'),
  },
  DisableGiftCardSuccess: {
    giftCard: ({ giftCard }, _, { load }) => present(load.giftCardById.load(giftCard), 'gift card'),
  },
  StorefrontCart: {
    giftCards: async ({ storefront, cart, calculated }, _, { giftCards, now }) => {
      const ids = cart.contents.giftCards
      if (ids.length === 0) return []
      const found = await giftCards.findByIds(storefront.store.id, ids)
      const cards = ids.flatMap((id) => found.find((card) => card.id === id) ?? [])
      const { totals } = await calculated()
      const order = { currency: cart.contents.currency ?? storefront.store.currency, now: now() }
      const paying = cards.filter((card) => refusalOf(card, order) === null)
      const shares = totals && spread(amountOf(totals.giftCardsDiscount), paying)
      return cards.map((card) => ({
        ...card,
        applied: shares && textOf(shares.find(({ giftCardId }) => giftCardId === card.id)?.amount ?? 0n),
      }))
    },
  },
  StorefrontGiftCard: { id: ({ id }) => encodeId('GiftCard', String(id)) },
  StorefrontCartTotals: { giftCards: ({ giftCardsDiscount }) => giftCardsDiscount },
} satisfies Resolvers
