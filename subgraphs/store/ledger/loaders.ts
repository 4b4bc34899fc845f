import { loaderByKey } from '../../runtime/loader.ts'
import type { LedgerRepository } from './repository.ts'

export const ledgerLoaders = (ledger: LedgerRepository) => ({
  balanceOfStore: loaderByKey(ledger.ownBalances, ({ storeId }) => storeId),
})
