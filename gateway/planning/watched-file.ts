import { type FSWatcher, watch } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Poll interval besides the watcher: not every file system reports changes. Milliseconds. */
const POLL_INTERVAL_MS = 5_000
/** A file that is being written changes again within this time. Milliseconds. */
const STABLE_MS = 200

/** A file that is followed. */
export type WatchedFile = {
  /** Looks at once, and takes the text even if it is the one that was last seen. */
  readonly reload: () => void
  /** Resolves when nothing runs any more. */
  readonly close: () => Promise<void>
}

/**
 * Calls `changed` with the text of `file` when it is another one than before (at first, than
 * `known`) and has been the same for a moment, never twice at once. A file that is gone or cannot
 * be read is one that has not changed: it may be about to be replaced. `changed` must not reject.
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

  /** The text once two looks in a row see the same; null when there is none. */
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

  /** Null where files cannot be watched, or not one more: looking now and then must do. */
  function watching(): FSWatcher | null {
    try {
      // Watches the folder: a watcher of the file would follow the old inode when the file is
      // replaced.
      const watcher = watch(dirname(file), { persistent: false }, (_, name) => {
        // Kubernetes replaces a link beside the file.
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
