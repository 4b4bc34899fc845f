import type { IncomingHttpHeaders } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { BusboyConstructor } from '@fastify/busboy'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Of an image, as the store takes it (schema/store/product-image.graphql). */
const MAX_IMAGE_BYTES = 10_000_000
/** Fields beside the image, and what stands around each part. */
const MAX_OTHER_BYTES = 20_000
const MAX_FIELDS = 20
const MAX_FIELD_BYTES = 4_000
/**
 * Bytes that are parsed at once: other requests come between. The shortest parts have some ten bytes
 * and take 10 µs each, so that the parser would be busy for ten seconds with 10 MB of them.
 */
const PIECE_BYTES = 16_384
/** The field of a form that holds the chosen file, as a data URL once it was read. */
export const IMAGE_FIELD = 'file'

/** Fastify answers with this status. */
class UnreadableImageForm extends Error {
  readonly statusCode: 400 | 413 | 415
  constructor(statusCode: 400 | 413 | 415) {
    super('Expected a form with one image of at most 10 MB.')
    this.statusCode = statusCode
  }
}

/** Lets the forms of images in this scope have a file; other forms stay as they are. */
export function acceptImageForms(scope: FastifyInstance): void {
  const options = { parseAs: 'buffer', bodyLimit: MAX_IMAGE_BYTES + MAX_OTHER_BYTES } as const
  scope.addContentTypeParser('multipart/form-data', options, async (request: FastifyRequest, body: Buffer) => {
    if (!request.routeOptions.url?.endsWith('/images')) throw new UnreadableImageForm(415)
    return readImageForm(request.headers, body)
  })
}

/** Fields of a multipart form. Rejects one that is cut off, has too many parts, or a file that is too long. */
async function readImageForm(headers: IncomingHttpHeaders, body: Buffer): Promise<URLSearchParams> {
  const { fields, parser, hasEnded } = await imageFormParser(headers)
  let isOver = false
  const ended = hasEnded.finally(() => {
    isOver = true
  })
  // It is awaited at the end, and may reject while pieces are written.
  ended.catch(() => {})
  for (let at = 0; at < body.length && !isOver; at += PIECE_BYTES) {
    parser.write(body.subarray(at, at + PIECE_BYTES))
    await setImmediate()
  }
  if (!isOver) parser.end()
  await ended
  return fields
}

/** A parser of one form, and the fields that it has found. `hasEnded` rejects what is no such form. */
async function imageFormParser(headers: IncomingHttpHeaders) {
  const Busboy = await loadParser()
  const fields = new URLSearchParams()
  const parser = parserOf()
  const hasEnded = new Promise<void>((resolve, reject) => {
    const fail = (status: 400 | 413) => reject(new UnreadableImageForm(status))
    parser.on('field', (name: string, value: string, _: boolean, isCut: boolean) =>
      isCut ? fail(413) : fields.append(name, value),
    )
    parser.on('file', (name, stream) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('limit', () => fail(413))
      // Of a form that is cut off inside a file: without a listener it would end the process.
      stream.on('error', () => fail(400))
      stream.on('end', () => {
        // A browser sends an empty file where none was chosen. What it is, the store says by its content.
        const bytes = Buffer.concat(chunks)
        if (name === IMAGE_FIELD && bytes.length > 0) {
          fields.append(name, `data:application/octet-stream;base64,${bytes.toString('base64')}`)
        }
      })
    })
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) parser.on(limit, () => fail(413))
    parser.on('error', () => fail(400))
    parser.on('finish', resolve)
  })
  return { fields, parser, hasEnded }

  function parserOf() {
    const limits = { parts: MAX_FIELDS + 1, files: 1, fileSize: MAX_IMAGE_BYTES, fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES }
    try {
      // The parser of the route has matched the type.
      const type = headers['content-type'] ?? ''
      return new Busboy({ headers: { ...headers, 'content-type': type }, limits: { ...limits, headerPairs: 20 } })
    } catch {
      // The parser throws for a type without a boundary.
      throw new UnreadableImageForm(400)
    }
  }
}

/** Loaded for the first image, not at each start. */
const loadParser = async (): Promise<BusboyConstructor> => (await import('@fastify/busboy')).Busboy
