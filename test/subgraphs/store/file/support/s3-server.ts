import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { SignatureV4 } from '@smithy/signature-v4'
import { type HttpServer, startHttpServer } from '../../../../support/http-server.ts'

export const CREDENTIALS = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
export const REGION = 'eu-west-1'

type Stored = { readonly bytes: Buffer; readonly type: string; readonly cacheControl: string | undefined }

export type S3Server = Pick<HttpServer, 'close'> & {
  readonly bucketUrl: string
  /** By key. */
  readonly objects: ReadonlyMap<string, Stored>
  /** Puts something else in the place of what arrives. */
  corrupt: boolean
  /** Milliseconds that the clock of the server is ahead. */
  ahead: number
  /** Secrets of the access keys that are valid, by id. */
  readonly accessKeys: Map<string, string>
  /** Objects that the policy of the bucket denies to an access key. */
  denied: (accessKeyId: string, key: string) => boolean
}

/**
 * One bucket on loopback that speaks the part of S3's protocol that we use. Requests are judged by
 * Amazon's own implementation of the signatures, which has to come to the same one; what is below
 * `public/` may be read by everybody, as by a bucket policy.
 */
export async function startS3Server(): Promise<S3Server> {
  const objects = new Map<string, Stored>()
  const accessKeys = new Map([[CREDENTIALS.accessKeyId, CREDENTIALS.secretAccessKey]])
  const state = { corrupt: false, ahead: 0, accessKeys, denied: (_accessKeyId: string, _key: string) => false }
  const server = await startHttpServer({
    '*': (request, response) => void answer(request, response).catch((error: unknown) => response.destroy(error as Error)),
  })
  return Object.assign(state, { bucketUrl: `${server.url}/bucket`, objects, close: server.close })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray())
    const url = new URL(request.url ?? '', server.url)
    const key = url.pathname.replace('/bucket/', '')
    const isPublic = request.method === 'GET' && key.startsWith('public/')
    if (!isPublic && !(await isSigned(request, url, { now: Date.now() + state.ahead, accessKeys })))
      return end(response, 403, 'AccessDenied')

    if (!isPublic && state.denied(accessKeyIdIn(request, url), key)) return end(response, 403, 'AccessDenied')

    if (request.method === 'PUT') {
      const bytes = state.corrupt ? Buffer.from('something else') : body
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      if (request.headers['x-amz-content-sha256'] !== sha256) return end(response, 400, 'XAmzContentSHA256Mismatch')
      objects.set(key, {
        bytes,
        type: request.headers['content-type'] ?? 'binary/octet-stream',
        cacheControl: request.headers['cache-control'],
      })
      return end(response, 200)
    }
    if (request.method === 'DELETE') {
      objects.delete(key)
      return end(response, 204)
    }
    const found = objects.get(key)
    if (!found) return end(response, 404, 'NoSuchKey')
    const disposition = url.searchParams.get('response-content-disposition')
    response
      .writeHead(200, {
        'content-type': found.type,
        'content-length': found.bytes.length,
        ...(found.cacheControl ? { 'cache-control': found.cacheControl } : {}),
        ...(disposition ? { 'content-disposition': disposition } : {}),
      })
      .end(found.bytes)
  }
}

function end(response: ServerResponse, status: number, code = ''): void {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(code && `<Error><Code>${code}</Code></Error>`)
}

/** What the library asks for; its constructor is called with a key, or without. */
class Sha256 {
  readonly #hash: Hash | Hmac
  constructor(key?: string | ArrayBuffer | ArrayBufferView) {
    const bytes = ArrayBuffer.isView(key) ? new Uint8Array(key.buffer, key.byteOffset, key.byteLength) : key
    this.#hash =
      bytes === undefined ? createHash('sha256') : createHmac('sha256', typeof bytes === 'string' ? bytes : new Uint8Array(bytes))
  }
  update(data: Uint8Array): void {
    this.#hash.update(data)
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest()
  }
  reset(): void {}
}

function accessKeyIdIn(request: IncomingMessage, url: URL): string {
  const credential = url.searchParams.get('X-Amz-Credential') ?? request.headers.authorization ?? ''
  return /^(?:.*Credential=)?([^/]+)\//.exec(credential)?.[1] ?? ''
}

type Judge = { readonly now: number; readonly accessKeys: ReadonlyMap<string, string> }

export async function isSigned(request: IncomingMessage, url: URL, { now, accessKeys }: Judge): Promise<boolean> {
  const accessKeyId = accessKeyIdIn(request, url)
  const secretAccessKey = accessKeys.get(accessKeyId)
  if (secretAccessKey === undefined) return false
  const credentials = { accessKeyId, secretAccessKey }
  const signer = new SignatureV4({ credentials, region: REGION, service: 's3', sha256: Sha256, uriEscapePath: false })
  const query = Object.fromEntries(url.searchParams)
  const plain = {
    method: request.method ?? '',
    protocol: url.protocol,
    hostname: url.hostname,
    port: Number(url.port),
    path: url.pathname,
  }
  const { 'X-Amz-Signature': presigned, ...rest } = query
  if (presigned !== undefined) {
    const begun = dateIn(query['X-Amz-Date'])
    const expiresIn = Number(query['X-Amz-Expires'])
    if (!(expiresIn >= 1 && expiresIn <= 604_800 && now < begun.getTime() + expiresIn * 1000)) return false
    const unsent = new Set(['x-amz-content-sha256'])
    const headers = { host: url.host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }
    const right = await signer.presign(
      { ...plain, query: withoutSigning(rest), headers },
      { signingDate: begun, expiresIn, unhoistableHeaders: unsent, unsignableHeaders: unsent },
    )
    return right.query?.['X-Amz-Signature'] === presigned
  }
  const { authorization = '' } = request.headers
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? []
  const headers = Object.fromEntries(names.map((name) => [name, String(request.headers[name])]))
  const begun = dateIn(headers['x-amz-date'])
  // What Amazon allows clocks to differ.
  if (!(Math.abs(now - begun.getTime()) < 900_000)) return false
  const right = await signer.sign({ ...plain, query, headers }, { signingDate: begun, signableHeaders: new Set(names) })
  return signatureIn(right.headers.authorization ?? '') === signatureIn(authorization)
}

const signatureIn = (authorization: string): string | undefined => /Signature=([0-9a-f]{64})$/.exec(authorization)?.[1]

const withoutSigning = (query: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(query).filter(([name]) => !name.startsWith('X-Amz-')))

/** `20261121T101940Z`; an invalid date for anything else. */
const dateIn = (text = ''): Date => new Date(text.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3:$4:$5'))
