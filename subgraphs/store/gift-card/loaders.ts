import type { KeysetRange } from '../../toolkit/keyset.ts'
import { loaderByKey, loaderOfLists, loaderPerArguments } from '../../toolkit/loader.ts'
import type { Tenant } from '../tenant.ts'
import type { GiftCardRepository } from './repository.ts'

export const giftCardLoaders = (giftCards: GiftCardRepository, { storeId }: Tenant) => ({
  giftCardById: loaderByKey(
    async (ids: readonly number[]) => giftCards.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  /** Per range: the ledger of a gift card. */
  transactionsOfGiftCard: loaderPerArguments((range: KeysetRange) =>
    loaderOfLists(
      async (ids: readonly number[]) => giftCards.transactionsOf(await storeId(), ids, range),
      ({ giftCardId }) => giftCardId,
    ),
  ),
  transactionCountOfGiftCard: loaderByKey(
    async (ids: readonly number[]) => giftCards.transactionCounts(await storeId(), ids),
    ({ giftCardId }) => giftCardId,
  ),
})
