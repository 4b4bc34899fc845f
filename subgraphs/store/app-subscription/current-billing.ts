import type { Context } from '../context.ts'
import { present } from '../ids.ts'
import { dayIn } from '../order/days.ts'
import type { AppSubscription } from './app-subscription.ts'
import { type BillingCycle, type Calendar, cycleWith, holding } from './billing.ts'

/** `billingCycle` for a field of the graph: through the loaders of the caller. */
export async function billingCycleOn(context: Context, appId: number, date: string | null): Promise<BillingCycle | null> {
  const found = await context.load.subscriptionsToApp.load(appId)
  return cycleWith(await context.storeId(), async (day) => holding(found, day), date, await calendarIn(context))
}

/**
 * The subscription to an app that holds today, or the last one there was; null when there was none.
 */
export async function currentSubscription(context: Context, appId: number): Promise<AppSubscription | null> {
  const found = await context.load.subscriptionsToApp.load(appId)
  const { today } = await calendarIn(context)
  return holding(found, today) ?? found.at(-1) ?? null
}

async function calendarIn({ load, storeId, now }: Context): Promise<Calendar> {
  const { timezone } = await present(load.storeById.load(await storeId()), 'store')
  return { today: dayIn(now(), timezone), timezone }
}
