import type { Resolvers } from '#generated/store/resolvers.ts'
import { encodeId } from '../../toolkit/ids.ts'
import { type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { notFoundError } from '../../toolkit/validation.ts'
import { findVisibleApp } from '../app/visible-app.ts'
import type { Context } from '../context.ts'
import { present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import type { Order } from '../order/order.ts'
import { cancelAppSubscription, payAppBillingCycle, setAppPlans } from './actions.ts'
import type { BillingCycle } from './billing.ts'
import { billingCycleOn } from './current-billing.ts'
import type { Places } from './repository.ts'

type Page = { readonly first?: number | null; readonly after?: string | null; readonly offset?: number | null }

/** Orders of a cycle in the order in which they were completed; a cursor is a place in it. */
async function ordersOf(
  { appSubscriptions, load }: Context,
  { storeId, days }: BillingCycle,
  name: string,
  { from, to }: Places,
  page: Page,
) {
  const places = new Map<number, number>()
  const list: KeysetList<Order> = { name, parts: ['number'], positionOf: ({ id }) => [places.get(id) ?? 0] }
  const range = keysetRange(list, page, LIST_SIZES)
  const behind = Math.max(from, Number(range.after?.[0] ?? 0)) + range.offset
  const rows = await appSubscriptions.orders(storeId, days, { from: behind, to }, range.size + 1)
  for (const { id, place } of rows) places.set(id, place)
  const orders = await Promise.all(rows.map(({ id }) => present(load.orderById.load(id), 'order')))
  return keysetPage(list, range, orders, async () => {
    const count = await appSubscriptions.countOrders(storeId, days)
    return Math.max(0, Math.min(count, to) - from)
  })
}

const MAX_PLACE = 2_147_483_647

export const appSubscriptionResolvers = {
  Mutation: {
    setAppPlans: (_, { id, input }, { write }) =>
      write('setAppPlans', { ...input, id }, (unit) =>
        setAppPlans(
          unit,
          id,
          input.plans.map((plan) => ({ ...plan, freeOrders: plan.freeOrders ?? 0, pricePerOrder: plan.pricePerOrder ?? '0' })),
        ),
      ),
    cancelAppSubscription: async (_, given, { access, apps, write }) => {
      const app = await findVisibleApp(apps, await access(), given.code)
      return app
        ? write('cancelAppSubscription', given, (unit) => cancelAppSubscription(unit, app))
        : notFoundError('app', given.code)
    },
    payAppBillingCycle: async (_, given, { access, apps, write }) => {
      const app = await findVisibleApp(apps, await access(), given.code)
      return app
        ? write('payAppBillingCycle', given, (unit) => payAppBillingCycle(unit, app, given.date ?? null))
        : notFoundError('app', given.code)
    },
  },
  App: {
    plans: ({ id }, _, { load }) => load.plansOfApp.load(id),
  },
  AppSubscription: {
    id: ({ id }) => encodeId('AppSubscription', String(id)),
    number: ({ id }) => id,
    status: ({ endsOn }) => (endsOn === null ? 'ACTIVE' : 'CANCELED'),
  },
  AppBillingCycle: {
    amountDue: async (cycle, _, { load }) => (await load.accountOfCycle.load(cycle)).due,
    amountPaid: async (cycle, _, { load }) => (await load.accountOfCycle.load(cycle)).paid,
    isPaid: async (cycle, _, { load }) => (await load.accountOfCycle.load(cycle)).left === null,
    freeOrders: (cycle, page, context) =>
      ordersOf(context, cycle, 'freeOrders', { from: 0, to: cycle.subscription.plan.freeOrders }, page),
    billableOrders: (cycle, page, context) =>
      ordersOf(context, cycle, 'billableOrders', { from: cycle.subscription.plan.freeOrders, to: MAX_PLACE }, page),
  },
  SetAppPlansSuccess: { app: ({ app }, _, { load }) => present(load.appById.load(app), 'app') },
  PayAppBillingCycleSuccess: {
    billingCycle: ({ app, date }, _, context) => present(billingCycleOn(context, app, date), 'billing cycle'),
  },
} satisfies Resolvers
