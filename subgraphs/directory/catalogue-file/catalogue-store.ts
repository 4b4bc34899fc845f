import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { once } from '../../../platform/collections/once.ts'
import type { Catalogue } from '../item/catalogue.ts'
import { markIn, OtherVersion, readCatalogueFile, writeCatalogueFile } from './catalogue-file.ts'
import { codeVersion } from './code-version.ts'
import { withFileLock } from './file-lock.ts'

/** Files are named by the code that wrote them: in an upgrade old and new processes share the folder. */
const FILE = /^catalogue(?:-[0-9a-f]{16})?$/
const fileName = (version: string): string => `catalogue-${version.slice(0, 16)}`
/** Ends the name of the lock of the process that writes: others of the same code have the same to write. */
const LOCK = '.lock'
/** Files of other code that stay, the newest: that before an upgrade, or the one that was prepared for it. */
const MAX_OTHER_FILES = 1
/** Ends the names of files that are being written. */
const PART = '.part'
/** Parts that nobody wrote to for so long were left behind: a process that is killed again and again fills no disk. Milliseconds. */
const MAX_PART_AGE_MS = 60_000

/** Fewer items are read and indexed within a second: no file is written. */
export const MIN_ITEMS = 20_000
/** The file is written anew when more items than this share of all have changed since. */
const MAX_CHANGED_SHARE = 0.05
/** And behind so many revisions: the database knows what the last 1,000 changed. */
const MAX_REVISIONS = 500

export type CatalogueStore = {
  /** The catalogue of the file, of any revision; null when there is none that can be used. Never rejects. */
  readonly read: () => Promise<Catalogue | null>
  /**
   * Says that the process serves this catalogue now, which has other items than the one before, or than
   * that of the file; Infinity: it was built anew. Writes it, in the background, when the file is much older.
   */
  readonly offer: (catalogue: Catalogue, changedItems: number) => void
  /** Whether the file is of this catalogue, by its first frame unless all was read. Never rejects. */
  readonly holds: (catalogue: Catalogue) => Promise<boolean>
  /** Resolves when nothing is being written. */
  readonly idle: () => Promise<void>
  /** Ends what is being written, and resolves then. */
  readonly close: () => Promise<void>
}

/** Keeps a catalogue in a file of this folder, for the next start. Faults are logged: the database has all of it. */
export function catalogueStore(folder: string, log: Logger, minItems = MIN_ITEMS): CatalogueStore {
  const version = once(codeVersion)
  const pathOf = async (): Promise<string> => join(folder, fileName(await version()))
  const ended = new AbortController()
  /** Of the catalogue in the file; null: it has to be written. */
  let written: WrittenCatalogue | null = null
  /** Of the one that another process was writing, most likely, when it held the lock; null: there is none. */
  let missed: WrittenCatalogue | null = null
  let writing: Promise<void> | null = null
  /** What was offered meanwhile, if anything. */
  let newest: Catalogue | null = null

  /** Whether the file was there and is broken: what its first frame says is not believed. */
  let isUnusable = false

  /** False when another process is writing. */
  const write = async (catalogue: Catalogue): Promise<boolean> => {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      return await withFileLock(`${await pathOf()}${LOCK}`, async () => {
        await removeOldParts(folder)
        // Another process had the lock, and the same catalogue, or one that is near it.
        const mark = isUnusable ? null : await markInFolder(folder, version)
        if (mark === catalogue.revision.mark) return
        if (missed && mark === missed.mark && isNear(missed, catalogue)) {
          written = missed
          return
        }
        await replaceFile(folder, catalogue, { version: await version(), signal: ended.signal })
        isUnusable = false
        log.debug({ revision: catalogue.revision.number }, 'the catalogue of the directory was written to a file')
      })
    } catch (error) {
      if (!ended.signal.aborted) log.warn({ err: error }, 'the catalogue of the directory cannot be written to a file')
      return true
    }
  }

  return {
    async read() {
      try {
        // Before the version is worked out: most installations have no file.
        if (!(await readdir(folder)).some((name) => FILE.test(name))) return null
        const catalogue = await readCatalogueFile(await pathOf(), { version: await version() })
        written = writtenAs(catalogue)
        return catalogue
      } catch (error) {
        // Nothing there is the usual case.
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
        // One of other code under this name is whole; the processes of this code write theirs over it once.
        isUnusable = !(error instanceof OtherVersion)
        const reason = error instanceof Error ? error.message : String(error)
        log.info({ reason }, 'the file of the catalogue is not used: the directory is read from the database')
        return null
      }
    },
    offer,
    holds: async ({ revision }) => !isUnusable && (await markInFolder(folder, version)) === revision.mark,
    idle,
    async close() {
      ended.abort(new Error('The process ends.'))
      await idle()
    },
  }

  function offer(catalogue: Catalogue, changedItems: number): void {
    // Both may be the same one.
    for (const known of new Set([written, missed])) if (known) known.changedItems += changedItems
    if (ended.signal.aborted) return
    if (writing) {
      newest = catalogue
      return
    }
    if (catalogue.size < minItems) return
    if (written && isNear(written, catalogue)) return
    const before = written
    // A failing disk is tried again behind as many changes.
    const tried = writtenAs(catalogue)
    written = tried
    writing = write(catalogue).then((isDone) => {
      // The other process may be killed, or have an older catalogue: the next change looks again.
      if (!isDone) written = before
      // While it writes, later changes do not make it write another one.
      missed = isDone ? null : (missed ?? tried)
      const next = newest
      writing = null
      newest = null
      // Its changes are counted.
      if (next) offer(next, 0)
    })
  }

  async function idle(): Promise<void> {
    while (writing) await writing
  }
}

/** Writes the file of this version beside its place, and puts it there. Rejects as `writeCatalogueFile` does. */
async function replaceFile(
  folder: string,
  catalogue: Catalogue,
  options: { readonly version: string; readonly signal: AbortSignal },
): Promise<void> {
  const name = fileName(options.version)
  // Several processes may share the folder; in containers all have the same number.
  const part = join(folder, `${name}.${randomUUID()}${PART}`)
  try {
    await writeCatalogueFile(part, catalogue, options)
    // Whole or not at all; the hash in it tells what a failing machine made of it.
    await rename(part, join(folder, name))
  } catch (error) {
    await rm(part, { force: true }).catch(() => {})
    throw error
  }
  await removeOtherFiles(folder, name)
}

/** The mark of the revision in the file of this version; null where nothing is there, or nothing that can be read. */
async function markInFolder(folder: string, versionOf: () => Promise<string>): Promise<string | null> {
  try {
    const version = await versionOf()
    return await markIn(join(folder, fileName(version)), version)
  } catch {
    // It is written anew.
    return null
  }
}

/** Which catalogue a file has. */
type WrittenCatalogue = {
  readonly revision: bigint
  readonly mark: string
  /** Items that are other ones in the catalogue that is served now. */
  changedItems: number
}

const writtenAs = ({ revision: { number, mark } }: Catalogue): WrittenCatalogue => ({
  revision: BigInt(number),
  mark,
  changedItems: 0,
})

/** Whether a start from this file would have little to read of the catalogue. */
function isNear({ revision, changedItems }: WrittenCatalogue, { size, revision: { number } }: Catalogue): boolean {
  const behind = BigInt(number) - revision
  return changedItems <= size * MAX_CHANGED_SHARE && behind >= 0 && behind <= MAX_REVISIONS
}

async function removeOldParts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith('catalogue') || !name.endsWith(PART)) continue
    const file = join(folder, name)
    const age = Date.now() - ((await timeOf(file)) ?? Date.now())
    if (age > MAX_PART_AGE_MS) await rm(file, { force: true })
  }
}

/** Removes files of other code but the newest of them: each has the size of the directory. */
async function removeOtherFiles(folder: string, ownName: string): Promise<void> {
  const others = (await readdir(folder)).filter((name) => FILE.test(name) && name !== ownName).map((name) => join(folder, name))
  const times = await Promise.all(others.map(async (file) => ({ file, time: (await timeOf(file)) ?? 0 })))
  const newestFirst = times.sort((one, other) => other.time - one.time)
  for (const { file } of newestFirst.slice(MAX_OTHER_FILES)) await rm(file, { force: true })
}

/** When a file was last written to; null when it is gone. Milliseconds. */
const timeOf = async (file: string): Promise<number | null> => (await stat(file).catch(() => null))?.mtimeMs ?? null
