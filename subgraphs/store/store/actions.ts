import { problem, problemsIn, validationError } from '../../toolkit/validation.ts'
import { hashOf } from '../access/access.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import { type StoreRepository, storeRepository } from './repository.ts'
import { newAuthtoken, setUpStore } from './set-up.ts'
import {
  DAY_MS,
  isCountryCode,
  nameProblem,
  SET_UPS_PER_DAY,
  type StoreAddress,
  type StoreChange,
  storeProblems,
} from './store.ts'

/** Changes what the input has of the caller's store. */
export async function updateStore(
  { query, storeId, now }: UnitOfWork,
  input: StoreChange & { readonly expectedVersion?: number | null | undefined },
) {
  const problems = storeProblems(input)
  if (problems.length > 0) return validationError(problems)

  const stores = storeRepository(query)
  const before = await stores.lock(storeId)
  const stale = staleVersion(input.expectedVersion, before.version)
  if (stale) return stale

  const expected = input.currency == null || input.currency === before.currency ? null : await currencyRefusal(stores, storeId)
  if (expected !== null) return validationError([problem('currency', expected, input.currency)])
  const stored = <Value>(given: Value | undefined, was: Value): Value => (given === undefined ? was : given)
  await stores.update(
    {
      ...before,
      name: input.name ?? before.name,
      email: stored(input.email, before.email),
      currency: input.currency ?? before.currency,
      country: input.country ?? before.country,
      timezone: input.timezone ?? before.timezone,
      weightUnit: input.weightUnit ?? before.weightUnit,
      logo: stored(input.logo, before.logo),
      fbPixelId: stored(input.fbPixelId, before.fbPixelId),
      whatsappPhone: stored(input.whatsappPhone, before.whatsappPhone),
      sendsOrderConfirmations: input.sendsOrderConfirmations ?? before.sendsOrderConfirmations,
      sendsLowStockAlerts: input.sendsLowStockAlerts ?? before.sendsLowStockAlerts,
      returnWindowDays: input.returnWindowDays ?? before.returnWindowDays,
      address: input.address === undefined ? before.address : input.address && addressOf(input.address),
    },
    now,
  )
  if (input.languages) await stores.setLanguages(storeId, input.languages)
  return { __typename: 'UpdateStoreSuccess' as const, store: storeId }
}

/** Why a store keeps its currency; null: it can change. Rates, also those of orders, are of it. */
async function currencyRefusal(stores: StoreRepository, storeId: number): Promise<string | null> {
  const others = await stores.otherCurrencies(storeId)
  if (others.length > 0) return `unchanged while the store sells in other currencies (${others.join(', ')}): delete these first`
  return (await stores.hasConvertedOrders(storeId))
    ? 'unchanged, or of another store: this one has orders that were converted from it'
    : null
}

const addressOf = (given: NonNullable<StoreChange['address']>): StoreAddress => ({
  address: given.address ?? null,
  city: given.city ?? null,
  postal: given.postal ?? null,
  region: given.region ?? null,
  country: given.country ?? null,
  regionCode: given.regionCode ?? null,
  countryCode: given.countryCode ?? null,
})

/**
 * Creates another store for the owner of the caller's; `owner` is the user who called, null for the
 * store's own credentials. `delivered` gets its authtoken, which is not stored.
 */
export async function createStore(
  { query, storeId, now, secrets }: UnitOfWork,
  input: { readonly name: string; readonly country?: string | null | undefined; readonly theme?: string | null | undefined },
  { owner, delivered }: { readonly owner: string | null; readonly delivered: (authtoken: string) => void },
) {
  const problems = problemsIn([
    nameProblem(input.name),
    input.country == null || isCountryCode(input.country)
      ? null
      : problem('country', 'an ISO 3166-1 alpha-2 code such as "PT"', input.country),
    input.theme == null || /^[\w -]{1,50}$/.test(input.theme) ? null : problem('theme', 'the name of a theme', input.theme),
  ])
  if (problems.length > 0) return validationError(problems)

  const stores = storeRepository(query)
  // Locked: set-ups at once are counted one by one.
  const creator = await stores.lock(storeId)
  const paidFor = creator.paidSince === null ? null : now.getTime() - creator.paidSince.getTime()
  if (paidFor === null || paidFor < DAY_MS) return subscriptionRequired(paidFor !== null)
  const setUps = await stores.setUpsSince(storeId, new Date(now.getTime() - DAY_MS))
  if (setUps.length >= SET_UPS_PER_DAY) return limitReached(setUps[setUps.length - SET_UPS_PER_DAY] ?? now, now)

  const {
    storeId: store,
    login,
    authtoken,
  } = await setUpStore(
    query,
    {
      name: input.name,
      country: input.country ?? creator.country,
      theme: input.theme ?? null,
      paidSince: null,
      createdBy: storeId,
      at: now,
    },
    secrets,
  )
  if (owner !== null) await stores.setOwner(store, owner, now)
  delivered(authtoken)
  return { __typename: 'CreateStoreSuccess' as const, store, login }
}

/** Replaces the authtoken of the caller's store. `sent` gets it; it is not stored. */
export async function resetAuthtoken({ query, storeId, now }: UnitOfWork, sent: (authtoken: string) => void) {
  const authtoken = newAuthtoken()
  const login = await storeRepository(query).setToken(storeId, hashOf(authtoken), now)
  sent(authtoken)
  return { __typename: 'ResetAuthtokenSuccess' as const, login }
}

const subscriptionRequired = (isTooRecent: boolean) => ({
  __typename: 'SubscriptionRequired' as const,
  message: isTooRecent
    ? 'Stores can be set up from 24 hours after the first payment on.'
    : 'Only a store with a paid subscription can set up others.',
  isTooRecent,
})

const limitReached = (oldest: Date, now: Date) => ({
  __typename: 'StoreLimitReached' as const,
  message: `${SET_UPS_PER_DAY} stores have been set up within 24 hours; the next one can be set up when the oldest of them is a day old.`,
  retryAfterSeconds: Math.max(1, Math.ceil((oldest.getTime() + DAY_MS - now.getTime()) / 1000)),
})
