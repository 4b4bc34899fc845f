import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { Fault } from '../../../platform/outbound/fault.ts'
import { slots } from '../../../platform/outbound/slots.ts'
import { type FileKey, type FileKind, fileKey, fileName } from './file.ts'
import { receive } from './receive.ts'
import type { FileSource, FileSources } from './source.ts'
import type { FileStorage } from './storage.ts'

/** A stored file. */
export type StoredFile = {
  readonly key: FileKey
  /** What a download is called. */
  readonly name: string
  readonly bytes: number
  readonly type: string
  /** SHA-256 in hexadecimal digits. */
  readonly sha256: string
}

/** `expectation` completes `Expected "url" …`; nothing was stored. */
export type KeepResult =
  | { readonly kind: 'kept'; readonly file: StoredFile }
  | { readonly kind: 'refused'; readonly expectation: string }

export type KeepOptions = {
  readonly storeId: number
  /** What the client calls the file; null or unfit: what its source calls it. */
  readonly name?: string | null
  /**
   * Called before the bytes are stored, so that every file has a row. When it throws, nothing is
   * stored.
   */
  readonly record: (file: StoredFile) => Promise<unknown>
}

/** The files of all stores. */
export type Files = Pick<FileStorage, 'open' | 'delete' | 'publicUrl' | 'privateUrl' | 'close'> & {
  /** Takes what an http, https or data URL leads to. Throws only when the storage fails. */
  readonly keep: (url: string, kind: FileKind, options: KeepOptions) => Promise<KeepResult>
  /** Takes bytes that we made. Throws only when the storage fails. */
  readonly keepOwn: (bytes: Uint8Array, kind: FileKind, options: KeepOptions) => Promise<KeepResult>
}

/**
 * Files that arrive at once, for one store and for all: each may take 100 MB of disk and as long as
 * a download may.
 */
const AT_ONCE = { perKey: 10, total: 50 }
/** How long a file waits for its turn. Milliseconds. */
const TURN_TIMEOUT_MS = 1_000

export function storeFiles(storage: FileStorage, sources: FileSources): Files {
  const places = slots(AT_ONCE)

  return {
    open: storage.open,
    delete: storage.delete,
    publicUrl: storage.publicUrl,
    privateUrl: storage.privateUrl,
    async keep(url, kind, options) {
      try {
        return await places.run(String(options.storeId), AbortSignal.timeout(TURN_TIMEOUT_MS), () =>
          sources.read(url, kind.maxBytes, (source) => take(source, kind, options)),
        )
      } catch (error) {
        if (error instanceof Fault) return { kind: 'refused', expectation: expectationOf(error, kind) }
        throw error
      }
    },
    keepOwn: (bytes, kind, options) => take({ body: [bytes], name: null }, kind, options),
    async close() {
      await sources.close()
      await storage.close()
    },
  }

  async function take(
    { body, name }: FileSource,
    kind: FileKind,
    { storeId, name: given, record }: KeepOptions,
  ): Promise<KeepResult> {
    const received = await receive(body, storage.incoming, kind.maxBytes)
    try {
      const { bytes, type, extension, sha256 } = received
      if (bytes === 0 || (kind.types && !kind.types.includes(type))) {
        return { kind: 'refused', expectation: `to lead to ${kind.expectation}${bytes === 0 ? ', got no bytes' : ''}` }
      }
      const key = fileKey(kind.visibility, storeId, randomBytes(16), extension)
      const file = { key, name: fileName(given ?? '') ?? name ?? `file.${extension}`, bytes, type, sha256 }
      await record(file)
      await storage.put(key, received)
      return { kind: 'kept', file }
    } finally {
      await rm(received.path, { force: true })
    }
  }
}

/**
 * What a client can do about it, and nothing about what we saw: addresses of names are ours to
 * know.
 */
function expectationOf({ reason, message }: Fault, { maxBytes }: FileKind): string {
  switch (reason) {
    case 'too_large':
      return `to lead to at most ${maxBytes / 1_000_000} MB`
    case 'blocked':
      return 'to lead, by at most 5 redirects, to a public address on port 80 or 443, by http or https and without a password'
    case 'timeout':
      return 'to deliver everything within 8 seconds'
    case 'no_capacity':
      return 'not to arrive with so many others at once; try again'
    case 'malformed':
      return 'to be an http or https URL, or a data URL in base64'
    case 'no_tls':
      return 'to speak HTTPS with a valid certificate'
    case 'unavailable':
      return message.startsWith('status ') ? `to answer with status 200, got ${message.slice(7)}` : 'to be reachable'
    case 'rate_limited':
    case 'refused':
      return 'to be reachable'
  }
}
