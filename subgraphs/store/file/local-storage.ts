import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type FileKey, isFileKey, isPrivate } from './file.ts'
import { signedQuery } from './signature.ts'
import type { FileStorage } from './storage.ts'

/** Files in a folder of this machine, or one that several share; this process serves them. */
export type LocalStorage = FileStorage & {
  readonly folder: string
  /** Signs private URLs. */
  readonly secret: Uint8Array
}

/** Age of a partial file whose process was killed: no upload takes as long. Milliseconds. */
const ABANDONED_AFTER_MS = 3_600_000

/**
 * Makes the folder when it is missing. `publicUrl`: where clients reach us, without a slash at the
 * end.
 */
export async function localStorage({
  folder,
  publicUrl,
  now = () => new Date(),
}: {
  readonly folder: string
  readonly publicUrl: string
  readonly now?: () => Date
}): Promise<LocalStorage> {
  const incoming = join(folder, '.incoming')
  // Not with the mode of the inner one: the embedded database may live beside it, as another user.
  await mkdir(folder, { recursive: true })
  await mkdir(incoming, { recursive: true, mode: 0o700 })
  await removeAbandoned(incoming)
  const secret = await sharedSecret(folder)

  return {
    folder,
    secret,
    incoming,
    async put(key, { path }) {
      const target = pathOf(key)
      await mkdir(dirname(target), { recursive: true })
      // The web server of public files may run as another user.
      if (!isPrivate(key)) await chmod(path, 0o644)
      await rename(path, target)
      // Without this, a power cut could forget the name of a file that a row refers to.
      await syncFolder(dirname(target))
    },
    async open(key) {
      try {
        const file = await open(pathOf(key))
        return { body: file.createReadStream(), bytes: (await file.stat()).size }
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },
    delete: (key) => rm(pathOf(key), { force: true }),
    publicUrl: (key) => `${publicUrl}/files/${key}`,
    async privateUrl(key, { name, seconds }) {
      const expires = Math.floor(now().getTime() / 1000) + seconds
      return `${publicUrl}/files/${key}?${signedQuery({ key, name, expires }, secret)}`
    },
    close: async () => {},
  }

  function pathOf(key: FileKey): string {
    if (!isFileKey(key)) throw new Error(`Expected the key of a stored file, got "${key}".`)
    return join(folder, key)
  }
}

/** One secret for all processes with this folder: its readers can read the files as well. */
async function sharedSecret(folder: string): Promise<Uint8Array> {
  const path = join(folder, '.secret')
  const known = await readFile(path).catch((error: unknown) => {
    if (isMissing(error)) return null
    throw error
  })
  if (known) return known
  const mine = join(folder, '.incoming', randomBytes(16).toString('hex'))
  await writeFile(mine, randomBytes(32), { flag: 'wx', mode: 0o600, flush: true })
  try {
    // Unlike a rename, this fails when another process was faster, and is whole from the first
    // moment.
    await link(mine, path)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    await rm(mine)
  }
  return readFile(path)
}

async function removeAbandoned(incoming: string): Promise<void> {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name)
    // Another process may have finished with it in this moment.
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    )
    if (age > ABANDONED_AFTER_MS) await rm(path, { force: true })
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

const hasCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code
const isMissing = (error: unknown): boolean => hasCode(error, 'ENOENT')
