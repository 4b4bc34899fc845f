/**
 * The part of POSIX `ustar` that backups are made of: plain files with paths of at most 100 bytes.
 */

const BLOCK_BYTES = 512
/** The format has eleven octal digits for it. */
const MAX_FILE_BYTES = 0o77777777777

/** What stands in front of the bytes of a file. */
export function tarHeader(path: string, bytes: number, seconds: number): Buffer {
  if (Buffer.byteLength(path) > 100 || bytes > MAX_FILE_BYTES)
    throw new Error(`Expected a path and a size that an archive can hold, got "${path}".`)
  const header = Buffer.alloc(BLOCK_BYTES)
  header.write(path, 0)
  header.write('0000600\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  header.write(`${bytes.toString(8).padStart(11, '0')}\0`, 124)
  header.write(`${seconds.toString(8).padStart(11, '0')}\0`, 136)
  header.write('0', 156)
  header.write('ustar\u000000', 257)
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

/** What fills the last block of a file of so many bytes. */
export const tarPadding = (bytes: number): Buffer => Buffer.alloc((BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES)

/** What an archive ends with. */
export const END = Buffer.alloc(2 * BLOCK_BYTES)

/** The sum of the header, in which its own field counts as blanks. */
function sumOf(header: Buffer): number {
  let sum = 0
  for (const [at, byte] of header.entries()) sum += at >= 148 && at < 156 ? 0x20 : byte
  return sum
}

/** A file of an archive. Its bytes must be read before the next file is requested. */
export type TarEntry = { readonly path: string; readonly bytes: number; readonly body: () => AsyncGenerator<Buffer> }

/** The archive is truncated, or no archive. */
export class InvalidArchive extends Error {}

/**
 * The files of an archive, in their order. Throws `InvalidArchive` when it is damaged or truncated.
 */
export async function* readEntries(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const chunks = source[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)

  for (;;) {
    const header = await take(BLOCK_BYTES)
    if (header.every((byte) => byte === 0)) return
    const sum = Number.parseInt(text(header, 148, 8), 8)
    if (sum !== sumOf(header) || text(header, 257, 5) !== 'ustar') throw new InvalidArchive('Its format is invalid.')
    const [path, bytes] = [text(header, 0, 100), Number.parseInt(text(header, 124, 12), 8)]
    let unread = bytes
    yield {
      path,
      bytes,
      async *body() {
        while (unread > 0) {
          const part = rest.length > 0 ? rest.subarray(0, unread) : (await more()).subarray(0, unread)
          rest = rest.subarray(part.length)
          unread -= part.length
          yield part
        }
      },
    }
    if (unread > 0) throw new Error(`Expected all of ${path} to be read.`)
    await take(tarPadding(bytes).length)
  }

  /** Reads at least one more byte; it becomes the rest. */
  async function more(): Promise<Buffer> {
    const { value, done } = await chunks.next()
    if (done) throw new InvalidArchive('It ends in the middle.')
    rest = rest.length === 0 ? value : Buffer.concat([rest, value])
    return rest
  }

  async function take(bytes: number): Promise<Buffer> {
    while (rest.length < bytes) await more()
    const block = rest.subarray(0, bytes)
    rest = rest.subarray(bytes)
    return block
  }
}

const text = (header: Buffer, from: number, length: number): string =>
  header
    .toString('latin1', from, from + length)
    .replace(/\0.*$/s, '')
    .trim()
