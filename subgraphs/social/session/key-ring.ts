import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import type { SigningKey, SigningKeyRepository } from './key-repository.ts'

/**
 * Lifetime of an access token; RFC 9700 recommends a short one, for clients that only check its
 * signature do not notice a revocation.
 */
export const TOKEN_SECONDS = 15 * 60

/** How long a key signs. */
export const KEY_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000

/**
 * Time between publishing a key and signing with it. Caches hold the published keys for five
 * minutes (`/.well-known/jwks.json` says so); the rest is for slower ones.
 */
const PUBLISH_LEAD_MS = 60 * 60 * 1000

/**
 * Age at which a process reads the keys again: by then a dropped key signs and verifies nothing.
 * Milliseconds.
 */
export const KEYS_MAX_AGE_MS = 3_000

/** The keys that sign tokens, shared by all processes through the database. */
export type KeyRing = {
  /**
   * The key that signs at `now`; shortly before it retires, the next one is published as well.
   * Created when there is none: the first key signs at once.
   */
  readonly signing: (now: Date) => Promise<SigningKey>
  /** The key with this id; null when there is none. */
  readonly byId: (kid: string) => Promise<SigningKey | null>
  /**
   * The keys of all tokens that may be valid at `now`, and the one that signs next, newest first;
   * never none.
   */
  readonly published: (now: Date) => Promise<readonly SigningKey[]>
}

export function keyRing(keys: SigningKeyRepository): KeyRing {
  let cached: readonly SigningKey[] = []
  let readAt = Number.NEGATIVE_INFINITY
  let refreshing: Promise<void> | null = null

  /** Reads the keys. Unchanged ones stay the same object, with its imported CryptoKey. */
  async function read(): Promise<void> {
    const found = await keys.list()
    cached = found.map((key) => cached.find((before) => isSame(before, key)) ?? key)
    readAt = performance.now()
  }

  /**
   * Reads the keys when they are too old: another process may have dropped one. Concurrent calls
   * share the read.
   */
  async function refresh(): Promise<void> {
    if (performance.now() - readAt <= KEYS_MAX_AGE_MS) return
    refreshing ??= read().finally(() => {
      refreshing = null
    })
    await refreshing
  }

  /** The one that retires first of those that have not: the next one waits. */
  const usableAt = (at: Date): SigningKey | undefined =>
    cached.filter(({ retiresAt }) => retiresAt > at).sort((a, b) => a.retiresAt.getTime() - b.retiresAt.getTime())[0]

  /**
   * Sees to it that a key can sign at that time; one that has to be made signs for a month behind
   * it.
   */
  async function provide(at: Date, now: Date): Promise<void> {
    if (usableAt(at)) return
    await read()
    if (usableAt(at)) return
    const key = await newKey(now, new Date(at.getTime() + KEY_LIFETIME_MS))
    await keys.add(key)
    cached = [key, ...cached]
  }

  return {
    async signing(now) {
      await refresh()
      await provide(now, now)
      const key = usableAt(now)
      if (!key) throw new Error('Expected a key to sign with after one was made.')
      await provide(new Date(now.getTime() + PUBLISH_LEAD_MS), now)
      return key
    },
    async byId(kid) {
      const find = () => cached.find((key) => key.kid === kid) ?? null
      await refresh()
      if (!find()) await read()
      return find()
    },
    async published(now) {
      await this.signing(now)
      // Another process may have made one meanwhile.
      await read()
      return cached.filter(({ retiresAt }) => retiresAt.getTime() + TOKEN_SECONDS * 1000 > now.getTime())
    },
  }
}

const isSame = (one: SigningKey, other: SigningKey): boolean =>
  one.kid === other.kid && one.retiresAt.getTime() === other.retiresAt.getTime()

/** A new key pair. */
export async function newKey(now: Date, retiresAt: Date): Promise<SigningKey> {
  const pair = await generateKeyPair('EdDSA', { extractable: true })
  const [publicKey, privateKey] = await Promise.all([exportJWK(pair.publicKey), exportJWK(pair.privateKey)])
  const kid = await calculateJwkThumbprint(publicKey)
  return { kid, publicKey, privateKey, createdAt: now, retiresAt }
}
