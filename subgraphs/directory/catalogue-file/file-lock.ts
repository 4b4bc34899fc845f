import { randomUUID } from 'node:crypto'
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'

/** A lock that was not renewed for so long was left behind by a process that was killed. Milliseconds. */
export const LOCK_EXPIRY_MS = 60_000
/** Renewed six times within that: a busy disk or machine delays some. Milliseconds. */
const RENEWAL_MS = 10_000

/**
 * Runs `work` while this process holds the lock file, which it removes behind it. False when another
 * process holds the lock: then nothing runs. Saves work and guards nothing: two processes that find an
 * expired lock at once may both run. Rejects as `work` does, and with the fault of the system.
 */
export async function withFileLock(path: string, work: () => Promise<void>): Promise<boolean> {
  const token = randomUUID()
  if (!(await isTaken(path, token))) return false
  const renewal = setInterval(() => {
    const now = new Date()
    // A lock that somebody deleted is no fault of the work.
    utimes(path, now, now).catch(() => {})
  }, RENEWAL_MS)
  renewal.unref()
  try {
    await work()
    return true
  } finally {
    clearInterval(renewal)
    const holder = await readFile(path, 'utf8').catch(() => null)
    if (holder === token) await rm(path, { force: true })
  }
}

async function isTaken(path: string, token: string): Promise<boolean> {
  for (let tries = 0; tries < 2; tries += 1) {
    try {
      await writeFile(path, token, { flag: 'wx', mode: 0o600 })
      return true
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
    const held = await stat(path).catch(() => null)
    // Was removed meanwhile: what is there now may be the lock of another process.
    if (held === null) continue
    if (Math.abs(Date.now() - held.mtimeMs) <= LOCK_EXPIRY_MS) return false
    await rm(path, { force: true })
  }
  return false
}
