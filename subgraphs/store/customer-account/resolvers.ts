import type { Resolvers } from '#generated/store/resolvers.ts'
import { rateLimited } from '../../../platform/graphql/errors.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { hashPassword, passwordProblem } from '../../toolkit/password.ts'
import { notFoundError, validationError } from '../../toolkit/validation.ts'
import { shopAt, shownAddress } from '../cart/resolvers.ts'
import type { Context } from '../context.ts'
import { present } from '../ids.ts'
import { forAccount } from '../storefront/resolvers.ts'
import type { UnitOfWork } from '../write.ts'
import {
  accountExport,
  accountOfSession,
  accountWithPassword,
  CREDENTIALS_WRONG,
  changeCustomerPassword,
  emailOfLink,
  eraseCustomerAccount,
  isOwner,
  linkProblems,
  NO_MAIL,
  noSession,
  notOwner,
  openCustomerLink,
  passwordOfLink,
  requestCustomerLink,
  setCustomerAddresses,
  signInCustomer,
  signOutCustomer,
} from './actions.ts'
import { type AccountOrder, type ConfirmedAccount, isConfirmed } from './customer-account.ts'

const ORDERS: KeysetList<AccountOrder> = { name: 'orders', parts: ['number'], positionOf: ({ id }) => [id] }
/** As lists of the storefront: it is public. */
const SIZES = { usual: 20, max: 50 } as const

export const customerAccountResolvers = {
  Storefront: {
    hasCustomerAccounts: (_, __, { mail }) => mail !== null,
    customerAccount: ({ store }, { token }, { customerAccounts, now }) =>
      accountOfSession(customerAccounts, store.id, token, now()),
    forAccount: (storefront, { token }, context) => forAccount(context, storefront, token),
    customerLinkEmail: ({ store }, { token }, { customerAccounts, now }) => emailOfLink(customerAccounts, store.id, token, now()),
  },
  CustomerAccount: {
    hasPassword: ({ passwordHash }) => passwordHash !== null,
    addresses: ({ addresses }) => addresses.flatMap((address) => shownAddress(address) ?? []),
    createdAt: ({ confirmedAt }) => confirmedAt,
    sessionCount: async ({ storeId, id }, _, { customerAccounts, now }) =>
      (await customerAccounts.sessionsOf(storeId, id, now())).length,
    orders: async ({ storeId, id }, page, { customerAccounts }) => {
      const range = keysetRange(ORDERS, page, SIZES)
      return keysetPage(ORDERS, range, await customerAccounts.orders(storeId, id, range), () =>
        customerAccounts.countOrders(storeId, id),
      )
    },
    order: ({ storeId, id }, { number }, { customerAccounts }) => customerAccounts.order(storeId, id, number),
    dataExport: (account, _, context) => exportOnce(context, account),
  },
  CustomerAccountOrder: { order: ({ storeId, id }, _, { shops }) => present(shops.orderById(storeId, id), 'order') },
  CustomerAccountOrderConnection: connectionFields,
  OpenCustomerLinkSuccess: { account: (written, _, context) => currentAccount(context, written) },
  SignInCustomerSuccess: { account: (written, _, context) => currentAccount(context, written) },
  ChangeCustomerPasswordSuccess: { account: (written, _, context) => currentAccount(context, written) },
  SetCustomerAddressesSuccess: { account: (written, _, context) => currentAccount(context, written) },
  Mutation: {
    requestCustomerLink: async (_, { input: { store, email, language = null } }, context) => {
      const { mail, mailLimits } = context
      await take(context, 'link', store)
      const shop = await shopAt(context, store)
      if (!shop) return notFoundError('shop', store)
      if (mail === null) return NO_MAIL
      return (
        linkProblems(email) ??
        context.writeTo(shop.store.id, 'requestCustomerLink', {}, (unit) =>
          requestCustomerLink(unit, { mail, mailLimits }, { email, language }),
        )
      )
    },
    openCustomerLink: async (_, { input: { store, token, password } }, context) => {
      // No limit of the shop: its tokens of 256 bits cannot be guessed, and whoever tries must not
      // keep others from opening theirs.
      await context.limitAccounts.session.ofAddress(context.caller.address)
      const shop = await shopAt(context, store)
      if (!shop) return notFoundError('shop', store)
      const storeId = shop.store.id
      const link = { storeId, token, password: password ?? null, now: context.now() }
      const chosen = await passwordOfLink(context.customerAccounts, link)
      if ('failure' in chosen) return chosen.failure
      return withToken(context, storeId, 'openCustomerLink', (unit, sent) =>
        openCustomerLink(unit, { linkToken: token, passwordHash: chosen.passwordHash, mail: context.mail }, sent),
      )
    },
    signInCustomer: async (_, { input: { store, ...credentials } }, context) => {
      await take(context, 'session', store)
      const shop = await shopAt(context, store)
      if (!shop) return notFoundError('shop', store)
      const storeId = shop.store.id
      const account = await accountWithPassword(context.customerAccounts, storeId, credentials, context.now())
      if (!account) return CREDENTIALS_WRONG
      return withToken(context, storeId, 'signInCustomer', (unit, sent) => signInCustomer(unit, account, sent))
    },
    signOutCustomer: (_, { input: { store, token, everywhere } }, context) =>
      inSession(context, { store, token }, 'signOutCustomer', (unit, account) =>
        signOutCustomer(unit, account, token, everywhere ?? false),
      ),
    changeCustomerPassword: async (_, { input: { store, token, currentPassword, password } }, context) => {
      await context.limitAccounts.proof(context.caller.address)
      const account = await accountAt(context, store, token)
      if (!account) return noSession
      const invalid = passwordProblem('password', password)
      if (invalid) return validationError([invalid])
      const proof = { token, password: currentPassword }
      if (!(await isOwner(context.customerAccounts, account, proof, context.now()))) return notOwner(account)
      const passwordHash = await hashPassword(password)
      return inSession(context, { store, token }, 'changeCustomerPassword', (unit) =>
        changeCustomerPassword(unit, account, { token, passwordHash, mail: context.mail }),
      )
    },
    setCustomerAddresses: (_, { input: { store, token, addresses } }, context) =>
      inSession(context, { store, token }, 'setCustomerAddresses', (unit, account) =>
        setCustomerAddresses(unit, account, addresses),
      ),
    eraseCustomerAccount: async (_, { input: { store, token, password } }, context) => {
      await context.limitAccounts.proof(context.caller.address)
      const account = await accountAt(context, store, token)
      if (!account) return noSession
      if (!(await isOwner(context.customerAccounts, account, { token, password }, context.now()))) return notOwner(account)
      return inSession(context, { store, token }, 'eraseCustomerAccount', (unit) => eraseCustomerAccount(unit, account))
    },
  },
} satisfies Resolvers

const exportsOf = new WeakMap<Context, Map<string, ReturnType<typeof accountExport>>>()

/** An account is exported once in a request, however many aliases ask for it. */
async function exportOnce(context: Context, account: ConfirmedAccount) {
  const known = exportsOf.get(context) ?? new Map<string, ReturnType<typeof accountExport>>()
  exportsOf.set(context, known)
  const key = `${account.storeId} ${account.id}`
  const exported = known.get(key) ?? exportNow(context, account)
  known.set(key, exported)
  return exported
}

async function exportNow({ caller, limitAccounts, customerAccounts, now }: Context, account: ConfirmedAccount) {
  await limitAccounts.export(caller.address)
  return accountExport(customerAccounts, account, now())
}

/** Takes tokens of the caller's network and of the shop; rejects with RATE_LIMITED. */
async function take({ caller, limitAccounts }: Context, what: 'link' | 'session', store: string): Promise<void> {
  const { ofAddress, ofShop } = limitAccounts[what]
  await ofAddress(caller.address)
  const { isGranted, waitSeconds } = await ofShop(store.slice(0, MAX_CODE_CHARACTERS), 1)
  if (!isGranted) throw rateLimited('sign-ins of this shop', waitSeconds)
}

/** Codes of stores are shorter. */
const MAX_CODE_CHARACTERS = 100

async function accountAt(context: Context, store: string, token: string): Promise<ConfirmedAccount | null> {
  const shop = await shopAt(context, store)
  return shop && accountOfSession(context.customerAccounts, shop.store.id, token, context.now())
}

/** Runs a change of the account of an open session. */
async function inSession<Result extends { readonly __typename: string }>(
  context: Context,
  { store, token }: { readonly store: string; readonly token: string },
  name: string,
  change: (unit: UnitOfWork, account: ConfirmedAccount) => Promise<Result>,
) {
  const account = await accountAt(context, store, token)
  if (!account) return noSession
  const { storeId } = account
  return { ...(await context.writeTo(storeId, name, {}, (unit) => change(unit, account))), storeId }
}

/** Runs a change that opens a session, whose token is returned once. */
async function withToken<Result extends { readonly __typename: string }>(
  context: Context,
  storeId: number,
  name: string,
  change: (unit: UnitOfWork, sent: (token: string) => void) => Promise<Result>,
) {
  let token = ''
  const written = await context.writeTo(storeId, name, {}, (unit) =>
    change(unit, (text) => {
      token = text
    }),
  )
  return { ...written, storeId, token }
}

async function currentAccount(
  { customerAccounts }: Context,
  { storeId, accountId }: { readonly storeId: number; readonly accountId: number },
): Promise<ConfirmedAccount> {
  const account = await customerAccounts.byId(storeId, accountId)
  if (!isConfirmed(account)) throw new Error('Expected the account that was just changed.')
  return account
}
