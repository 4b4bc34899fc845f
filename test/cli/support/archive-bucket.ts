import { execFileSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { CREDENTIALS, isSigned } from '../../subgraphs/store/file/support/s3-server.ts'
import { startHttpServer } from '../../support/http-server.ts'

/** A bucket on loopback, over TLS, with what pgBackRest needs of S3's protocol. */
export type ArchiveBucket = {
  readonly port: number
  /** File with its certificate. */
  readonly certificate: string
  readonly objects: Map<string, Buffer>
  readonly close: () => Promise<void>
}

type Exchange = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly query: URLSearchParams
  readonly key: string
  readonly body: Buffer
}

/** Starts one; key and certificate are in `folder`. */
export async function startArchiveBucket(folder: string): Promise<ArchiveBucket> {
  const [key, certificate] = [join(folder, 'bucket-key.pem'), join(folder, 'bucket.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2']
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, ...subject], {
    stdio: 'ignore',
  })
  const objects = new Map<string, Buffer>()
  const uploads = new Map<string, Map<number, Buffer>>()
  const accessKeys = new Map([[CREDENTIALS.accessKeyId, CREDENTIALS.secretAccessKey]])
  const tls = { key: readFileSync(key, 'utf8'), cert: readFileSync(certificate, 'utf8') }
  const server = await startHttpServer({ '*': (request, response) => void answer(request, response) }, { tls })
  return { port: server.port, certificate, objects, close: server.close }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray())
    const url = new URL(request.url ?? '', server.url)
    if (!(await isSigned(request, url, { now: Date.now(), accessKeys }))) return end(response, 403)
    const object = decodeURIComponent(url.pathname.replace(/^\/bucket\/?/, ''))
    const exchange = { request, response, query: url.searchParams, key: object, body }
    const { method } = request
    if (method === 'GET' && exchange.query.has('list-type')) return list(exchange)
    if (method === 'GET' || method === 'HEAD') return read(exchange)
    if (method === 'POST') return post(exchange)
    if (method === 'PUT') return put(exchange)
    if (method === 'DELETE') objects.delete(object)
    return end(response, method === 'DELETE' ? 204 : 405)
  }

  function read({ request, response, key: object }: Exchange): undefined {
    const bytes = objects.get(object)
    if (!bytes) return end(response, 404)
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
    const part = from === undefined ? bytes : bytes.subarray(Number(from), to ? Number(to) + 1 : undefined)
    const headers = { 'content-length': part.length, 'last-modified': new Date().toUTCString() }
    response.writeHead(from === undefined ? 200 : 206, headers)
    response.end(request.method === 'HEAD' ? undefined : part)
  }

  function put({ response, query, key: object, body }: Exchange): undefined {
    const upload = uploads.get(query.get('uploadId') ?? '')
    if (upload) upload.set(Number(query.get('partNumber')), body)
    else objects.set(object, body)
    response.setHeader('etag', `"${createHash('md5').update(body).digest('hex')}"`)
    end(response, 200)
  }

  function post({ response, query, key: object, body }: Exchange): undefined {
    if (query.has('delete')) {
      for (const [, name = ''] of body.toString().matchAll(/<Key>([^<]+)<\/Key>/g)) objects.delete(name)
      return end(response, 200, '<DeleteResult/>')
    }
    if (query.has('uploads')) {
      const id = randomUUID()
      uploads.set(id, new Map())
      return end(response, 200, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
    }
    const parts = [...(uploads.get(query.get('uploadId') ?? '') ?? [])].sort(([one], [other]) => one - other)
    objects.set(object, Buffer.concat(parts.map(([, part]) => part)))
    end(response, 200, '<CompleteMultipartUploadResult><ETag>"whole"</ETag></CompleteMultipartUploadResult>')
  }

  function list({ response, query }: Exchange): undefined {
    const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter')]
    const folders = new Set<string>()
    const contents: string[] = []
    for (const [name, bytes] of objects) {
      if (!name.startsWith(prefix)) continue
      const cut = delimiter ? name.indexOf(delimiter, prefix.length) : -1
      if (cut >= 0) folders.add(name.slice(0, cut + 1))
      else
        contents.push(
          `<Contents><Key>${name}</Key><LastModified>${new Date().toISOString()}</LastModified><Size>${bytes.length}</Size></Contents>`,
        )
    }
    const prefixes = [...folders].map((name) => `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`)
    end(
      response,
      200,
      `<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}${prefixes.join('')}</ListBucketResult>`,
    )
  }
}

function end(response: ServerResponse, status: number, xml = ''): undefined {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(xml)
}
