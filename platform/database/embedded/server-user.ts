import { chownSync, existsSync, lchownSync, lstatSync, mkdtempSync, readdirSync, rmdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The user id that every Unix calls "nobody", which programs of others run as, too. */
export const NOBODY_UID = 65534

/**
 * PostgreSQL refuses to run as root; as root we give the server a user id of its own, which no account and no other program has:
 * 65520 to 65533 are given out neither by systemd (its document "Users, Groups, UIDs and GIDs") nor by Debian (Policy §9.2.2).
 * It is below 65536, the number of ids that a container without root has.
 */
const SERVER_UID = 65527

/** The user that runs the server on `data`; null: PostgreSQL runs as we do. Data of another user than nobody stays that user's. */
export function serverUidFor(data: string): number | null {
  if (process.getuid?.() !== 0) return null
  const owner = existsSync(data) ? statSync(data).uid : 0
  return owner === 0 || owner === NOBODY_UID ? availableUid() : owner
}

/**
 * The user that works on the data while the server does not run: `initdb`, and the server in single-user mode, look up the name of
 * their user, and the server's own has none.
 */
export const setupUidOf = (uid: number | null): number | null => (uid === SERVER_UID ? NOBODY_UID : uid)

/**
 * Gives data to `uid`: what was just made or changed by who has a name, and data of a former release, which ran as nobody. Returns
 * who owns it now. The top goes last, so that an interrupted change is begun again.
 */
export function chownData(uid: number | null, data: string): number | null {
  const owner = statSync(data).uid
  if (uid === null || owner === uid || !isOurs(owner)) return uid
  try {
    chownContents(data, uid)
    chownSync(data, uid, uid)
    return uid
  } catch (error) {
    // A file system that does not let us.
    if (error instanceof Error && 'code' in error && (error.code === 'EPERM' || error.code === 'EINVAL')) return owner
    throw error
  }
}

const isOurs = (uid: number): boolean => uid === NOBODY_UID || uid === SERVER_UID

/** Not following links, which the former owner may have made. */
function chownContents(folder: string, uid: number): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (lstatSync(path).isDirectory()) chownContents(path, uid)
    lchownSync(path, uid, uid)
  }
}

/** A user namespace may have fewer ids than usual. */
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
