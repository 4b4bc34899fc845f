import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readConfig } from '../../platform/config/config.ts'
import { secretCipher } from '../../platform/secrets/cipher.ts'
import { fileStorageOf } from '../../subgraphs/store/file/configured.ts'
import { S3_SECRET_PLACE } from '../../subgraphs/store/file/s3-credentials.ts'
import { fileVariables } from '../../subgraphs/store/file/variables.ts'
import { CREDENTIALS, REGION, type S3Server, startS3Server } from '../subgraphs/store/file/support/s3-server.ts'
import { type Installation, installation } from './support/installation.ts'

// Each starts several processes, one after the other.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 })

const NEXT = { accessKeyId: 'AKIANEXTNEXTNEXTNEXT', secretAccessKey: 'bPxRfiCYEXAMPLEKEY/wJalrXUtnFEMI+K7MDENG' }

let folder: string
let site: Installation
let bucket: S3Server
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'atrium-env-'))
  site = await installation()
  bucket = await startS3Server()
  bucket.accessKeys.set(NEXT.accessKeyId, NEXT.secretAccessKey)
})
afterEach(async () => {
  await bucket.close()
  await site.end()
  rmSync(folder, { recursive: true, force: true })
})

const lines = ({ accessKeyId, secretAccessKey }: typeof NEXT): string =>
  `S3_ACCESS_KEY_ID=${accessKeyId}\nS3_SECRET_ACCESS_KEY=${secretAccessKey}\n`
const written = (name: string, content: string): string => {
  const path = join(folder, name)
  writeFileSync(path, content, { mode: 0o600 })
  return path
}
const rotate = (words: readonly string[], env: NodeJS.ProcessEnv = {}, input = '') =>
  site.command(['secrets', 'rotate', 's3', ...words], { S3_BUCKET_URL: bucket.bucketUrl, S3_REGION: REGION, ...env }, input)

test('a new access key replaces the current one in the file, and a second run changes nothing', async () => {
  const env = written('atrium.env', `PORT=4000\n${lines(CREDENTIALS)}`)
  const key = written('key', lines(NEXT))
  const first = await rotate(['--key-file', key, '--env-file', env])
  expect([first.code, first.err]).toEqual([0, ''])
  expect(first.out).toMatch(new RegExp(`Restart every process .* Delete ${CREDENTIALS.accessKeyId} at the provider after 20`))
  expect(readFileSync(env, 'utf8')).toBe(`PORT=4000\n${lines(NEXT)}`)
  expect(statSync(env).mode & 0o777).toBe(0o600)
  const again = await rotate(['--key-file', '-', '--env-file', env, '--json'], {}, lines(NEXT))
  expect([again.code, JSON.parse(again.out)]).toEqual([0, expect.objectContaining({ former: null, deleteAfter: null })])
  expect(readFileSync(env, 'utf8')).toBe(`PORT=4000\n${lines(NEXT)}`)
  expect(bucket.objects.size).toBe(0)
  for (const secret of [CREDENTIALS.secretAccessKey, NEXT.secretAccessKey]) {
    expect(first.out + first.err + again.out + again.err).not.toContain(secret)
  }
})

test('a secret that was encrypted stays so', async () => {
  const key = Buffer.alloc(32, 7)
  const cipher = secretCipher([key])
  const sealed = cipher.encrypt(S3_SECRET_PLACE, CREDENTIALS.secretAccessKey)
  const env = written(
    'atrium.env',
    `SECRETS_KEY=${key.toString('base64')}\n${lines({ ...CREDENTIALS, secretAccessKey: sealed })}`,
  )
  expect((await rotate(['--key-file', written('key', lines(NEXT)), '--env-file', env])).code).toBe(0)
  const [, stored = ''] = /S3_SECRET_ACCESS_KEY=(.*)/.exec(readFileSync(env, 'utf8')) ?? []
  expect(stored).toMatch(/^v1:/)
  expect(cipher.decrypt(S3_SECRET_PLACE, stored)).toBe(NEXT.secretAccessKey)
})

test('nothing changes where the new access key, or the one until now, cannot be used; only an emergency does without the latter', async () => {
  const env = written('atrium.env', lines(CREDENTIALS))
  const key = written('key', lines(NEXT))
  bucket.accessKeys.delete(NEXT.accessKeyId)
  const wrong = await rotate(['--key-file', key, '--env-file', env])
  expect([wrong.code, wrong.err]).toEqual([
    1,
    'The new access key cannot be used: The S3 service answered a PUT with status 403.\n',
  ])
  expect((await rotate(['--key-file', key, '--env-file', env, '--emergency'])).code).toBe(1)
  bucket.accessKeys.set(NEXT.accessKeyId, NEXT.secretAccessKey).delete(CREDENTIALS.accessKeyId)
  const gone = await rotate(['--key-file', key, '--env-file', env])
  expect([gone.code, gone.err]).toEqual([1, expect.stringMatching(/^The access key until now cannot be used: .* 403/)])
  expect(readFileSync(env, 'utf8')).toBe(lines(CREDENTIALS))
  const emergency = await rotate(['--key-file', key, '--env-file', env, '--emergency'])
  expect([emergency.code, emergency.out]).toEqual([
    0,
    expect.stringContaining(`delete ${CREDENTIALS.accessKeyId} at the provider at once`),
  ])
  expect(readFileSync(env, 'utf8')).toBe(lines(NEXT))
})

test('a stored file that only the access key until now can read stops the rotation; one that is missing does not', async () => {
  const { out } = await site.command(['store', 'create', '--name', 'A shop', '--empty', '--json'])
  expect(JSON.parse(out).code).toBeTruthy()
  const stored = 'private/1/ab/ab000000000000000000000000000000.bin'
  const insert = (key: string) =>
    site.sql(
      `INSERT INTO store.file (store_id, key, is_public, content_type, byte_count, sha256, filename, created_at)
       SELECT id, $1, false, 'application/octet-stream', 4, '\\x00', 'x', now() FROM store.store LIMIT 1`,
      [key],
    )
  await insert('private/1/cd/cd000000000000000000000000000000.bin')
  await insert(stored)
  const objects = bucket.objects as Map<string, { bytes: Buffer; type: string; cacheControl: undefined }>
  objects.set(stored, { bytes: Buffer.from('file'), type: 'application/octet-stream', cacheControl: undefined })
  const env = written('atrium.env', lines(CREDENTIALS))
  const key = written('key', lines(NEXT))
  bucket.denied = (id, path) => id === NEXT.accessKeyId && path === stored
  const refused = await rotate(['--key-file', key, '--env-file', env])
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(`cannot read the stored file ${stored}`)])
  bucket.denied = () => false
  expect((await rotate(['--key-file', key, '--env-file', env])).code).toBe(0)
})

test('a running process with S3_CREDENTIALS_FILE uses the new access key within a second, and the one until now no more', async () => {
  const file = written('credentials', lines(CREDENTIALS))
  const config = readConfig(fileVariables, { S3_BUCKET_URL: bucket.bucketUrl, S3_REGION: REGION, S3_CREDENTIALS_FILE: file })
  const { storage } = await fileStorageOf(config, { dataDir: folder, publicUrl: '' })
  const signer = async (): Promise<string | null> => {
    const url = await storage.privateUrl('private/1/ab/ab000000000000000000000000000000.bin', { name: 'x', seconds: 60 })
    return new URL(url).searchParams.get('X-Amz-Credential')?.split('/')[0] ?? null
  }
  try {
    expect(await signer()).toBe(CREDENTIALS.accessKeyId)
    const { code, out } = await rotate(['--key-file', '-', '--emergency'], { S3_CREDENTIALS_FILE: file }, lines(NEXT))
    expect([code, out]).toEqual([0, expect.stringContaining('Running processes use it within a second.')])
    await expect.poll(signer).toBe(NEXT.accessKeyId)
    // A file that is half written, or gone, is no reason to stop.
    writeFileSync(file, 'S3_ACCESS_KEY_ID=')
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    expect(await signer()).toBe(NEXT.accessKeyId)
  } finally {
    await storage.close()
  }
})

test('what the command cannot work with is refused with a sentence', async () => {
  const env = written('atrium.env', lines(CREDENTIALS))
  const cases: [string[], NodeJS.ProcessEnv, RegExp][] = [
    [['--key-file', written('half', 'S3_ACCESS_KEY_ID=x'), '--env-file', env], {}, /^Expected .*half to hold lines of/],
    [['--key-file', join(folder, 'none'), '--env-file', env], {}, /cannot be read/],
    [['--key-file', written('key', lines(NEXT))], {}, /^Expected --env-file, because S3_CREDENTIALS_FILE is not set/],
    [['--key-file', join(folder, 'key'), '--env-file', env], { S3_BUCKET_URL: '' }, /^Expected S3_BUCKET_URL to be set/],
    [
      ['--key-file', join(folder, 'key'), '--env-file', written('empty', 'PORT=1\n')],
      {},
      /^Expected .*empty to set S3_ACCESS_KEY_ID/,
    ],
    [
      ['--key-file', join(folder, 'key'), '--env-file', env],
      { S3_CREDENTIALS_FILE: env },
      /^Expected either S3_CREDENTIALS_FILE/,
    ],
  ]
  for (const [words, other, message] of cases) {
    const { code, err } = await rotate(words, other)
    expect([code, err]).toEqual([1, expect.stringMatching(message)])
  }
})
