import { request as httpRequest, type IncomingMessage } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'

/** Parts of a multipart body: a field, or a file. */
export type Part =
  | readonly [name: string, value: string]
  | readonly [name: string, value: string | Buffer, filename: string, type?: string]

export const BOUNDARY = 'boundary-of-a-test'
export const PREFLIGHT = { 'apollo-require-preflight': '1' }

/** A body as clients write it; `isOpen` leaves out the closing boundary. */
export function bodyOf(parts: readonly Part[], isOpen = false): Buffer {
  const chunks = parts.flatMap(([name, value, filename, type = 'text/plain']) => [
    Buffer.from(
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"\r\ncontent-type: ${type}`}\r\n\r\n`,
    ),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...chunks, ...(isOpen ? [] : [Buffer.from(`--${BOUNDARY}--\r\n`)])])
}

/** The parts of one operation, or of a list, with the paths of its files. */
export const operationParts = (operations: unknown, map: Readonly<Record<string, readonly string[]>>): Part[] => [
  ['operations', JSON.stringify(operations)],
  ['map', JSON.stringify(map)],
]

export type Answer = {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: any answer of a server
  readonly body: any
}

/** Sends chunks over Node's client, as slowly as the server takes them; `sent` counts bytes. */
export function sendChunks(
  url: string,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  headers: Readonly<Record<string, string>> = PREFLIGHT,
): { readonly answer: Promise<Answer>; readonly sent: () => number; readonly leave: () => void } {
  let sent = 0
  const request = httpRequest(url, {
    method: 'POST',
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, ...headers },
  })
  const answer = new Promise<Answer>((resolve, reject) => {
    request.on('error', reject)
    request.on('response', async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text === '' ? null : JSON.parse(text) })
    })
  })
  answer.catch(() => {})
  void (async () => {
    for await (const chunk of chunks) {
      if (request.destroyed) return
      sent += chunk.length
      if (!request.write(chunk)) await new Promise((resolve) => request.once('drain', resolve))
      await turn()
    }
    request.end()
  })()
  return { answer, sent: () => sent, leave: () => request.destroy() }
}
