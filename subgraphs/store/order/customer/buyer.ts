import { isIP } from 'node:net'
import {
  emailProblem,
  notFoundError,
  type Problem,
  problem,
  problemsIn,
  textProblem,
  validationError,
} from '../../../toolkit/validation.ts'
import { MAX_CATEGORIES } from '../../customer/customer.ts'
import { customerForOrder } from '../../customer/for-order.ts'
import { customerRepository } from '../../customer/repository.ts'
import { customerCategoryRepository } from '../../customer-category/repository.ts'
import { decodeId } from '../../ids.ts'
import type { StoreQuery, UnitOfWork } from '../../write.ts'
import type { OrderAddress, OrderCustomer } from '../order.ts'
import { type AddressInput, addressIn, addressOf, addressProblems, nameIn } from './address.ts'

/** Buyer as a caller gives it. */
export type BuyerInput = {
  readonly id?: string | null | undefined
  readonly email?: string | null | undefined
  readonly phone?: string | null | undefined
  readonly phonePrefix?: string | null | undefined
  readonly fullname?: string | null | undefined
  readonly ip?: string | null | undefined
  readonly shippingAddress?: AddressInput | null | undefined
  readonly billingAddress?: AddressInput | null | undefined
  /**
   * An unverified e-mail address: the order belongs to its customer, but uses none of its stored
   * data.
   */
  readonly isGuest?: boolean
  /** Categories of a signed-in shopper, who is a guest otherwise; absent: nobody is signed in. */
  readonly categories?: ReadonlySet<number> | null | undefined
}

/** Buyer, as far as the store knows. */
export type FoundBuyer = {
  /** Null: not a customer of the store. */
  readonly row: number | null
  /** Data of the buyer in the order; without an e-mail address and a row: anonymous. */
  readonly snapshot: Omit<OrderCustomer, 'number'>
  readonly shippingAddress: OrderAddress | null
  readonly billingAddress: OrderAddress | null
  /** Of the customer or the signed-in shopper; null for a guest. */
  readonly categories: ReadonlySet<number> | null
}

const MAX_PHONE_LENGTH = 50
const MAX_NAME_LENGTH = 200

/** Finds the buyer; writes nothing. */
export async function findBuyer({ query, storeId }: StoreQuery, input: BuyerInput) {
  const problems = buyerProblems(input)
  if (problems.length > 0) return { failure: validationError(problems) }
  const customers = customerRepository(query)
  const email = input.email?.trim() ?? null
  const known =
    input.id != null
      ? ((await customers.findByIds(storeId, [decodeId(input.id, 'Customer') ?? 0]))[0] ?? null)
      : email === null
        ? null
        : await customers.findByEmail(storeId, email)
  if (input.id != null && !known) return { failure: notFoundError('customer', input.id) }

  const stored = input.isGuest ? null : known
  const address = (given: AddressInput | null | undefined, own: unknown): OrderAddress | null => {
    const said = given == null ? null : addressOf(addressIn(given))
    const previous = said === null ? addressOf(own) : null
    return said ?? (previous && addressIn(previous))
  }
  const shippingAddress = address(input.shippingAddress, stored?.shippingAddress)
  const billingAddress = address(input.billingAddress, stored?.billingAddress)
  const mail = email ?? known?.email ?? null
  const memberships = stored ? await customerCategoryRepository(query).categoriesOf(storeId, [stored.id], MAX_CATEGORIES) : []
  const buyer: FoundBuyer = {
    row: known?.id ?? null,
    snapshot: {
      email: mail,
      phone: input.phone ?? stored?.phone ?? null,
      phonePrefix: input.phonePrefix ?? stored?.phonePrefix ?? null,
      ip: input.ip ?? null,
      fullname: input.fullname ?? nameIn(billingAddress) ?? mail,
    },
    shippingAddress,
    billingAddress,
    categories: stored ? new Set(memberships.map(({ categoryId }) => categoryId)) : (input.categories ?? null),
  }
  return { buyer }
}

/** The row of the customer, created for a new e-mail address; null for an anonymous guest. */
export async function keepBuyer(
  unit: UnitOfWork,
  { row, snapshot, shippingAddress, billingAddress }: FoundBuyer,
): Promise<number | null> {
  const { email, phone, phonePrefix } = snapshot
  if (row !== null || email === null) return row
  return customerForOrder(unit, { email, phone, phonePrefix, shippingAddress, billingAddress })
}

function buyerProblems(input: BuyerInput): readonly Problem[] {
  const { id, email, phone, phonePrefix, fullname, ip, shippingAddress, billingAddress } = input
  const isNamed = id != null || email != null
  const said = phone ?? phonePrefix ?? fullname ?? ip
  return problemsIn([
    email == null ? null : emailProblem('customer.email', email.trim()),
    !isNamed && said != null
      ? problem('customer.email', 'an e-mail address, or `id` a customer, when other fields of the customer are set', null)
      : null,
    phone == null ? null : textProblem('customer.phone', phone, MAX_PHONE_LENGTH),
    phonePrefix == null || /^\+\d{1,4}$/.test(phonePrefix)
      ? null
      : problem('customer.phonePrefix', '"+" and 1 to 4 digits', phonePrefix),
    fullname == null ? null : textProblem('customer.fullname', fullname, MAX_NAME_LENGTH),
    ip == null || isIP(ip) !== 0 ? null : problem('customer.ip', 'an IP address', ip),
    ...(shippingAddress ? addressProblems('customer.shippingAddress', shippingAddress) : []),
    ...(billingAddress ? addressProblems('customer.billingAddress', billingAddress) : []),
  ])
}
