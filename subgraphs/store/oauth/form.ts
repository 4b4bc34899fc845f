import { IncomingMessage } from 'node:http'

/** No request of the protocol is as long. */
const MAX_BYTES = 50_000

/** The body does not match its media type; `message` is a sentence. */
export class UnreadableForm extends Error {}

/**
 * The same request with its form as `application/x-www-form-urlencoded`, which is all that the
 * protocol's library reads; programs for the published API send `multipart/form-data`. Rejects with
 * `UnreadableForm`.
 */
export async function withPlainForm(request: IncomingMessage): Promise<IncomingMessage> {
  const type = request.headers['content-type'] ?? ''
  if (!/^multipart\/form-data\s*;/i.test(type)) return request
  const text = await textOf(await bytesOf(request), type)

  const plain = new IncomingMessage(request.socket)
  Object.assign(plain, { method: request.method, url: request.url, httpVersion: request.httpVersion })
  plain.headers = {
    ...request.headers,
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(Buffer.byteLength(text)),
  }
  delete plain.headers['transfer-encoding']
  // Otherwise the end of the body counts as an aborted request, and closes the connection.
  plain.complete = true
  plain.push(text)
  plain.push(null)
  return plain
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    // A request without encoding yields buffers.
    length += (chunk as Buffer).length
    if (length > MAX_BYTES) throw new UnreadableForm(`Expected a form of at most ${MAX_BYTES} bytes.`)
    // A request without encoding yields buffers.
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

async function textOf(bytes: Buffer, type: string): Promise<string> {
  let form: FormData
  try {
    form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData()
  } catch (cause) {
    throw new UnreadableForm('Expected a body of multipart/form-data that can be read.', { cause })
  }
  const fields = new URLSearchParams()
  for (const [name, value] of form) {
    if (typeof value !== 'string') throw new UnreadableForm(`Expected "${name}" to be text, got a file.`)
    fields.append(name, value)
  }
  return fields.toString()
}
