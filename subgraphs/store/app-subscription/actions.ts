import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { amountOf } from '../amount.ts'
import type { App } from '../app/app.ts'
import { appRepository } from '../app/repository.ts'
import { decodeId } from '../ids.ts'
import { ledgerRepository } from '../ledger/repository.ts'
import { storeRepository } from '../store/repository.ts'
import type { UnitOfWork } from '../write.ts'
import { type AppPlan, cycleOf, planProblems } from './app-subscription.ts'
import { accountsOf, billingCycle, calendarOf } from './billing.ts'
import { appSubscriptionRepository } from './repository.ts'

/** Sets the plans of an app of the store. */
export async function setAppPlans({ query, storeId }: UnitOfWork, id: string, plans: readonly AppPlan[]) {
  const problems = planProblems(plans)
  if (problems.length > 0) return validationError(problems)
  const app = await appRepository(query).lock(storeId, decodeId(id, 'App') ?? 0)
  if (!app) return notFoundError('app', id)
  await appSubscriptionRepository(query).setPlans(app.id, plans)
  return { __typename: 'SetAppPlansSuccess' as const, app: app.id }
}

/** Subscribes to an app from today on; `installBySubscription` installs it as well. */
export async function subscribeToApp(unit: UnitOfWork, app: App, planName: string) {
  const { query, storeId, now } = unit
  const { currency } = await storeRepository(query).lock(storeId)
  const subscriptions = appSubscriptionRepository(query)
  const plans = await subscriptions.plansOf([app.id])
  const plan = plans.find(({ name }) => name === planName)
  if (!plan) {
    const names = plans.map(({ name }) => `"${name}"`).join(', ')
    return validationError([problem('plan', names === '' ? 'absent: the app costs nothing' : `one of ${names}`, planName)])
  }
  if (plan.currency !== currency)
    return validationError([problem('plan', `one in ${currency}`, `${planName} (${plan.currency})`)])
  const { today } = await calendarOf(unit, now)
  const lasting = await subscriptions.on(storeId, app.id, today)
  if (lasting) {
    const until = lasting.endsOn === null ? 'cancel it first' : `which ends on ${lasting.endsOn}`
    return validationError([problem('code', `that of an app without a subscription (${until})`, app.code)])
  }
  await subscriptions.insert(storeId, app.id, plan, today, now)
  return { __typename: 'SubscribeToAppSuccess' as const, app: app.id }
}

/** Ends the subscription to an app with its cycle. */
export async function cancelAppSubscription(unit: UnitOfWork, app: App) {
  await storeRepository(unit.query).lock(unit.storeId)
  const isEnded = await endSubscription(unit, app.id)
  return isEnded
    ? { __typename: 'CancelAppSubscriptionSuccess' as const, app: app.id }
    : notFoundError('active subscription to the app', app.code)
}

/** Ends the subscription to an app with its cycle; false when there is no active one. */
export async function endSubscription(unit: UnitOfWork, appId: number): Promise<boolean> {
  const { query, storeId, now } = unit
  const { today } = await calendarOf(unit, now)
  const subscriptions = appSubscriptionRepository(query)
  const lasting = await subscriptions.on(storeId, appId, today)
  if (!lasting || lasting.endsOn !== null) return false
  await subscriptions.end(storeId, lasting.id, cycleOf(lasting.startsOn, today).endsOn)
  return true
}

/** Pays the open amount of a cycle from the balance of the store. */
export async function payAppBillingCycle(unit: UnitOfWork, app: App, date: string | null) {
  const { query, storeId, now } = unit
  // Two payments at once would both find the same left to pay, and the same balance.
  await storeRepository(query).lock(storeId)
  const cycle = await billingCycle(unit, app.id, date, await calendarOf(unit, now))
  if (!cycle) return notFoundError('billing cycle on this day of the app', app.code)
  const [account] = await accountsOf(appSubscriptionRepository(query), storeId, [cycle])
  const result = { __typename: 'PayAppBillingCycleSuccess' as const, app: app.id, date: cycle.startsOn }
  const left = account?.left ?? null
  if (left === null) return result

  const { id, plan } = cycle.subscription
  const ledger = ledgerRepository(query)
  const balance = await ledger.balance(storeId, plan.currency)
  if (amountOf(balance) < amountOf(left)) {
    return validationError([
      problem('code', `that of an app with at most ${balance} ${plan.currency} left to pay: that is the balance`, left),
    ])
  }
  await appSubscriptionRepository(query).pay(storeId, id, { cycleStartsOn: cycle.startsOn, amount: left, at: now })
  await ledger.payApp(storeId, { amount: left, currency: plan.currency }, now)
  return result
}
