import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { OperatorError } from '../../process/operator-error.ts'
import { END, tarHeader, tarPadding } from './tar.ts'

export type Archive = Awaited<ReturnType<typeof createArchive>>

/**
 * A compressed archive that is being written, for its owner only: it holds everything that the
 * database keeps secret.
 */
export async function createArchive(partFile: string, signal: AbortSignal) {
  // What another run left behind when it was killed.
  await rm(partFile, { force: true })
  const file = createWriteStream(partFile, { flags: 'wx', mode: 0o600, flush: true })
  const zip = createGzip()
  zip.pipe(file)
  let failure: unknown = null
  const done = finished(file).catch((error: unknown) => {
    failure = error
    zip.destroy()
  })
  await Promise.race([once(file, 'open'), done])
  // Streams only fail with errors.
  if (failure !== null) throw new OperatorError(`Nothing can be written to "${partFile}": ${(failure as Error).message}.`)
  const sums: string[] = []

  async function write(chunk: Buffer): Promise<void> {
    signal.throwIfAborted()
    // Streams only fail with errors.
    if (failure !== null) throw new OperatorError(`"${partFile}" could not be written: ${(failure as Error).message}.`)
    if (!zip.write(chunk)) await Promise.race([once(zip, 'drain'), done])
  }
  async function addAll(path: string, bytes: number, body: AsyncIterable<Buffer>): Promise<void> {
    const sum = createHash('sha256')
    await write(tarHeader(path, bytes, Math.trunc(Date.now() / 1_000)))
    let seen = 0
    for await (const chunk of body) {
      sum.update(chunk)
      seen += chunk.length
      await write(chunk)
    }
    if (seen !== bytes) throw new Error(`Expected ${bytes} bytes of ${path}, got ${seen}.`)
    await write(tarPadding(bytes))
    sums.push(`${sum.digest('hex')}  ${path}\n`)
  }
  const add = (path: string, bytes: Buffer): Promise<void> => addAll(path, bytes.length, chunksOf(bytes))

  return {
    add,
    addAll,
    /** Adds the list of checksums under this path, and answers the length of the whole. */
    async end(sumsPath: string): Promise<number> {
      await add(sumsPath, Buffer.from(sums.join('')))
      await write(END)
      zip.end()
      await done
      // Streams only fail with errors.
      if (failure !== null) throw new OperatorError(`"${partFile}" could not be written: ${(failure as Error).message}.`)
      return file.bytesWritten
    },
    async giveUp(): Promise<void> {
      zip.destroy()
      file.destroy()
      await done
      await rm(partFile, { force: true })
    },
  }
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
