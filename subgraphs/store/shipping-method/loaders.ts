import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { ShippingMethodRepository } from './repository.ts'

export const shippingMethodLoaders = (methods: ShippingMethodRepository, { storeId }: Tenant) => ({
  shippingMethodById: loaderByKey(
    async (ids: readonly number[]) => methods.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  servicesOfShippingMethod: loaderOfLists(
    async (ids: readonly number[]) => methods.servicesOf(await storeId(), ids),
    ({ shippingMethodId }) => shippingMethodId,
  ),
})
