import { chownSync, existsSync, lchownSync, lstatSync, mkdtempSync, readdirSync, rmdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The uid of "nobody", which other programs use too. */
export const NOBODY_UID = 65534

/**
 * PostgreSQL refuses to run as root: as root, we use a uid that no account and no other program
 * has. 65520 to 65533 are assigned neither by systemd ("Users, Groups, UIDs and GIDs") nor by
 * Debian (Policy §9.2.2), and rootless containers have 65536 ids.
 */
const SERVER_UID = 65527

/**
 * The uid that runs the server on `data`; null: the current user. Data keeps an owner other than
 * nobody.
 */
export function serverUidFor(data: string): number | null {
  if (process.getuid?.() !== 0) return null
  const owner = existsSync(data) ? statSync(data).uid : 0
  return owner === 0 || owner === NOBODY_UID ? availableUid() : owner
}

/**
 * The uid for `initdb` and single-user mode: they look up the name of their user, and the server's
 * has none.
 */
export const setupUidOf = (uid: number | null): number | null => (uid === SERVER_UID ? NOBODY_UID : uid)

/**
 * Changes the owner of data to `uid`: of new data, and of data of a former release, which ran as
 * nobody. Returns the owner. The top folder goes last, so that an interrupted change is repeated.
 */
export function chownData(uid: number | null, data: string): number | null {
  const owner = statSync(data).uid
  if (uid === null || owner === uid || !isOurs(owner)) return uid
  try {
    chownContents(data, uid)
    chownSync(data, uid, uid)
    return uid
  } catch (error) {
    // The file system forbids it.
    if (error instanceof Error && 'code' in error && (error.code === 'EPERM' || error.code === 'EINVAL')) return owner
    throw error
  }
}

const isOurs = (uid: number): boolean => uid === NOBODY_UID || uid === SERVER_UID

/** Does not follow links, which the former owner may have made. */
function chownContents(folder: string, uid: number): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (lstatSync(path).isDirectory()) chownContents(path, uid)
    lchownSync(path, uid, uid)
  }
}

/** The server's uid, or nobody in a user namespace with fewer ids. */
export function availableUid(): number {
  const probe = mkdtempSync(join(tmpdir(), 'atrium-user-'))
  try {
    chownSync(probe, SERVER_UID, SERVER_UID)
    return SERVER_UID
  } catch {
    return NOBODY_UID
  } finally {
    rmdirSync(probe)
  }
}
