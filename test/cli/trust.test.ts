import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aBadHost, aGoodHost, snapshotAbout, startTrust, type Trust } from '../subgraphs/trust/support/trust.ts'

const ATRIUM = join(import.meta.dirname, '../../cli/atrium.ts')
const folder = mkdtempSync(join(tmpdir(), 'atrium-trust-'))

let trust: Trust
beforeAll(async () => {
  trust = await startTrust()
})
afterAll(async () => {
  await trust.close()
  rmSync(folder, { recursive: true })
})

/** Runs `npx atrium trust …` on the database of this test, without a network to ask. */
async function atrium(...words: string[]) {
  const { connectionString } = trust.database.connection as { connectionString: string }
  const env = {
    ...process.env,
    DATABASE_URL: connectionString,
    LOG_LEVEL: 'silent',
    TRUST_LISTS: 'none',
    TRUST_DNS_SERVERS: '127.0.0.1:9',
  }
  const child = spawn(process.execPath, [ATRIUM, 'trust', ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ])
  return { out, err, code }
}
const works = async (secret: string) => {
  const caller = { requestId: 'r', address: '127.0.0.1', credentials: { 'x-api-key': secret } }
  return (await trust.ask('{ trustUsage { plan } }', {}, caller)).data?.trustUsage?.plan ?? null
}

test('a key is made, listed, rotated and revoked, and shown only once', async () => {
  const made = await atrium('key', 'create', '--plan', 'free', '--name', 'Ann', '--json')
  expect([made.code, made.err]).toEqual([0, ''])
  const { key, id, plan } = JSON.parse(made.out)
  expect([key, plan]).toEqual([expect.stringMatching(/^sk_[\w-]{43}$/), 'free'])
  expect(await works(key)).toBe('FREE')

  const list = await atrium('key', 'list')
  expect(list.out).toContain('Ann')
  expect(list.out).not.toContain(key)

  const rotated = (await atrium('key', 'rotate', id)).out.trim()
  expect([await works(key), await works(rotated)]).toEqual([null, 'FREE'])
  const kept = JSON.parse((await atrium('key', 'rotate', id, '--grace-hours', '1', '--json')).out).key
  expect([await works(rotated), await works(kept)]).toEqual(['FREE', 'FREE'])

  expect((await atrium('key', 'revoke', id)).out).toBe('"Ann" is revoked.\n')
  expect([await works(rotated), await works(kept)]).toEqual([null, null])
  expect((await atrium('key', 'rotate', id)).err).toBe(`There is no key in use with the id "${id}".\n`)
  expect(await atrium('key', 'revoke', '7')).toMatchObject({
    code: 1,
    err: 'Expected the id of a key as `atrium trust key list` shows it, got "7".\n',
  })
  expect((await atrium('key', 'create', '--plan', 'golden')).code).toBe(2)
})

test('check decides without a network and says how little that is worth', async () => {
  const { out, code } = await atrium('check', 'https://Example.com/path', '--explain')
  expect(code).toBe(0)
  expect(out).toMatch(/^example\.com\n\n {2}SANDBOX/)
  expect(out).toMatch(/trust +[█░]{24} +0 /)
  expect(out).toContain('How certain: high uncertainty')
  expect(out).toContain('its name could not be looked up')
  expect(out).toMatch(/policy open +PROCEED WITH CAUTION/)
  expect(out).toMatch(/Points[\s\S]*Policy +p_/)
  expect(JSON.parse((await atrium('check', 'localhost', '--json')).out)).toMatchObject({
    action: 'deny',
    target: { host: 'localhost' },
  })
  expect(await atrium('check', 'ftp://example.com')).toMatchObject({ code: 1, err: 'Expected the scheme to be http or https.\n' })
})

test('feeds status lists what there is', async () => {
  const states = JSON.parse((await atrium('feeds', 'status', '--json')).out)
  expect(states.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['rdap', 'dns', 'tls', 'feeds']))
})

test('evaluate counts actions by label, and shows the worst misses', async () => {
  const at = 1_790_000_000
  const file = join(folder, 'names.jsonl')
  const rows = [
    { host: 'good.example.com', label: 'benign', snapshot: snapshotAbout('good.example.com', at, aGoodHost(at)) },
    { host: 'listed.example.com', label: 'benign', snapshot: snapshotAbout('listed.example.com', at, aBadHost(at)) },
    { host: 'bad.example.com', label: 'phishing', snapshot: snapshotAbout('bad.example.com', at, aBadHost(at)) },
    { host: 'no host', label: 'phishing' },
  ]
  writeFileSync(file, rows.map((row) => JSON.stringify(row)).join('\n'))
  const { table, misses } = JSON.parse((await atrium('evaluate', file, '--json')).out)
  expect(table.map(({ label, counts }: { label: string; counts: object }) => [label, counts])).toMatchObject([
    ['benign', { proceed: 1, deny: 1, refused: 0 }],
    ['phishing', { deny: 1, refused: 1 }],
  ])
  expect(misses[0].worst[0]).toMatchObject({ host: 'listed.example.com', action: 'deny' })
  expect((await atrium('evaluate', file)).out).toMatch(/benign +50\.0 %/)
  writeFileSync(file, '{"host": 5}')
  expect((await atrium('evaluate', file)).err).toContain('line 1: Expected {host, label} as strings')
})
