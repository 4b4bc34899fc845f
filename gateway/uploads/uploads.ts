import type { Readable } from 'node:stream'
import type { FileHead, FileUpload } from './file-upload.ts'
import { tooLate, usedTwice } from './upload-conflicts.ts'
import { malformed, UploadError } from './upload-error.ts'

/** The files of one multipart request, while they arrive one after the other. */
export type Uploads = {
  /** Milliseconds until the time of the whole request is up. */
  readonly remainingMs: () => number
  /**
   * Runs a fetch that reads `files`, which may be none. They belong to it alone; what it leaves is
   * read past. Throws an `UploadError` for a file that it cannot have.
   */
  readonly run: <Result>(files: readonly FileUpload[], fetch: () => Promise<Result>) => Promise<Result>
}

/** The same for who reads the request. */
export type IncomingUploads = Uploads & {
  /** The part of a file begins. */
  readonly arrive: (key: string, stream: Readable, head: FileHead) => void
  /** The request has ended as a whole. */
  readonly end: () => void
  /** Nothing more can be read. The first reason counts. */
  readonly fail: (reason: UploadError) => void
  /** The operation is over: what still arrives is read past. */
  readonly close: () => void
}

/**
 * `files` by their keys; the time of the request began at `beganAt`, by `performance.now()`.
 *
 * A file is read as it arrives and stored nowhere, so all files before it must be read first. Where
 * every running fetch waits for a later file, one that no fetch has taken is read past: it belongs
 * to a fetch that does not run, or runs too late, which then gets an error.
 */
export function createUploads(
  files: ReadonlyMap<string, FileUpload>,
  { beganAt, timeoutSeconds }: { readonly beganAt: number; readonly timeoutSeconds: number },
  onFailure: (reason: UploadError) => void,
): IncomingUploads {
  const deadline = beganAt + timeoutSeconds * 1_000
  const running = new Set<readonly FileUpload[]>()
  let isWatched = false
  let failure: UploadError | null = null
  const timer = setTimeout(() => fail(timeUp(timeoutSeconds)), remainingMs())

  return { remainingMs, run, arrive, end, fail, close }

  function remainingMs(): number {
    return Math.max(1, deadline - performance.now())
  }

  async function run<Result>(own: readonly FileUpload[], fetch: () => Promise<Result>): Promise<Result> {
    const claimed = [...new Set(own)]
    for (const file of claimed) {
      if (file.state === 'claimed') throw usedTwice(file)
      if (file.failure) throw file.failure
    }
    for (const file of claimed) file.claim()
    running.add(claimed)
    watch()
    try {
      return await fetch()
    } finally {
      running.delete(claimed)
      for (const file of claimed) file.discard(LEFT)
      watch()
    }
  }

  function arrive(key: string, stream: Readable, head: FileHead): void {
    const file = files.get(key)
    if (!file || file.hasArrived) {
      // It will be destroyed, and has no other listener.
      stream.on('error', () => {})
      fail(
        malformed(
          file
            ? `Expected the file "${key}" once, got it twice.`
            : `Expected "map" to have the file "${key.slice(0, 100)}", got a file that it does not name.`,
        ),
      )
      return
    }
    file.arrive(stream, head, watch)
    watch()
  }

  function end(): void {
    for (const file of files.values()) {
      if (!file.hasArrived) file.fail(malformed(`Expected the file "${file.key}", which "map" names, got none.`))
    }
    clearTimeout(timer)
  }

  function fail(reason: UploadError): void {
    if (failure) return
    failure = reason
    clearTimeout(timer)
    for (const file of files.values()) file.fail(reason)
    onFailure(reason)
  }

  function close(): void {
    clearTimeout(timer)
    for (const file of files.values()) file.discard(LEFT)
  }

  /** Looks for a standstill once all fetches of this turn have begun. */
  function watch(): void {
    if (isWatched || failure) return
    isWatched = true
    setImmediate(() => {
      isWatched = false
      if (running.size === 0 || ![...running].every(isBlocked)) return
      for (const file of files.values()) {
        if (file.hasArrived && file.state === 'unused') file.discard(tooLate(file))
      }
    })
  }
}

/** Whether a fetch waits for a file that has not begun, and for nothing else. */
function isBlocked(files: readonly FileUpload[]): boolean {
  return files.some(({ hasArrived }) => !hasArrived) && files.every(({ hasArrived, hasEnded }) => !hasArrived || hasEnded)
}

const LEFT = new UploadError('UPLOAD_CONFLICT', 'Expected a fetch that reads the file, but it has ended.')

export const timeUp = (seconds: number): UploadError =>
  new UploadError('TIMEOUT', `Expected the whole upload within ${seconds} seconds.`)
