import { loaderByKey } from '../../toolkit/loader.ts'
import type { LedgerRepository } from './repository.ts'

export const ledgerLoaders = (ledger: LedgerRepository) => ({
  balanceOfStore: loaderByKey(ledger.ownBalances, ({ storeId }) => storeId),
})
