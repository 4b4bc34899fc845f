import type { StoredSecret } from '../../../platform/secrets/stored.ts'

/** The private half of a key that signs tokens, as a JSON Web Key. */
export const SIGNING_KEY: StoredSecret = {
  name: 'signing keys of user tokens',
  schema: 'social',
  table: 'signing_key',
  column: 'private_key',
  primaryKey: ['kid'],
  isJson: true,
}

/** What the social subgraph stores and must be able to read again. */
export const SOCIAL_SECRETS: readonly StoredSecret[] = [SIGNING_KEY]
