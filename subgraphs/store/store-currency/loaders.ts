import { loaderByKey } from '../../toolkit/loader.ts'
import type { Tenant } from '../tenant.ts'
import type { StoreCurrencyRepository } from './repository.ts'

export const storeCurrencyLoaders = (currencies: StoreCurrencyRepository, { storeId }: Tenant) => {
  let all: ReturnType<StoreCurrencyRepository['all']> | null = null
  return {
    storeCurrencyById: loaderByKey(
      async (ids: readonly number[]) => currencies.findByIds(await storeId(), ids),
      ({ id }) => id,
    ),
    /** Currencies beside that of the store; read once. */
    storeCurrencies: () => (all ??= storeId().then((store) => currencies.all(store))),
  }
}
