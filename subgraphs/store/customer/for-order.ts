import type { UnitOfWork } from '../write.ts'
import { type CustomerChange, changedCustomer, emailKey, NEW_CUSTOMER } from './customer.ts'
import { customerRepository } from './repository.ts'

/** What an order knows of who buys. Judged by the order; texts that are too long are its fault. */
export type OrderCustomerInput = Pick<CustomerChange, 'phone' | 'phonePrefix' | 'shippingAddress' | 'billingAddress'> & {
  readonly email: string
}

/**
 * The row of the customer with this address, who is created when there is none: a customer who
 * exists stays as it is, because an order proves nothing about who wrote it. Orders at once with
 * one new address all get the same row.
 */
export async function customerForOrder({ query, storeId, now, emit }: UnitOfWork, given: OrderCustomerInput): Promise<number> {
  const customers = customerRepository(query)
  const fields = changedCustomer(NEW_CUSTOMER, given)
  // Each turn fails only when somebody created the customer after we looked, or deleted it before.
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
