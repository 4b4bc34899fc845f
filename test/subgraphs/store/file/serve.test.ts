import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHttpServer } from '../../../../platform/http/server.ts'
import { DOWNLOAD, type FileKind, IMAGE } from '../../../../subgraphs/store/file/file.ts'
import { type Files, type StoredFile, storeFiles } from '../../../../subgraphs/store/file/files.ts'
import { localStorage } from '../../../../subgraphs/store/file/local-storage.ts'
import { serveFiles } from '../../../../subgraphs/store/file/serve.ts'
import { fileSources } from '../../../../subgraphs/store/file/source.ts'
import { askRaw } from '../../../rest-facade/ask.ts'
import { PDF, PNG } from '../../../support/images.ts'

const folder = mkdtempSync(join(tmpdir(), 'atrium-files-test-'))
const app = createHttpServer({ log: pino({ level: 'silent' }) })
let url: string
let files: Files
/** Milliseconds that the server's clock is ahead. */
let ahead = 0
const clock = () => new Date(Date.now() + ahead)

beforeAll(async () => {
  const storage = await localStorage({ folder, publicUrl: 'https://shop.example', now: clock })
  serveFiles(app, storage, clock)
  await app.listen({ port: 0, host: '127.0.0.1' })
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  files = storeFiles(storage, fileSources({ resolvers: [] }))
})
afterAll(async () => {
  await app.close()
  await files.close()
  rmSync(folder, { recursive: true })
})

async function aFile(bytes: Buffer, kind: FileKind, name: string | null = null): Promise<StoredFile> {
  const result = await files.keep(`data:;base64,${bytes.toString('base64')}`, kind, { storeId: 1, name, record: async () => {} })
  if (result.kind !== 'kept') throw new Error(result.expectation)
  return result.file
}

/** Where a public URL leads on the server of the test. */
const pathOf = (publicUrl: string): string => publicUrl.replace('https://shop.example', '')

async function aPrivatePath(name = 'manual.pdf', seconds = 60): Promise<string> {
  const { key } = await aFile(PDF, DOWNLOAD)
  return pathOf(await files.privateUrl(key, { name, seconds }))
}

test('a picture is public, cached for ever, and served as a picture only', async () => {
  const { key } = await aFile(PNG, IMAGE)
  const answer = await askRaw(url, pathOf(files.publicUrl(key)))
  expect(answer.status).toBe(200)
  expect(answer.bytes).toEqual(PNG)
  expect(answer.headers).toMatchObject({
    'content-type': 'image/png',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    'accept-ranges': 'bytes',
  })
  const unchanged = await askRaw(url, `/files/${key}`, { headers: { 'if-none-match': answer.headers.etag ?? '' } })
  expect(unchanged.status).toBe(304)
  const head = await askRaw(url, `/files/${key}`, { method: 'HEAD' })
  expect([head.status, head.headers['content-length'], head.bytes.length]).toEqual([200, String(PNG.length), 0])
})

test('a range of a file is served on request', async () => {
  const { key } = await aFile(PNG, IMAGE)
  const part = await askRaw(url, `/files/${key}`, { headers: { range: 'bytes=1-3' } })
  expect([part.status, part.text, part.headers['content-range']]).toEqual([206, 'PNG', `bytes 1-3/${PNG.length}`])
  const beyond = await askRaw(url, `/files/${key}`, { headers: { range: 'bytes=900-' } })
  expect([beyond.status, beyond.headers['content-range'], beyond.headers['content-type']]).toEqual([
    416,
    `bytes */${PNG.length}`,
    'application/json; charset=utf-8',
  ])
})

test('a private file is a download by its signed URL, and is not cached by proxies', async () => {
  const answer = await askRaw(url, await aPrivatePath('Größe “L” \\ 1.pdf'))
  expect(answer.status).toBe(200)
  expect(answer.bytes).toEqual(PDF)
  expect(answer.headers).toMatchObject({
    'content-type': 'application/pdf',
    'cache-control': 'private, no-store',
    'content-disposition': expect.stringMatching(/^attachment; filename=.*; filename\*=UTF-8''Gr%C3%B6%C3%9Fe/),
  })
})

test('a signed URL allows one file under one name until one time', async () => {
  const path = await aPrivatePath()
  const { key: other } = await aFile(PDF, DOWNLOAD)
  const [mine = '', query = ''] = path.split('?')
  const changed: readonly string[] = [
    mine,
    `/files/${other}?${query}`,
    path.replace('manual', 'invoice'),
    path.replace(/expires=(\d+)/, (_, seconds) => `expires=${Number(seconds) + 1}`),
    path.replace(/signature=.*/, 'signature='),
    path.replace(/signature=.*/, `signature=${'A'.repeat(43)}`),
    path.replace('expires=', 'expires=0x'),
  ]
  for (const each of changed) expect((await askRaw(url, each)).status, each).toBe(403)
  expect((await askRaw(url, path)).status).toBe(200)
  ahead = 61_000
  const late = await askRaw(url, path)
  ahead = 0
  expect([late.status, late.json.error.message]).toEqual([403, 'Expected a URL that has not expired: ask for a new one.'])
})

test.each([
  '/files/.secret',
  '/files/../package.json',
  '/files/%2e%2e/package.json',
  '/files/public/1/../../.secret',
  '/files/public/1/%2e%2e/%2e%2e/.secret',
  '/files/public%2f1%2fab%2fab.png',
  '/files/public/1/ab/',
  `/files/public/1/ab/ab${'0'.repeat(30)}.png`,
  `/files/public/1/ab/ab${'0'.repeat(30)}.png%00.txt`,
  '/files//etc/passwd',
  '/files/',
])('%s is no file', async (path) => {
  const answer = await askRaw(url, path)
  expect([answer.status, answer.json.error.code]).toEqual([404, 'NOT_FOUND'])
})

test('files are read and never written over HTTP', async () => {
  const { key } = await aFile(PNG, IMAGE)
  for (const method of ['PUT', 'DELETE', 'POST']) expect((await askRaw(url, `/files/${key}`, { method })).status).toBe(405)
})

test('a name in a signed URL cannot add a header', async () => {
  const answer = await askRaw(url, await aPrivatePath('a"\r\nset-cookie: x=1\r\n.pdf'))
  expect(answer.status).toBe(200)
  expect(answer.headers['set-cookie']).toBeUndefined()
})
