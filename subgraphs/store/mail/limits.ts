import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import type { RateLimitStore } from '../../../platform/rate-limit/rate-limit-store.ts'
import { emailKey } from '../customer/customer.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Confirmations to one address from one store, an hour: anybody can order with any address. */
const MAX_CONFIRMATIONS = 5
/** Confirmations of one store, a day. */
const MAX_CONFIRMATIONS_OF_STORE = 2_000
/** Links to one address from all shops together, an hour. */
const MAX_LINKS = 10
/** Links to one address that nobody has confirmed in a shop, a day. */
const MAX_UNCONFIRMED_LINKS = 5

/** Invitations to one address from all stores together, an hour: links to shops have bounds of their own. */
const MAX_INVITATIONS = 10
/** Invitations of one store, a day: a whole staff at once, and no way to write to everybody. */
const MAX_INVITATIONS_OF_STORE = 200

/** E-mails about low stock to one address from one store, an hour: four are due. */
const MAX_ALERTS = 40
/** The same from all stores together: stores write to addresses that nobody has confirmed. Those of 50 stores. */
const MAX_ALERTS_OF_ALL_STORES = 200

/** Whether an e-mail that strangers cause may be sent; each that may is counted. */
export type MailLimits = {
  /** Of an order. What is refused is logged once an hour for each store. */
  readonly mayConfirmOrder: (storeId: number, recipient: string) => Promise<boolean>
  readonly mayLink: (storeId: number, recipient: string, isConfirmed: boolean) => Promise<boolean>
  readonly mayInvite: (storeId: number, recipient: string) => Promise<boolean>
  /** About low stock. What is refused is logged once an hour for each store. */
  readonly mayAlert: (storeId: number, recipient: string) => Promise<boolean>
}

export function mailLimits(rateLimits: RateLimitStore, log: Logger): MailLimits {
  const confirmations = rateLimits.buckets('confirmations to addresses', MAX_CONFIRMATIONS, HOUR_MS)
  const ofStore = rateLimits.buckets('confirmations of stores', MAX_CONFIRMATIONS_OF_STORE, DAY_MS)
  const logged = rateLimits.buckets('logged confirmations', 1, HOUR_MS)
  const links = rateLimits.buckets('links to addresses', MAX_LINKS, HOUR_MS)
  const unconfirmed = rateLimits.buckets('links to unconfirmed addresses', MAX_UNCONFIRMED_LINKS, DAY_MS)
  const invitations = rateLimits.buckets('staff invitations to addresses', MAX_INVITATIONS, HOUR_MS)
  const invitationsOfStore = rateLimits.buckets('staff invitations of stores', MAX_INVITATIONS_OF_STORE, DAY_MS)
  const alerts = rateLimits.buckets('low stock to addresses', MAX_ALERTS, HOUR_MS)
  const alertsOfAllStores = rateLimits.buckets('low stock to addresses, of all stores', MAX_ALERTS_OF_ALL_STORES, HOUR_MS)
  const loggedAlerts = rateLimits.buckets('logged low stock', 1, HOUR_MS)
  return {
    async mayAlert(storeId, recipient) {
      const key = hashOf(recipient)
      if ((await alerts(`${storeId} ${key}`, 1)).isGranted && (await alertsOfAllStores(key, 1)).isGranted) return true
      if ((await loggedAlerts(String(storeId), 1)).isGranted)
        log.warn({ storeId }, 'low stock is not reported to an address: too many e-mails to it')
      return false
    },
    mayInvite: async (storeId, recipient) =>
      (await invitations(hashOf(recipient), 1)).isGranted && (await invitationsOfStore(String(storeId), 1)).isGranted,
    async mayConfirmOrder(storeId, recipient) {
      const ofRecipient = await confirmations(`${storeId} ${hashOf(recipient)}`, 1)
      if (ofRecipient.isGranted && (await ofStore(String(storeId), 1)).isGranted) return true
      if ((await logged(String(storeId), 1)).isGranted)
        log.warn({ storeId }, 'orders are not confirmed by e-mail: too many to one address, or of this store')
      return false
    },
    async mayLink(storeId, recipient, isConfirmed) {
      const key = hashOf(recipient)
      if (!isConfirmed && !(await unconfirmed(`${storeId} ${key}`, 1)).isGranted) return false
      return (await links(key, 1)).isGranted
    },
  }
}

/** Nobody's address is kept in Redis. */
const hashOf = (recipient: string): string => createHash('sha256').update(emailKey(recipient.trim())).digest('base64url')
