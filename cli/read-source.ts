import { createReadStream } from 'node:fs'
import { OperatorError } from '../platform/process/operator-error.ts'

/**
 * The text of a file, or of standard input for `-`. Throws an `OperatorError` above `maxBytes`,
 * which counts what is read: pipes and devices have no size.
 */
export async function readSource(source: string, maxBytes: number): Promise<string> {
  const isInput = source === '-'
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of isInput ? process.stdin : createReadStream(source)) {
      bytes += chunk.length
      if (bytes > maxBytes)
        throw new OperatorError(`Expected at most ${maxBytes} bytes ${isInput ? 'on standard input' : `in "${source}"`}.`)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`"${source}" cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  return Buffer.concat(chunks).toString()
}
