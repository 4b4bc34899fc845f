import type { StoredSecret } from '../../platform/secrets/stored.ts'

const text = { schema: 'store', isJson: false } as const
const ofStore = { ...text, table: 'store', primaryKey: ['id'] }
const ofPaymentMethod = { ...text, table: 'payment_method', primaryKey: ['store_id', 'id'] }

/** What signs webhooks of a store. */
export const HOOKS_TOKEN: StoredSecret = { ...ofStore, name: 'hooks tokens', column: 'hooks_token' }
/** What signed them before a rotation, and still does until its end. */
export const PREVIOUS_HOOKS_TOKEN: StoredSecret = {
  ...ofStore,
  name: 'hooks tokens before a rotation',
  column: 'previous_hooks_token',
}
/** What signs requests to the provider of an external shipping method. */
export const SHIPPING_TOKEN: StoredSecret = {
  ...text,
  name: 'tokens of shipping methods',
  table: 'shipping_method',
  column: 'token',
  primaryKey: ['store_id', 'id'],
}
/** What identifies a merchant to an external payment gateway. */
export const PAYMENT_KEY: StoredSecret = { ...ofPaymentMethod, name: 'keys of payment methods', column: 'key' }
/** Signs requests to an external payment gateway. */
export const PAYMENT_SECRET: StoredSecret = { ...ofPaymentMethod, name: 'secrets of payment methods', column: 'secret' }

/**
 * What the store subgraph stores and must be able to read again. Everything else that opens
 * something is a hash.
 */
export const STORE_SECRETS: readonly StoredSecret[] = [
  HOOKS_TOKEN,
  PREVIOUS_HOOKS_TOKEN,
  SHIPPING_TOKEN,
  PAYMENT_KEY,
  PAYMENT_SECRET,
]
