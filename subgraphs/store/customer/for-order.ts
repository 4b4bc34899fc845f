import type { UnitOfWork } from '../write.ts'
import { type CustomerChange, changedCustomer, emailKey, NEW_CUSTOMER } from './customer.ts'
import { customerRepository } from './repository.ts'

/**
 * Data of an order about its customer. Validated with the order; texts that are too long are its
 * problems.
 */
export type OrderCustomerInput = Pick<CustomerChange, 'phone' | 'phonePrefix' | 'shippingAddress' | 'billingAddress'> & {
  readonly email: string
}

/**
 * Locks the customer with this e-mail address, and creates one when there is none. An existing
 * customer stays unchanged: an order does not prove the identity of its sender. Concurrent orders
 * with one new address get the same row.
 */
export async function customerForOrder({ query, storeId, now, emit }: UnitOfWork, given: OrderCustomerInput): Promise<number> {
  const customers = customerRepository(query)
  const fields = changedCustomer(NEW_CUSTOMER, given)
  // A round fails only when a concurrent request created or deleted the customer.
  for (;;) {
    const [known] = await customers.idsByEmail(storeId, [emailKey(fields.email)])
    if (known) return known.id
    const stored = { ...fields, acceptedMarketingAt: null, cancelledMarketingAt: null, passwordHash: null }
    const made = await customers.insert(storeId, stored, now)
    if (made !== null) {
      emit({ event: 'customer_created', entity: 'Customer', id: made })
      return made
    }
  }
}
