import { Fault } from '../../../platform/outbound/fault.ts'
import type { SecretCipher } from '../../../platform/secrets/cipher.ts'
import type { Store } from '../store/store.ts'
import { requestedOf } from './quotes.ts'
import type { ShippingMethodRepository } from './repository.ts'
import type { ShippingServices } from './service.ts'

type Deps = {
  readonly shippingMethods: ShippingMethodRepository
  readonly shippingServices: ShippingServices
  readonly secrets: SecretCipher
}

/**
 * Fetches the services of an external method from its provider, and stores them. Without an answer
 * the stored ones stay.
 */
export async function refreshServices(
  { shippingMethods, shippingServices, secrets }: Deps,
  store: Store,
  methodId: number,
): Promise<void> {
  const [method] = await shippingMethods.findByIds(store.id, [methodId])
  if (!method || method.fetchServicesUrl === null) return
  const tokens = await shippingMethods.tokens(store.id, [methodId], secrets)
  try {
    const delivered = await shippingServices.services(
      requestedOf(store, method, method.fetchServicesUrl, tokens.get(methodId) ?? ''),
    )
    await shippingMethods.setServices(store.id, methodId, delivered)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
  }
}
