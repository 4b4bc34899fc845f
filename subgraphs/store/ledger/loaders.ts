import { loaderByKey } from '../../toolkit/loader.ts'
import type { Tenant } from '../tenant.ts'
import type { LedgerRepository } from './repository.ts'

export const ledgerLoaders = (ledger: LedgerRepository, { storeId }: Tenant) => ({
  ledgerSumsOfOrder: loaderByKey(
    async (orderIds: readonly number[]) => ledger.sumsOf(await storeId(), orderIds),
    ({ orderId }) => orderId ?? 0,
  ),
  balanceOfStore: loaderByKey(ledger.ownBalances, ({ storeId }) => storeId),
})
