import { type Kysely, sql } from 'kysely'
import type { Days } from '../order/days.ts'
import type { Tables } from '../tables.ts'
import type { AppPlan, AppSubscription } from './app-subscription.ts'

const PLAN = [
  'currency',
  'monthly_price as monthlyPrice',
  'free_orders as freeOrders',
  'price_per_order as pricePerOrder',
] as const

/** Places of orders in a cycle, from 1: those behind `from`, up to `to`. */
export type Places = { readonly from: number; readonly to: number }

/** What a cycle is found by. */
export type CycleKey = { readonly subscription: Pick<AppSubscription, 'id'>; readonly startsOn: string; readonly days: Days }

export type AppSubscriptionRepository = ReturnType<typeof appSubscriptionRepository>

/**
 * What apps cost and what stores pay for them, in the database; but for plans, every call is about
 * one store.
 */
export const appSubscriptionRepository = (database: Kysely<Tables>) => ({
  /** In the order of their makers. */
  plansOf: (appIds: readonly number[]): Promise<(AppPlan & { readonly appId: number })[]> =>
    database
      .selectFrom('app_plan')
      .select(['app_id as appId', 'name', ...PLAN])
      .where('app_id', 'in', appIds)
      .orderBy('place')
      .execute(),

  /** In place of those before. */
  async setPlans(appId: number, plans: readonly AppPlan[]): Promise<void> {
    await database.deleteFrom('app_plan').where('app_id', '=', appId).execute()
    if (plans.length === 0) return
    await database
      .insertInto('app_plan')
      .values(
        plans.map(({ name, currency, monthlyPrice, freeOrders, pricePerOrder }, place) => ({
          app_id: appId,
          name: name.trim(),
          place,
          currency,
          monthly_price: monthlyPrice,
          free_orders: freeOrders,
          price_per_order: pricePerOrder,
        })),
      )
      .execute()
  },

  /** The subscription that a day lies in; null when there was none. */
  async on(storeId: number, appId: number, day: string): Promise<AppSubscription | null> {
    const [found] = await subscriptions(database, storeId, [appId])
      .where('starts_on', '<=', day)
      .where(({ eb, or }) => or([eb('ends_on', 'is', null), eb('ends_on', '>=', day)]))
      .execute()
    return found ? subscriptionOf(found) : null
  },

  /** All that there were of apps, oldest first. */
  async ofApps(storeId: number, appIds: readonly number[]) {
    const rows = await subscriptions(database, storeId, appIds).orderBy('starts_on').execute()
    return rows.map(subscriptionOf)
  },

  async insert(storeId: number, appId: number, plan: AppPlan, startsOn: string, at: Date): Promise<void> {
    await database
      .insertInto('app_subscription')
      .values({
        store_id: storeId,
        app_id: appId,
        plan: plan.name,
        currency: plan.currency,
        monthly_price: plan.monthlyPrice,
        free_orders: plan.freeOrders,
        price_per_order: plan.pricePerOrder,
        starts_on: startsOn,
        created_at: at,
      })
      .execute()
  },

  async end(storeId: number, id: number, endsOn: string): Promise<void> {
    await database
      .updateTable('app_subscription')
      .set({ ends_on: endsOn })
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /**
   * For each cycle, in order, how many orders count in it and the sum of what was paid of it, as
   * exact text.
   */
  async accounts(storeId: number, cycles: readonly CycleKey[]): Promise<{ readonly orders: number; readonly paid: string }[]> {
    const { rows } = await sql<{ readonly orders: number; readonly paid: string }>`
      SELECT
        (SELECT count(*)::integer FROM "order" WHERE store_id = ${storeId} AND ${COUNTED}
          AND completed_at >= cycle.since AND completed_at < cycle.before) AS orders,
        (SELECT coalesce(sum(amount), 0) FROM app_payment
          WHERE store_id = ${storeId} AND subscription_id = cycle.subscription_id AND cycle_starts_on = cycle.starts_on) AS paid
      FROM unnest(
        ${cycles.map(({ subscription }) => subscription.id)}::integer[], ${cycles.map(({ startsOn }) => startsOn)}::date[],
        ${cycles.map(({ days }) => days.since)}::timestamptz[], ${cycles.map(({ days }) => days.before)}::timestamptz[]
      ) WITH ORDINALITY AS cycle (subscription_id, starts_on, since, before, place)
      ORDER BY place`.execute(database)
    return rows
  },

  async pay(
    storeId: number,
    subscriptionId: number,
    { cycleStartsOn, amount, at }: { readonly cycleStartsOn: string; readonly amount: string; readonly at: Date },
  ): Promise<void> {
    await database
      .insertInto('app_payment')
      .values({ store_id: storeId, subscription_id: subscriptionId, cycle_starts_on: cycleStartsOn, amount, created_at: at })
      .execute()
  },

  /** How many orders were completed on these days, without those that were canceled or imported. */
  async countOrders(storeId: number, days: Days): Promise<number> {
    const { rows } = await sql<{ readonly count: string }>`SELECT count(*) FROM ${completed(storeId, days)}`.execute(database)
    return Number(rows[0]?.count)
  },

  /** The same orders by their places, in the order in which they were completed. */
  async orders(storeId: number, days: Days, { from, to }: Places, size: number) {
    const { rows } = await sql<{ readonly id: number; readonly place: number }>`
      SELECT id, place FROM ${completed(storeId, days)}
      WHERE place > ${from} AND place <= ${to} ORDER BY place LIMIT ${size}`.execute(database)
    return rows
  },
})

/** What counts of orders that were completed: those that were not canceled, and were placed here. */
const COUNTED = sql.raw(`status IN ('PENDING_PAYMENT', 'PAID') AND NOT EXISTS (
  SELECT 1 FROM imported_order AS imported WHERE imported.store_id = "order".store_id AND imported.order_id = "order".id)`)

const completed = (storeId: number, { since, before }: Days) => sql`(
  SELECT id, row_number() OVER (ORDER BY completed_at, id)::integer AS place FROM "order"
  WHERE store_id = ${storeId} AND completed_at >= ${since} AND completed_at < ${before} AND ${COUNTED}
) AS completed`

const subscriptions = (database: Kysely<Tables>, storeId: number, appIds: readonly number[]) =>
  database
    .selectFrom('app_subscription')
    .select([
      'app_id as appId',
      'id',
      'plan',
      ...PLAN,
      sql<string>`starts_on::text`.as('startsOn'),
      sql<string | null>`ends_on::text`.as('endsOn'),
    ])
    .where('store_id', '=', storeId)
    .where('app_id', 'in', appIds)

type SubscriptionRow = Omit<AppPlan, 'name'> &
  Pick<AppSubscription, 'id' | 'startsOn' | 'endsOn'> & { readonly appId: number; readonly plan: string }

const subscriptionOf = ({ appId, id, plan, startsOn, endsOn, ...terms }: SubscriptionRow) => ({
  appId,
  id,
  plan: { name: plan, ...terms },
  startsOn,
  endsOn,
})
