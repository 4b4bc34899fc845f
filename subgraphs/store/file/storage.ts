import type { Readable } from 'node:stream'
import type { FileKey } from './file.ts'

/** Received bytes in a local file, with their type. */
export type Received = {
  readonly path: string
  readonly bytes: number
  /** SHA-256 in hexadecimal digits. */
  readonly sha256: string
  /**
   * Detected from the bytes, whatever the client declared; `application/octet-stream` when unknown.
   */
  readonly type: string
  /** Without the dot. */
  readonly extension: string
}

/** Storage of files. Everything throws when the storage fails. */
export type FileStorage = {
  /** A folder for what arrives, best on the file system that it ends on. */
  readonly incoming: string
  /**
   * Keeps the bytes under this key, all of them or none, and takes `received.path` away or leaves
   * it.
   */
  readonly put: (key: FileKey, received: Received) => Promise<void>
  /** The bytes; null when there are none. The body must be read or destroyed. */
  readonly open: (key: FileKey) => Promise<{ readonly body: Readable; readonly bytes: number } | null>
  /** Is done as well when there is nothing to delete. */
  readonly delete: (key: FileKey) => Promise<void>
  /** URL of a public file. */
  readonly publicUrl: (key: FileKey) => string
  /** Signed URL of a private file, as a download with this name, for 1 to 604,800 seconds. */
  readonly privateUrl: (key: FileKey, options: { readonly name: string; readonly seconds: number }) => Promise<string>
  readonly close: () => Promise<void>
}
