import { createHash, randomBytes } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Fault } from '../../../platform/outbound/fault.ts'
import type { FileSource } from './source.ts'
import type { Received } from './storage.ts'

/** As much as the library looks at in a buffer; signatures lie far in front of that. */
const HEAD_BYTES = 4_100

/**
 * Writes the incoming bytes into a private file in this folder, and detects their type. Rethrows
 * errors of `source`, throws `too_large` above `maxBytes`, and deletes the file then.
 */
export async function receive(source: FileSource['body'], folder: string, maxBytes: number): Promise<Received> {
  const path = join(folder, randomBytes(16).toString('hex'))
  const file = await open(path, 'wx', 0o600)
  try {
    const { bytes, sha256, head } = await write(source, file, maxBytes)
    await file.sync()
    await file.close()
    return { path, bytes, sha256, ...(await typeOf(head)) }
  } catch (error) {
    await file.close()
    await rm(path, { force: true })
    throw error
  }
}

async function write(source: FileSource['body'], file: FileHandle, maxBytes: number) {
  const hash = createHash('sha256')
  let head = Buffer.alloc(0)
  let bytes = 0
  for await (const chunk of source) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Fault('too_large', `Expected at most ${maxBytes} bytes.`)
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES - head.length)])
    hash.update(chunk)
    await file.writeFile(chunk)
  }
  return { bytes, sha256: hash.digest('hex'), head }
}

/**
 * From the beginning alone: what follows is never parsed, so that nothing in it can keep us busy.
 */
async function typeOf(head: Uint8Array): Promise<Pick<Received, 'type' | 'extension'>> {
  // Loaded when the first file arrives: most processes never see one.
  const { fileTypeFromBuffer } = await import('file-type')
  const found = await fileTypeFromBuffer(head)
  if (!found) return { type: 'application/octet-stream', extension: 'bin' }
  // A PNG that moves is a PNG.
  return found.mime === 'image/apng' ? { type: 'image/png', extension: 'png' } : { type: found.mime, extension: found.ext }
}
