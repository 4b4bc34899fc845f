import type { Logger } from 'pino'
import { type Connection, openDatabase } from '../../../platform/database/database.ts'
import { PLAIN_SECRETS, type SecretCipher } from '../../../platform/secrets/cipher.ts'
import type { Files } from '../file/files.ts'
import { fillStore } from '../sample/fill.ts'
import { storeRepository } from '../store/repository.ts'
import { setUpStore } from '../store/set-up.ts'
import type { Tables } from '../tables.ts'

/** The store of a first start. `atrium store token reset demo` prints an authtoken for it. */
const DEMO = { code: 'demo', name: 'Marigold & Daughters', country: 'IE' }

/**
 * Sets up a filled store where there never was one, meanwhile: all of it, or, when it fails or is
 * stopped, nothing, and the next start tries again. Several processes at once make one. The
 * returned function stops it.
 */
export function seedStore(
  connection: Connection,
  {
    files,
    secrets = PLAIN_SECRETS,
    log,
  }: { readonly files: Pick<Files, 'keepOwn' | 'delete'>; readonly secrets?: SecretCipher; readonly log: Logger },
): () => Promise<void> {
  const stopped = new AbortController()
  const seeding = seed(connection, { files, secrets, log, signal: stopped.signal }).catch((error: unknown) => {
    if (!stopped.signal.aborted) log.error({ err: error }, 'the demo store could not be set up; the next start tries again')
  })
  return () => {
    stopped.abort()
    return seeding
  }
}

async function seed(
  connection: Connection,
  { files, secrets = PLAIN_SECRETS, log, signal }: Parameters<typeof seedStore>[1] & { readonly signal: AbortSignal },
): Promise<void> {
  const database = openDatabase<Tables>(connection, { schema: 'store', max: 1, onError: () => {} })
  try {
    if (!(await storeRepository(database.query).isNone())) return
    const since = performance.now()
    await database.query.transaction().execute(async (query) => {
      const stores = storeRepository(query)
      await stores.lockAll()
      if (!(await stores.isNone())) return
      const at = new Date()
      const { storeId } = await setUpStore(query, { ...DEMO, theme: null, paidSince: null, createdBy: null, at }, secrets)
      await stores.markSample(storeId)
      await fillStore({ query, storeId, now: at, secrets }, files, () => signal.throwIfAborted())
    })
    log.info({ store: DEMO.code, milliseconds: Math.round(performance.now() - since) }, 'a demo store was set up')
  } finally {
    await database.close()
  }
}
