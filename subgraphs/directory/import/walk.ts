import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, extname, join, relative, sep } from 'node:path'
import { type LookupTable, lookupTable } from '../../../platform/collections/lookup-table.ts'
import type { Skip } from './contribution.ts'
import { type Origin, originAt, originOf } from './origin.ts'

/** A file worth reading. */
export type FoundFile = Origin & {
  /** Path inside the origin, with `/`. */
  readonly path: string
  readonly file: string
}

/** A part of an origin that a run looked at completely: what it holds no longer, it has lost. */
export type WalkScope = Origin & {
  /**
   * A folder's path inside the origin with a final `/`, empty for all of it; or, when `exact`, the
   * path of one file.
   */
  readonly prefix: string
  readonly exact: boolean
}

/** What lies under the import paths. */
export type Walk = {
  /** Sorted by origin and path. */
  readonly files: readonly FoundFile[]
  readonly scopes: readonly WalkScope[]
  /**
   * Files and folders that are there but cannot be read, or are too large; their earlier records
   * stay.
   */
  readonly refused: readonly Skip[]
  /** Files of other kinds, and links. */
  readonly ignored: number
}

/**
 * Largest file per kind, in bytes. Lists are JSON; one YAML or Markdown file is one record, and
 * YAML parses slowly.
 */
const LIMITS: LookupTable<number> = lookupTable({
  '.json': 16_000_000,
  '.yaml': 1_000_000,
  '.yml': 1_000_000,
  '.md': 1_000_000,
})

/** Most bytes that are read of a file with this name; undefined: it is not read. */
export const maxFileBytes = (path: string): number | undefined => LIMITS[extname(path).toLowerCase()]

/**
 * Folders of other people's files and of version control: only who names one as an import path
 * wants it read.
 */
export const FOREIGN = new Set(['.git', 'node_modules'])

/** Deeper folders are a mistake or an attack. */
export const MAX_FOLDER_DEPTH = 64

/** An import path that does not exist; `message` names it. */
export class MissingPath extends Error {
  override readonly name = 'MissingPath'
}

/**
 * Finds the candidate files below `paths`, without reading them and without following links. Throws
 * NoSuchPath.
 */
export async function walk(paths: readonly string[], signal: AbortSignal): Promise<Walk> {
  const files = new Map<string, FoundFile>()
  const scopes: WalkScope[] = []
  const refused: Skip[] = []
  let ignored = 0

  const visitFile = (file: string, origin: Origin): void => {
    const limit = LIMITS[extname(file).toLowerCase()]
    // A file that went away since its folder was listed is as good as ignored.
    const stat = lstatSync(file, { throwIfNoEntry: false })
    if (limit === undefined || !stat?.isFile()) {
      ignored += 1
      return
    }
    const path = pathIn(origin, file)
    // Of overlapping import paths the wider one says whose file it is.
    const earlier = files.get(file)
    if (earlier && earlier.root.length <= origin.root.length) return
    if (stat.size <= limit) files.set(file, { ...origin, path, file })
    else
      refused.push(
        skip(origin, path, `is ${megabytes(stat.size)}; at most ${megabytes(limit)} are read from a ${extname(file)} file`),
      )
  }

  const visitFolder = async (folder: string, inherited: Origin, depth: number): Promise<void> => {
    signal.throwIfAborted()
    // Lets a signal be noticed between two folders.
    await new Promise(setImmediate)
    const origin = originAt(folder) ?? inherited
    if (origin !== inherited) scopes.push({ ...origin, prefix: '', exact: false })
    const entries = entriesOf(folder)
    if (entries === null || depth > MAX_FOLDER_DEPTH) {
      refused.push(
        skip(
          origin,
          pathIn(origin, folder),
          depth > MAX_FOLDER_DEPTH ? `lies more than ${MAX_FOLDER_DEPTH} folders deep` : 'cannot be opened',
        ),
      )
      return
    }
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && !FOREIGN.has(entry.name)) await visitFolder(path, origin, depth + 1)
      else if (entry.isFile()) visitFile(path, origin)
      else if (!entry.isDirectory()) ignored += 1
    }
  }

  for (const given of paths) {
    const path = realPath(given)
    const folder = lstatSync(path).isDirectory()
    const origin = originOf(folder ? path : dirname(path))
    const inside = pathIn(origin, path)
    scopes.push({ ...origin, prefix: folder && inside !== '' ? `${inside}/` : inside, exact: !folder })
    if (folder) await visitFolder(path, origin, 0)
    else visitFile(path, origin)
  }
  return { files: [...files.values()].sort(byAddress), scopes, refused, ignored }
}

function realPath(given: string): string {
  try {
    return realpathSync(given)
  } catch {
    throw new MissingPath(`Expected ${JSON.stringify(given)} to be a file, a folder or an http(s) URL, and found nothing there.`)
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return null
  }
}

const pathIn = ({ root }: Origin, file: string): string => relative(root, file).split(sep).join('/')

const skip = ({ origin }: Origin, path: string, reason: string): Skip => ({ origin, path, line: null, reason })

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`

function byAddress(one: FoundFile, other: FoundFile): number {
  return compare(one.origin, other.origin) || compare(one.path, other.path) || compare(one.root, other.root)
}

/** Order of code units: the same on every machine. */
const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
