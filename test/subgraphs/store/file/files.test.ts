import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../../../platform/config/config.ts'
import { fileStorageOf } from '../../../../subgraphs/store/file/configured.ts'
import { DOWNLOAD, type FileKind, fileName, IMAGE, isFileKey } from '../../../../subgraphs/store/file/file.ts'
import { type Files, storeFiles } from '../../../../subgraphs/store/file/files.ts'
import { localStorage } from '../../../../subgraphs/store/file/local-storage.ts'
import { s3Storage } from '../../../../subgraphs/store/file/s3-storage.ts'
import { fileSources, type SourceNetwork } from '../../../../subgraphs/store/file/source.ts'
import { fileVariables } from '../../../../subgraphs/store/file/variables.ts'
import { aCanary } from '../../../support/canary.ts'
import { type Answerer, a, aaaa, startDnsServer, zone } from '../../../support/dns-server.ts'
import { type Handler, redirect, startHttpServer } from '../../../support/http-server.ts'
import { AVIF, GIF, JPEG, PDF, PNG, SVG, WEBP } from '../../../support/images.ts'
import { CREDENTIALS, REGION, startS3Server } from './support/s3-server.ts'

const cleanups: (() => unknown)[] = []
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'atrium-files-test-'))
  cleanups.push(() => rmSync(folder, { recursive: true }))
})
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** Files in `folder`, from sources that may be asked on loopback. */
async function someFiles(network: SourceNetwork = { allow: ({ address }) => address === '127.0.0.1' }): Promise<Files> {
  const storage = await localStorage({ folder, publicUrl: 'https://shop.example' })
  const files = storeFiles(storage, fileSources({ resolvers: [], ...network }))
  cleanups.push(files.close)
  return files
}

/** A server that has these under their paths. */
async function aServer(routes: Readonly<Record<string, Handler | Buffer>>) {
  const server = await startHttpServer(
    Object.fromEntries(
      Object.entries(routes).map(([path, what]): [string, Handler] => [
        path,
        // The wrong type: nobody believes it.
        Buffer.isBuffer(what) ? (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(what) : what,
      ]),
    ),
  )
  cleanups.push(server.close)
  return server
}

const dataUrl = (bytes: Buffer, type = 'image/png') => `data:${type};base64,${bytes.toString('base64')}`

/** Every file below the folder but the secret. */
const storedFiles = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== '.secret')
    .map(({ name, parentPath }) => join(parentPath, name))

const store = { storeId: 7, record: async () => {} }
const keep = (files: Files, url: string, kind: FileKind = IMAGE) => files.keep(url, kind, store)

describe('accepted files', () => {
  test.each([
    ['PNG', PNG, 'image/png', 'png'],
    ['JPEG', JPEG, 'image/jpeg', 'jpg'],
    ['GIF', GIF, 'image/gif', 'gif'],
    ['WebP', WEBP, 'image/webp', 'webp'],
    ['AVIF', AVIF, 'image/avif', 'avif'],
  ])('a %s is an image, whatever its server says', async (_, bytes, type, extension) => {
    const files = await someFiles()
    const server = await aServer({ '/shop/front%20door.jpeg': bytes })
    const result = await keep(files, `${server.url}/shop/front%20door.jpeg`)
    expect(result).toMatchObject({ kind: 'kept', file: { type, bytes: bytes.length, name: 'front door.jpeg' } })
    if (result.kind !== 'kept') return
    const { key } = result.file
    expect(key).toMatch(new RegExp(`^public/7/../[0-9a-f]{32}\\.${extension}$`))
    expect(files.publicUrl(key)).toBe(`https://shop.example/files/${key}`)
    expect(readFileSync(join(folder, key))).toEqual(bytes)
  })

  test.each([
    ['SVG', SVG],
    ['PDF', PDF],
    ['HTML with the ending of a picture', Buffer.from('<html><script>alert(1)</script>')],
    ['nothing', Buffer.alloc(0)],
  ])('%s is no image', async (_, bytes) => {
    const files = await someFiles()
    const server = await aServer({ '/a.png': bytes })
    const result = await keep(files, `${server.url}/a.png`)
    expect(result).toMatchObject({ kind: 'refused', expectation: expect.stringMatching(/^to lead to a PNG, JPEG/) })
    expect(storedFiles()).toEqual([])
  })

  test('anything but nothing can be a download, and is private', async () => {
    const files = await someFiles()
    const server = await aServer({ '/a.svg': SVG, '/manual': PDF, '/none': Buffer.alloc(0) })
    expect(await keep(files, `${server.url}/a.svg`, DOWNLOAD)).toMatchObject({
      file: { key: expect.stringMatching(/^private\/.*\.bin$/), type: 'application/octet-stream', name: 'a.svg' },
    })
    expect(await keep(files, `${server.url}/manual`, DOWNLOAD)).toMatchObject({
      file: { type: 'application/pdf', name: 'manual' },
    })
    expect(await keep(files, `${server.url}/none`, DOWNLOAD)).toMatchObject({ kind: 'refused' })
    const named = await files.keep(`${server.url}/manual`, DOWNLOAD, { ...store, name: '../../etc/passwd' })
    expect(named).toMatchObject({ file: { name: 'etcpasswd' } })
  })

  test.each([
    ['in base64', dataUrl(PNG)],
    ['without a type', `data:;base64,${PNG.toString('base64')}`],
    ['with line ends', `DATA:image/png;BASE64,${PNG.toString('base64').replace(/.{20}/g, '$&\r\n')}`],
    ['with encoded signs', `data:image/png;base64,${encodeURIComponent(PNG.toString('base64'))}`],
  ])('a data URL %s is its own source', async (_, url) => {
    const result = await keep(await someFiles(), url)
    expect(result).toMatchObject({ kind: 'kept', file: { type: 'image/png', bytes: PNG.length, name: 'file.png' } })
  })

  test.each([
    ['another scheme', 'file:///etc/passwd'],
    ['no scheme', 'shop.example/a.png'],
    ['ftp', 'ftp://127.0.0.1/a.png'],
    ['a user', 'http://me:secret@127.0.0.1/a.png'],
    ['no host', 'http://'],
    ['nothing', ''],
    ['a data URL that is no base64', 'data:image/png;base64,%%%'],
    ['a data URL of text', 'data:text/plain,hello'],
    ['a NUL', 'http://127.0.0.1\0/a.png'],
  ])('%s is refused with a word about what is expected', async (_, url) => {
    expect(await keep(await someFiles(), url)).toMatchObject({ kind: 'refused', expectation: expect.stringMatching(/^to /) })
  })

  test.each([
    ['a/b\\c.pdf', 'abc.pdf'],
    ['  ..hidden. ', 'hidden'],
    ['\0\u202Efdp.exe', 'fdp.exe'],
    ['\uD800.pdf', 'pdf'],
    ['Übergröße 2.pdf', 'Übergröße 2.pdf'],
    [`${'x'.repeat(300)}.pdf`, `${'x'.repeat(96)}.pdf`],
    ['..', null],
  ])('the file name %j becomes %j', (given, name) => {
    expect(fileName(given)).toBe(name)
  })
})

describe('what arrives from outside', () => {
  test('five redirects are followed, six are not', async () => {
    const server = await aServer({
      '/end.png': PNG,
      ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((hop) => [`/${hop}`, redirect(hop === 1 ? '/end.png' : `/${hop - 1}`)])),
    })
    const files = await someFiles()
    expect(await keep(files, `${server.url}/5`)).toMatchObject({ kind: 'kept', file: { name: 'end.png' } })
    expect(await keep(files, `${server.url}/6`)).toMatchObject({ expectation: expect.stringMatching(/at most 5 redirects/) })
  })

  test('a status that is no success is reported', async () => {
    const server = await aServer({ '/gone': (_, response) => response.writeHead(410).end() })
    const files = await someFiles()
    expect(await keep(files, `${server.url}/gone`)).toEqual({
      kind: 'refused',
      expectation: 'to answer with status 200, got 410',
    })
    await server.close()
    expect(await keep(files, `${server.url}/gone`)).toEqual({ kind: 'refused', expectation: 'to be reachable' })
  })

  test.each([
    ['that says so', { 'content-length': '20000000' }],
    ['that does not', {}],
    ['that was packed', { 'content-encoding': 'gzip' }],
  ])('an image that is too large %s is refused, and leaves nothing behind', async (_, headers) => {
    const { gzipSync } = await import('node:zlib')
    const bytes = Buffer.concat([PNG, Buffer.alloc(11_000_000)])
    const sent = 'content-encoding' in headers ? gzipSync(bytes) : bytes
    const server = await aServer({ '/a.png': (_, response) => response.writeHead(200, headers).end(sent) })
    const files = await someFiles()
    expect(await keep(files, `${server.url}/a.png`)).toEqual({ kind: 'refused', expectation: 'to lead to at most 10 MB' })
    expect(storedFiles()).toEqual([])
  })

  test('a download that breaks off leaves nothing behind', async () => {
    const server = await aServer({
      '/a.png': (_, response) => {
        response.writeHead(200, { 'content-length': '100000' }).write(PNG, () => response.destroy())
      },
    })
    const files = await someFiles()
    expect(await keep(files, `${server.url}/a.png`)).toMatchObject({ kind: 'refused' })
    expect(storedFiles()).toEqual([])
  })

  test('a download that never ends is given up, and leaves nothing behind', async () => {
    const server = await aServer({ '/a.png': (_, response) => void response.writeHead(200).write(PNG) })
    const files = await someFiles()
    expect(await keep(files, `${server.url}/a.png`)).toEqual({
      kind: 'refused',
      expectation: 'to deliver everything within 8 seconds',
    })
    expect(storedFiles()).toEqual([])
  })

  test('one store cannot use all slots', async () => {
    const waiting: (() => void)[] = []
    const server = await aServer({
      '/slow': (_, response) => void waiting.push(() => response.end(PNG)),
      '/fast': PNG,
    })
    const files = await someFiles()
    const first = Array.from({ length: 10 }, () => keep(files, `${server.url}/slow`))
    while (waiting.length < 10) await sleep(5)
    expect(await keep(files, `${server.url}/fast`)).toMatchObject({
      kind: 'refused',
      expectation: expect.stringMatching(/try again/),
    })
    expect(await files.keep(dataUrl(PNG), IMAGE, { ...store, storeId: 8 })).toMatchObject({ kind: 'kept' })
    for (const go of waiting) go()
    for (const result of await Promise.all(first)) expect(result).toMatchObject({ kind: 'kept' })
  })
})

describe('what is not connected to', () => {
  const answers: Readonly<Record<string, Answerer>> = {
    'a private address': zone({ 'cdn.test A': a('cdn.test', '127.0.0.1') }),
    'a private IPv6 one': zone({ 'cdn.test AAAA': aaaa('cdn.test', '::1') }),
    'an IPv4 one in IPv6': zone({ 'cdn.test AAAA': aaaa('cdn.test', '::ffff:127.0.0.1') }),
    'the metadata service': zone({ 'cdn.test A': a('cdn.test', '169.254.169.254') }),
  }

  test.each(Object.keys(answers))('a name that leads to %s', async (why) => {
    const canary = await aCanary()
    const dns = await startDnsServer(answers[why] ?? zone({}))
    cleanups.push(canary.close, dns.close)
    // The port is all right, so that only the address can be what is wrong.
    const files = await someFiles({ resolvers: [dns], tlsPort: canary.port })
    const result = await keep(files, `http://cdn.test:${canary.port}/a.png`)
    expect(result).toMatchObject({ kind: 'refused', expectation: expect.stringMatching(/public address/) })
    // Names inside are not told apart from each other.
    expect(JSON.stringify(result)).not.toMatch(/127|10\.0|169|::1|loopback|private/)
    expect(canary.connections()).toBe(0)
  })

  test.each(['http://127.0.0.1', 'http://[::1]', 'http://localhost', 'http://2130706433', 'http://0x7f.1', 'http://0'])(
    '%s',
    async (host) => {
      const canary = await aCanary()
      const dns = await startDnsServer(zone({ 'localhost A': a('localhost', '127.0.0.1') }))
      cleanups.push(canary.close, dns.close)
      const files = await someFiles({ resolvers: [dns], tlsPort: canary.port })
      expect(await keep(files, `${host}:${canary.port}/a.png`)).toMatchObject({ kind: 'refused' })
      expect(canary.connections()).toBe(0)
    },
  )

  test('a redirect to a private address', async () => {
    const canary = await aCanary()
    cleanups.push(canary.close)
    const server = await aServer({ '/a.png': redirect(`http://127.0.0.1:${canary.port}/a.png`) })
    const files = await someFiles({ tlsPort: canary.port, allow: ({ port }) => port === server.port })
    expect(await keep(files, `${server.url}/a.png`)).toMatchObject({ expectation: expect.stringMatching(/public address/) })
    expect(server.requests).toEqual(['/a.png'])
    expect(canary.connections()).toBe(0)
  })

  test('a name of which one address is all right and another is not', async () => {
    const canary = await aCanary()
    const dns = await startDnsServer(zone({ 'cdn.test A': a('cdn.test', '127.0.0.2', '10.0.0.1') }))
    cleanups.push(canary.close, dns.close)
    const files = await someFiles({ resolvers: [dns], tlsPort: canary.port, allow: ({ address }) => address === '127.0.0.2' })
    await keep(files, `http://cdn.test:${canary.port}/a.png`)
    expect(canary.connections()).toBe(0)
  })

  test('a DNS name that changes its answer is resolved once', async () => {
    const canary = await aCanary()
    let requestCount = 0
    const dns = await startDnsServer(({ name, type }) =>
      name === 'cdn.test' && type === 'A' ? a(name, requestCount++ === 0 ? '127.0.0.2' : '127.0.0.1') : {},
    )
    cleanups.push(canary.close, dns.close)
    const files = await someFiles({ resolvers: [dns], tlsPort: canary.port, allow: ({ address }) => address === '127.0.0.2' })
    await keep(files, `http://cdn.test:${canary.port}/a.png`)
    // The first answer, which the test allows, is where the connection goes; the second is never
    // asked for.
    expect(dns.queries.filter((each) => each === 'cdn.test A')).toHaveLength(1)
    expect(canary.connections()).toBe(1)
  })
})

describe('a folder', () => {
  test('what is deleted is gone, and deleting it again is no error', async () => {
    const files = await someFiles()
    const result = await keep(files, dataUrl(PNG))
    if (result.kind !== 'kept') throw new Error(result.expectation)
    const opened = await files.open(result.file.key)
    expect(opened?.bytes).toBe(PNG.length)
    expect(Buffer.concat((await opened?.body.toArray()) ?? [])).toEqual(PNG)
    await files.delete(result.file.key)
    await files.delete(result.file.key)
    expect(await files.open(result.file.key)).toBeNull()
    expect(storedFiles()).toEqual([])
  })

  test('a key leads nowhere else', async () => {
    const files = await someFiles()
    for (const key of ['../secret', '.secret', 'public/7/../../.secret', '/etc/passwd', 'public/7/ab/ab.png', '']) {
      expect(isFileKey(key)).toBe(false)
      await expect(files.open(key)).rejects.toThrow(/key of a stored file/)
      await expect(async () => files.delete(key)).rejects.toThrow(/key of a stored file/)
    }
  })

  test('the next start deletes partial files of a killed process, and keeps those still being received', async () => {
    await someFiles()
    const [old, young] = ['old', 'young'].map((name) => join(folder, '.incoming', name))
    if (!old || !young) throw new Error('Expected two paths.')
    writeFileSync(old, 'x')
    writeFileSync(young, 'x')
    utimesSync(old, 0, Date.now() / 1000 - 7_200)
    await someFiles()
    expect([existsSync(old), existsSync(young)]).toEqual([false, true])
  })

  test('public files are readable by all users of the machine, private ones by their owner only', async () => {
    const files = await someFiles()
    for (const [kind, mode] of [
      [IMAGE, 0o644],
      [DOWNLOAD, 0o600],
    ] as const) {
      const result = await keep(files, dataUrl(PNG), kind)
      if (result.kind !== 'kept') throw new Error(result.expectation)
      expect(statSync(join(folder, result.file.key)).mode & 0o777).toBe(mode)
    }
  })

  test('processes with one folder share its secret, which only their user can read', async () => {
    const options = { folder, publicUrl: 'https://shop.example' }
    const all = await Promise.all(Array.from({ length: 8 }, () => localStorage(options)))
    expect(new Set(all.map(({ secret }) => Buffer.from(secret).toString('hex'))).size).toBe(1)
    expect(statSync(join(folder, '.secret')).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(folder, '.incoming'))).toEqual([])
  })
})

describe('a bucket', () => {
  async function aBucket() {
    const server = await startS3Server()
    const storage = await s3Storage({
      bucketUrl: server.bucketUrl,
      region: REGION,
      credentials: () => CREDENTIALS,
      publicUrl: null,
    })
    const files = storeFiles(storage, fileSources({ resolvers: [], allow: ({ address }) => address === '127.0.0.1' }))
    cleanups.push(server.close, files.close)
    return { server, storage, files }
  }

  async function storeFile(files: Files, url: string, kind: FileKind, name?: string) {
    const result = await files.keep(url, kind, name === undefined ? store : { ...store, name })
    if (result.kind !== 'kept') throw new Error(result.expectation)
    return result.file
  }

  test('stores a public file, which is served from the bucket and cached for ever', async () => {
    const { server, storage, files } = await aBucket()
    const { key } = await storeFile(files, dataUrl(PNG), IMAGE)
    expect(server.objects.get(key)).toMatchObject({ type: 'image/png', cacheControl: 'public, max-age=31536000, immutable' })
    const answer = await fetch(files.publicUrl(key))
    expect(answer.status).toBe(200)
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(PNG)
    expect(readdirSync(storage.incoming)).toEqual([])
    expect(Buffer.concat((await (await files.open(key))?.body.toArray()) ?? [])).toEqual(PNG)
  })

  test('serves a private file by a signed URL, until that expires', async () => {
    const { server, files } = await aBucket()
    const { key, name } = await storeFile(files, dataUrl(PDF), DOWNLOAD, 'Größe “L”.pdf')
    expect((await fetch(`${server.bucketUrl}/${key}`)).status).toBe(403)
    const url = await files.privateUrl(key, { name, seconds: 60 })
    const answer = await fetch(url)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; .*filename\*=UTF-8''Gr%C3%B6%C3%9Fe/)
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(PDF)
    expect((await fetch(url.replace('Expires=60', 'Expires=600'))).status).toBe(403)
    server.ahead = 61_000
    expect((await fetch(url)).status).toBe(403)
  })

  test('forgets what is deleted', async () => {
    const { server, files } = await aBucket()
    const { key } = await storeFile(files, dataUrl(PNG), IMAGE)
    await files.delete(key)
    await files.delete(key)
    expect(server.objects.size).toBe(0)
    expect(await files.open(key)).toBeNull()
  })

  test('stores nothing of an interrupted upload, and leaves no file here either', async () => {
    const { server, storage, files } = await aBucket()
    server.corrupt = true
    await expect(keep(files, dataUrl(PNG))).rejects.toThrow('The S3 service answered a PUT with status 400.')
    expect(server.objects.size).toBe(0)
    expect(readdirSync(storage.incoming)).toEqual([])
  })

  test('does not believe another secret', async () => {
    const { server } = await aBucket()
    const storage = await s3Storage({
      ...{ bucketUrl: server.bucketUrl, region: REGION, publicUrl: 'https://cdn.example/shop' },
      credentials: () => ({ accessKeyId: CREDENTIALS.accessKeyId, secretAccessKey: 'wrong' }),
    })
    const files = storeFiles(storage, fileSources({ resolvers: [] }))
    cleanups.push(files.close)
    await expect(keep(files, dataUrl(PNG))).rejects.toThrow('status 403')
    expect(files.publicUrl('public/7/ab/x.png')).toBe('https://cdn.example/shop/public/7/ab/x.png')
  })
})

describe('the configuration', () => {
  const options = () => ({ dataDir: folder, publicUrl: 'https://shop.example' })
  const bucket = { S3_BUCKET_URL: 'https://host/bucket/', S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 'b' }

  test('means a folder beside the database unless it names another, or a bucket', async () => {
    const beside = await fileStorageOf(readConfig(fileVariables, {}), options())
    expect(beside.local?.folder).toBe(join(folder, 'files'))
    const other = await fileStorageOf(readConfig(fileVariables, { FILES_DIR: join(folder, 'other') }), options())
    expect(other.local?.folder).toBe(join(folder, 'other'))
    const { storage, local } = await fileStorageOf(readConfig(fileVariables, bucket), options())
    cleanups.push(storage.close)
    expect([local, storage.publicUrl('public/1/x.png')]).toEqual([null, 'https://host/bucket/public/1/x.png'])
  })

  test('is refused with a sentence where it cannot work', async () => {
    const half = readConfig(fileVariables, { ...bucket, S3_SECRET_ACCESS_KEY: '' })
    await expect(fileStorageOf(half, options())).rejects.toThrow('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY')
    writeFileSync(join(folder, 'file'), '')
    const noFolder = readConfig(fileVariables, { FILES_DIR: join(folder, 'file') })
    await expect(fileStorageOf(noFolder, options())).rejects.toThrow(/^Expected to be able to write to the folder/)
    for (const url of ['s3://bucket', 'https://key:secret@host/bucket', 'https://host/bucket?x', 'bucket']) {
      expect(() => readConfig(fileVariables, { S3_BUCKET_URL: url })).toThrow('Expected S3_BUCKET_URL to be')
    }
  })
})
