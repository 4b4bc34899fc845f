import { type Problem, problem, problemsIn } from '../../toolkit/validation.ts'
import { type AddressInput, addressProblems } from '../order/customer/address.ts'

/** Account of a shopper in one shop. */
export type CustomerAccount = {
  readonly storeId: number
  readonly id: number
  readonly email: string
  /** argon2id in PHC form; null: it is signed in to by links only. */
  readonly passwordHash: string | null
  /** As they were given. */
  readonly addresses: readonly AddressInput[]
  /** Null: no link has proven the address yet. */
  readonly confirmedAt: Date | null
  readonly linkRequestedAt: Date
  /** BCP 47 tag of the page of the last request of a link, by anybody; null: the first language of the store. */
  readonly linkLocale: string | null
  /** BCP 47 tag of the link that was used last; null: the first language of the store. */
  readonly locale: string | null
}

/** An account whose address is proven. */
export type ConfirmedAccount = CustomerAccount & { readonly confirmedAt: Date }

/** An order of an account. */
export type AccountOrder = { readonly storeId: number; readonly id: number; readonly secret: string }

export const MAX_ADDRESSES = 10
/** OWASP's Session Management Cheat Sheet: shops keep shoppers signed in. Milliseconds. */
export const SESSION_MS = 30 * 24 * 3_600_000
/** Of one account; the oldest end. */
export const MAX_SESSIONS = 20
/** Time to read an e-mail. Milliseconds. */
export const LINK_MS = 30 * 60_000
/** Of one account: as many attempts to send an e-mail as there are. */
export const MAX_LINKS = 16
/** Between two links to one address. Milliseconds. */
export const LINK_PAUSE_MS = 2 * 60_000
/** An e-mail that comes later is not what somebody waits for. Milliseconds. */
export const REQUEST_MS = 3_600_000
/** Age at which an account is deleted whose address nobody has confirmed. Milliseconds. */
export const UNCONFIRMED_MS = 24 * 3_600_000
/** Passwords that may be tried within such a time: 960 a day. Links work all the same. Milliseconds. */
export const [MAX_ATTEMPTS, ATTEMPTS_MS] = [10, 15 * 60_000]
/** Age up to which a session proves its owner where there is no password. Milliseconds. */
export const FRESH_SESSION_MS = 10 * 60_000
/** Orders in an export. */
export const MAX_EXPORTED_ORDERS = 1_000

export const isConfirmed = (account: CustomerAccount | null): account is ConfirmedAccount =>
  account !== null && account.confirmedAt !== null

/** What is wrong with addresses that are to be saved. */
export const savedAddressProblems = (addresses: readonly AddressInput[]): readonly Problem[] =>
  problemsIn([
    addresses.length > MAX_ADDRESSES ? problem('addresses', `at most ${MAX_ADDRESSES} entries`, addresses.length) : null,
    ...addresses.slice(0, MAX_ADDRESSES).flatMap((address, index) => addressProblems(`addresses.${index}`, address)),
  ])
