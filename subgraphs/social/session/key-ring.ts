import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import type { SessionRepository, SigningKey } from './repository.ts'

/** How long an access token is good for; RFC 9700 wants it short, for it cannot be taken back from those who only check its signature. */
export const TOKEN_SECONDS = 15 * 60

/** How long a key signs. */
const KEY_DAYS = 30
const DAY = 24 * 60 * 60 * 1000

/** The keys that sign tokens, shared by all processes through the database. */
export type KeyRing = {
  /** The key to sign with at `now`; made when there is none. */
  readonly signing: (now: Date) => Promise<SigningKey>
  /** The key with this id; null when there is none. */
  readonly byId: (kid: string) => Promise<SigningKey | null>
  /** The keys of all tokens that may be valid at `now`, newest first; never none. */
  readonly published: (now: Date) => Promise<readonly SigningKey[]>
}

export function keyRing(sessions: SessionRepository): KeyRing {
  let known: readonly SigningKey[] = []

  return {
    async signing(now) {
      const usable = () => known.find(({ retiresAt }) => retiresAt > now)
      if (!usable()) known = await sessions.keys()
      if (!usable()) {
        await sessions.addKey(await newKey(now))
        known = await sessions.keys()
      }
      const key = usable()
      if (!key) throw new Error('Expected a key to sign with after one was made.')
      return key
    },
    async byId(kid) {
      const find = () => known.find((key) => key.kid === kid) ?? null
      if (!find()) known = await sessions.keys()
      return find()
    },
    async published(now) {
      await this.signing(now)
      // Another process may have made one meanwhile.
      known = await sessions.keys()
      return known.filter(({ retiresAt }) => retiresAt.getTime() + TOKEN_SECONDS * 1000 > now.getTime())
    },
  }
}

async function newKey(now: Date): Promise<SigningKey> {
  const pair = await generateKeyPair('EdDSA', { extractable: true })
  const [publicKey, privateKey] = await Promise.all([exportJWK(pair.publicKey), exportJWK(pair.privateKey)])
  const kid = await calculateJwkThumbprint(publicKey)
  return { kid, publicKey, privateKey, createdAt: now, retiresAt: new Date(now.getTime() + KEY_DAYS * DAY) }
}
