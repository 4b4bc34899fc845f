import { randomBytes } from 'node:crypto'
import type { StoredSecret } from '../../../platform/secrets/stored.ts'

/** What signs webhooks about a watched domain. */
export const WATCH_SECRET: StoredSecret = {
  name: 'secrets of watched domains',
  schema: 'trust',
  table: 'watched_domain',
  column: 'secret',
  primaryKey: ['id'],
  isJson: false,
}

/** What the trust subgraph stores and must be able to read again. */
export const TRUST_SECRETS: readonly StoredSecret[] = [WATCH_SECRET]

/** Standard Webhooks recommends 24 to 64. */
const SECRET_BYTES = 32
const PREFIX = 'whsec_'

/** A new secret, as Standard Webhooks writes it. */
export const newWebhookSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`

/** The key of its HMAC. */
export const keyOfSecret = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64')
