/** Rules of stored files: what is taken, and what it is called. */

/** Public: readable by URL. Private: readable by a signed URL until it expires. */
export type Visibility = 'public' | 'private'

/**
 * The place of a stored file, such as `public/7/3f/3f….png`: its path in FILES_DIR, its key in S3
 * and its path below /files. Nothing in it comes from a client, and 124 random bits make it
 * unguessable.
 */
export type FileKey = string

/** Limits of files of one use. */
export type FileKind = {
  readonly visibility: Visibility
  readonly maxBytes: number
  /** Media types by what the bytes are; null: anything. */
  readonly types: readonly string[] | null
  /** Completes "Expected it to be …". */
  readonly expectation: string
}

/**
 * Pictures, which browsers show. SVG is not among them: it is a document with scripts, styles and
 * links of its own, and what a sanitiser lets through is decided anew by every browser.
 */
export const IMAGE: FileKind = {
  visibility: 'public',
  maxBytes: 10_000_000,
  types: ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'],
  expectation: 'a PNG, JPEG, GIF, WebP or AVIF image',
}

/** Anything, which browsers only ever download. */
export const DOWNLOAD: FileKind = { visibility: 'private', maxBytes: 100_000_000, types: null, expectation: 'a file' }

/** Shipping labels, which we render. */
export const LABEL: FileKind = { visibility: 'private', maxBytes: 1_000_000, types: ['application/pdf'], expectation: 'a PDF' }

/** Cache-Control of public files: what is behind a key never changes. */
export const FOREVER = 'public, max-age=31536000, immutable'

const KEY = /^(?:public|private)\/[1-9]\d{0,9}\/([0-9a-f]{2})\/\1[0-9a-f]{30}\.[a-z0-9]{2,5}$/

/** Whether the text is a key of ours: none leads out of the folder. */
export const isFileKey = (text: string): text is FileKey => KEY.test(text)

/** Whether the key's file needs a signed URL. */
export const isPrivate = (key: FileKey): boolean => key.startsWith('private/')

/**
 * A new key. `random` has at least 16 bytes; the first names a folder, so that none grows too long.
 */
export function fileKey(visibility: Visibility, storeId: number, random: Uint8Array, extension: string): FileKey {
  const name = Buffer.from(random).toString('hex').slice(0, 32)
  return `${visibility}/${storeId}/${name.slice(0, 2)}/${name}.${/^[a-z0-9]{2,5}$/.test(extension) ? extension : 'bin'}`
}

/** Characters of a file name. Most file systems take 255 bytes. */
const MAX_NAME_LENGTH = 100

/**
 * Controls, what separates folders on some system, and what changes the direction of the text so
 * that an extension looks like another.
 */
const UNFIT = /[\p{Cc}\p{Cs}\p{Bidi_Control}/\\:*?"<>|]/gu

/**
 * What a download is called: the text without what cannot be in a file name; null when nothing is
 * left.
 */
export function fileName(text: string): string | null {
  const name = text
    .replaceAll(UNFIT, '')
    .trim()
    // Each run is begun at its first character only: a long one inside of the name must not be
    // tried from every character.
    .replace(/^\.+|(?<![. ])[. ]+$/g, '')
  if (name.length <= MAX_NAME_LENGTH) return name || null
  const extension = /\.[a-z0-9]{1,5}$/i.exec(name)?.[0] ?? ''
  return name.slice(0, MAX_NAME_LENGTH - extension.length).toWellFormed() + extension
}

/** The last part of the path of a URL, where it can be read. */
export function nameInUrl(url: string): string | null {
  const { pathname } = new URL(url)
  try {
    return fileName(decodeURIComponent(pathname.slice(pathname.lastIndexOf('/') + 1)))
  } catch {
    return null
  }
}
