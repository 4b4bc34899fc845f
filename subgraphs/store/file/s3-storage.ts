import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { AwsV4Signer } from 'aws4fetch'
import { create as contentDisposition } from 'content-disposition'
import { Agent, request } from '../../../platform/outbound/undici.ts'
import { type FileKey, FOREVER, isFileKey, isPrivate } from './file.ts'
import type { S3Credentials } from './s3-credentials.ts'
import type { FileStorage } from './storage.ts'

export type S3Options = {
  /**
   * The bucket itself, `https://bucket.s3.eu-west-1.amazonaws.com` or `https://host/bucket`,
   * without a slash at the end.
   */
  readonly bucketUrl: string
  readonly region: string
  /** The current access key, read for each signature. */
  readonly credentials: () => S3Credentials
  /** Public URL of the bucket's files, without a trailing slash; null: `bucketUrl`. */
  readonly publicUrl: string | null
}

/**
 * How long a connection, the beginning of an answer, and a pause within one may take. Milliseconds.
 */
const CONNECT_TIMEOUT_MS = 5_000
const IDLE_TIMEOUT_MS = 10_000

/**
 * Files in a bucket of any service with S3's protocol. Clients get them from there, without this
 * process. The bucket's policy must make keys below `public/` readable.
 */
export async function s3Storage({ bucketUrl, region, credentials, publicUrl }: S3Options): Promise<FileStorage> {
  const incoming = await mkdtemp(join(tmpdir(), 'atrium-files-'))
  const agent = new Agent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: IDLE_TIMEOUT_MS,
    bodyTimeout: IDLE_TIMEOUT_MS,
    connections: 32,
  })

  return {
    incoming,
    async put(key, { path, bytes, sha256, type }) {
      const body = createReadStream(path)
      const headers = {
        // The bucket compares it: an interrupted upload is not stored.
        'x-amz-content-sha256': sha256,
        'content-type': type,
        'content-length': String(bytes),
        ...(isPrivate(key) ? {} : { 'cache-control': FOREVER }),
      }
      try {
        const answer = await ask('PUT', key, headers, body)
        await answer.body.dump()
        if (answer.statusCode !== 200) throw unexpected('PUT', answer.statusCode)
      } finally {
        body.destroy()
        await rm(path, { force: true })
      }
    },
    async open(key) {
      const { statusCode, headers, body } = await ask('GET', key)
      if (statusCode === 200) return { body, bytes: Number(headers['content-length']) }
      await body.dump()
      if (statusCode === 404) return null
      throw unexpected('GET', statusCode)
    },
    async delete(key) {
      const { statusCode, body } = await ask('DELETE', key)
      await body.dump()
      if (statusCode !== 204 && statusCode !== 200 && statusCode !== 404) throw unexpected('DELETE', statusCode)
    },
    publicUrl: (key) => `${publicUrl ?? bucketUrl}/${key}`,
    async privateUrl(key, { name, seconds }) {
      const url = new URL(urlOf(key))
      url.searchParams.set('X-Amz-Expires', String(seconds))
      url.searchParams.set('response-content-disposition', contentDisposition(name))
      const signed = await signer({ method: 'GET', url: url.href, signQuery: true }).sign()
      return signed.url.href
    },
    async close() {
      await agent.close()
      await rm(incoming, { recursive: true, force: true })
    },
  }

  function urlOf(key: FileKey): string {
    if (!isFileKey(key)) throw new Error(`Expected the key of a stored file, got "${key}".`)
    return `${bucketUrl}/${key}`
  }

  function signer(what: {
    readonly method: string
    readonly url: string
    headers?: Record<string, string>
    signQuery?: boolean
  }) {
    return new AwsV4Signer({ ...what, ...credentials(), region, service: 's3' })
  }

  async function ask(method: 'PUT' | 'GET' | 'DELETE', key: FileKey, headers: Record<string, string> = {}, body?: Readable) {
    const signed = await signer({ method, url: urlOf(key), headers }).sign()
    return request(signed.url, {
      dispatcher: agent,
      method,
      headers: Object.fromEntries(signed.headers),
      ...(body ? { body } : {}),
    })
  }
}

/** The answer's body is not repeated: it may name what the key may not see. */
const unexpected = (method: string, status: number): Error =>
  new Error(`The S3 service answered a ${method} with status ${status}.`)
