import { loaderByKey } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { PaymentMethodRepository } from './repository.ts'

export const paymentMethodLoaders = (methods: PaymentMethodRepository, { storeId }: Tenant) => ({
  paymentMethodById: loaderByKey(
    async (ids: readonly number[]) => methods.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
})
