import { type FSWatcher, watch } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Poll interval in addition to the watcher, because not every file system reports changes. */
const POLL_INTERVAL_MS = 5_000
/** A file is read after it has not changed for this time, since it may still be being written. */
const STABLE_MS = 200

/** A file that is watched for changes. */
export type WatchedFile = {
  /** Reads the file at once, and reports its text even when unchanged. */
  readonly reload: () => void
  /** Stops watching; resolves when `changed` has returned. */
  readonly close: () => Promise<void>
}

/**
 * Calls `changed` with the text of `file` when it differs from the last one (initially `known`) and
 * is stable; calls do not overlap. A missing or unreadable file counts as unchanged, because it may
 * be about to be replaced. `changed` must not reject.
 */
export function watchFile(file: string, known: string, changed: (text: string) => Promise<void>): WatchedFile {
  const ended = new AbortController()
  let seen: string | null = known
  let woken = Promise.withResolvers<void>()

  const watcher = watching()

  const running = (async () => {
    while (!ended.signal.aborted) {
      const pause = new AbortController()
      const signal = AbortSignal.any([ended.signal, pause.signal])
      await Promise.race([woken.promise, sleep(POLL_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => {})])
      pause.abort()
      woken = Promise.withResolvers()
      const text = await readWhenStable()
      if (text === null || text === seen || ended.signal.aborted) continue
      seen = text
      await changed(text)
    }
  })()

  return {
    reload() {
      seen = null
      woken.resolve()
    },
    async close() {
      ended.abort()
      watcher?.close()
      await running
    },
  }

  /** Reads until two reads in a row are equal; null when the file is missing. */
  async function readWhenStable(): Promise<string | null> {
    let before = await textNow()
    while (before !== null && before !== seen && !ended.signal.aborted) {
      await sleep(STABLE_MS, undefined, { signal: ended.signal, ref: false }).catch(() => {})
      const now = await textNow()
      if (now === before) return now
      before = now
    }
    return before
  }

  /** Null when the system cannot watch files or has reached its limit; polling remains. */
  function watching(): FSWatcher | null {
    try {
      // Watches the folder, because a file's watcher follows the inode that a rename replaces.
      const watcher = watch(dirname(file), { persistent: false }, (_, name) => {
        // Kubernetes replaces a symbolic link (`..data`) in the folder.
        if (name === null || name === basename(file) || name.startsWith('..')) woken.resolve()
      })
      return watcher.on('error', () => watcher.close())
    } catch {
      return null
    }
  }

  function textNow(): Promise<string | null> {
    return readFile(file, 'utf8').catch(() => null)
  }
}
