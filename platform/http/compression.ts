import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { FastifyInstance, FastifyReply } from 'fastify'

/** Shorter responses fit into one packet. */
export const MIN_COMPRESSED_BYTES = 1024
/** Longer responses are compressed on the thread pool. */
const ASYNC_COMPRESSION_BYTES = 32_768

/** Quality 4 costs what gzip costs and gives less. */
const BROTLI = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }

export type ContentCoding = 'br' | 'gzip'
type Content = string | Buffer
const CODINGS: Readonly<
  Record<ContentCoding, { readonly here: (text: Content) => Buffer; readonly elsewhere: (text: Content) => Promise<Buffer> }>
> = {
  br: {
    here: (text) => zlib.brotliCompressSync(text, BROTLI),
    elsewhere: (text) => promisify(zlib.brotliCompress)(text, BROTLI),
  },
  gzip: { here: zlib.gzipSync, elsewhere: promisify(zlib.gzip) },
}

/**
 * Compresses the answers in text or JSON of this scope that are worth it, for clients that accept
 * it. Answers with a coding of their own stay as they are.
 */
export function compressResponses(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!isText(payload, reply) || reply.hasHeader('content-encoding')) return done(null, payload)
    addVary(reply)
    if (payload.length < MIN_COMPRESSED_BYTES) return done(null, payload)
    const coding = negotiateCoding(request.headers['accept-encoding'])
    if (!coding) return done(null, payload)
    const take = (bytes: Buffer) => {
      reply.header('content-encoding', coding).header('content-length', bytes.length)
      done(null, bytes)
    }
    const bytes = compress(payload, coding)
    if (bytes instanceof Promise) bytes.then(take, done)
    else take(bytes)
  })
}

/** Bytes are text where they are JSON; pictures and fonts are compressed already. */
const isText = (payload: unknown, reply: Pick<FastifyReply, 'getHeader'>): payload is Content =>
  typeof payload === 'string' || (Buffer.isBuffer(payload) && /[/+]json/.test(String(reply.getHeader('content-type'))))

/** The content in this coding; at once when that is quick. */
export const compress = (content: Content, coding: ContentCoding): Buffer | Promise<Buffer> =>
  content.length < ASYNC_COMPRESSION_BYTES ? CODINGS[coding].here(content) : CODINGS[coding].elsewhere(content)

function addVary(reply: { getHeader(name: string): unknown; header(name: string, value: string): unknown }): void {
  const vary = reply.getHeader('vary')
  if (typeof vary === 'string' && /accept-encoding/i.test(vary)) return
  reply.header('vary', vary ? `${vary}, Accept-Encoding` : 'Accept-Encoding')
}

/**
 * The better of our codings that an Accept-Encoding header allows; null when it allows none. Equal
 * weights: br.
 */
export function negotiateCoding(accepted: string | readonly string[] | undefined): ContentCoding | null {
  const weights = new Map<string, number>()
  for (const element of String(accepted ?? '')
    .toLowerCase()
    .split(',')) {
    const [name = '', ...attributes] = element.split(';').map((part) => part.trim())
    const quality = attributes.find((attribute) => attribute.startsWith('q='))
    weights.set(name, quality === undefined ? 1 : Number(quality.slice(2)) || 0)
  }
  const weightOf = (coding: ContentCoding) => weights.get(coding) ?? weights.get('*') ?? 0
  const [best, second]: readonly [ContentCoding, ContentCoding] =
    weightOf('gzip') > weightOf('br') ? ['gzip', 'br'] : ['br', 'gzip']
  return weightOf(best) > 0 ? best : weightOf(second) > 0 ? second : null
}
