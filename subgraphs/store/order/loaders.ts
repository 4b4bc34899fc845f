import type { KeysetRange } from '../../toolkit/keyset.ts'
import { loaderByKey, loaderOfLists, loaderPerArguments } from '../../toolkit/loader.ts'
import type { AllocationRepository } from '../inventory/allocation-repository.ts'
import type { Tenant } from '../tenant.ts'
import type { OrderLineRepository } from './line/repository.ts'
import type { OrderRepository } from './repository.ts'
import type { OrderStatus } from './status/states.ts'

/** Null: all. */
type States = readonly OrderStatus[] | null

export const orderLoaders = (
  {
    orders,
    orderLines,
    allocations,
  }: { readonly orders: OrderRepository; readonly orderLines: OrderLineRepository; readonly allocations: AllocationRepository },
  { storeId }: Tenant,
) => ({
  orderById: loaderByKey(
    async (ids: readonly number[]) => orders.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  originOfOrder: loaderByKey(
    async (ids: readonly number[]) => orders.originsOf(await storeId(), ids),
    ({ orderId }) => orderId,
  ),
  /** Per range and states: rows of orders, by their customer's. */
  orderIdsOfCustomer: loaderPerArguments(({ range, status }: { readonly range: KeysetRange; readonly status: States }) =>
    loaderOfLists(
      async (customerIds: readonly number[]) => orders.idsOfCustomers(await storeId(), customerIds, status, range),
      ({ customerId }) => customerId,
    ),
  ),
  orderCountOfCustomer: loaderPerArguments(({ status }: { readonly status: States }) =>
    loaderByKey(
      async (customerIds: readonly number[]) => orders.countOfCustomers(await storeId(), customerIds, status),
      ({ customerId }) => customerId,
    ),
  ),
  linesOfOrder: loaderOfLists(
    async (orderIds: readonly number[]) => orderLines.ofOrders(await storeId(), orderIds),
    ({ orderId }) => orderId,
  ),
  unitsInReturns: loaderOfLists(
    async (orderIds: readonly number[]) => orderLines.unitsInReturns(await storeId(), orderIds),
    ({ orderId }) => orderId,
  ),
  additionalFieldsOfOrder: loaderOfLists(
    async (orderIds: readonly number[]) => orderLines.fieldsOf(await storeId(), orderIds),
    ({ orderId }) => orderId,
  ),
  allocationsOfLine: loaderOfLists(
    async (lineIds: readonly number[]) => allocations.heldBy(await storeId(), lineIds),
    ({ orderLineId }) => orderLineId,
  ),
})
