import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ENVIRONMENT_SECRETS, rotateInFile, type Step } from '../../cli/secrets/env-file.ts'
import { CREDENTIALS, REGION, startS3Server } from '../subgraphs/store/file/support/s3-server.ts'
import { type Installation, installation } from './support/installation.ts'

// Each starts several processes, one after the other.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 })

let folder: string
let site: Installation | null
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'atrium-env-'))
  site = null
})
afterEach(async () => {
  await site?.end()
  rmSync(folder, { recursive: true, force: true })
})

const named = (name: string) => ENVIRONMENT_SECRETS.find((each) => each.name === name) ?? expect.fail(name)
const file = (): string => join(folder, 'atrium.env')
const rotated = (name: string, step: Step): string[] => {
  rotateInFile(file(), named(name), step)
  return readFileSync(file(), 'utf8').split('\n')
}

test.each(['link', 'secrets-key'])(
  '%s: another value is known, then used, then alone; the rest of the file stays as it is',
  (name) => {
    const { variable, generate } = named(name)
    const old = generate()
    writeFileSync(file(), `# ours\nPORT=4000\nexport ${variable}="${old}"\nHOST=0.0.0.0\n`, { mode: 0o640 })
    const [, , added = ''] = rotated(name, 'add')
    const fresh = added.split(',')[1] ?? ''
    expect(fresh.length).toBeGreaterThanOrEqual(43)
    expect(added).toBe(`export ${variable}=${old},${fresh}`)
    expect(() => rotated(name, 'add')).toThrow(/a rotation is in progress/)
    expect(rotated(name, 'promote')[2]).toBe(`export ${variable}=${fresh},${old}`)
    expect(rotated(name, 'finish')).toEqual(['# ours', 'PORT=4000', `export ${variable}=${fresh}`, 'HOST=0.0.0.0', ''])
    expect(statSync(file()).mode & 0o777).toBe(0o640)
    expect(() => rotated(name, 'promote')).toThrow(/start the rotation without --promote/)
  },
)

test('console: the second value is in a variable of its own', () => {
  const old = 'o'.repeat(40)
  writeFileSync(file(), `CONSOLE_SECRET=${old}\n`)
  const [, second = ''] = rotated('console', 'add')
  const fresh = second.replace('CONSOLE_SECRET_PREVIOUS=', '')
  expect(fresh).toMatch(/^[0-9a-f]{64}$/)
  expect(rotated('console', 'promote')).toEqual([`CONSOLE_SECRET=${fresh}`, `CONSOLE_SECRET_PREVIOUS=${old}`, ''])
  expect(rotated('console', 'finish')).toEqual([`CONSOLE_SECRET=${fresh}`, ''])
})

test('operations: there is one value; a file without the variable, or no file, is refused and stays', () => {
  writeFileSync(file(), 'OPERATIONS_TOKEN=the-token-until-now\n')
  expect(rotated('operations', 'add')).toEqual([expect.stringMatching(/^OPERATIONS_TOKEN=[0-9a-f]{64}$/), ''])
  expect(() => rotated('link', 'add')).toThrow(/Expected the file to set LINK_SECRET/)
  expect(() => rotateInFile(join(folder, 'none'), named('link'), 'add')).toThrow(/cannot be read/)
})

test('the commands print no secret, and the last step of secrets-key is refused while something is under another key', async () => {
  site = await installation({ hasStore: false })
  const { out: generated } = await site.command(['secrets', 'generate'])
  const old = generated.trim()
  expect(Buffer.from(old, 'base64')).toHaveLength(32)
  writeFileSync(file(), `SECRETS_KEY=${old}\n`)
  await site.command(['store', 'create', '--name', 'A shop', '--empty'], { SECRETS_KEY: old })
  const rotate = ['secrets', 'rotate', 'secrets-key', '--env-file', file()]
  const keys = (): string => /SECRETS_KEY=(.*)/.exec(readFileSync(file(), 'utf8'))?.[1] ?? ''
  const outputs = [await site.command(rotate, { SECRETS_KEY: old })]
  outputs.push(await site.command([...rotate, '--promote'], { SECRETS_KEY: keys() }))
  const refused = await site.command([...rotate, '--finish'], { SECRETS_KEY: keys() })
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringMatching(/^Expected everything to be encrypted .* run `atrium secrets reencrypt`/),
  ])
  outputs.push(await site.command(['secrets', 'reencrypt'], { SECRETS_KEY: keys() }))
  outputs.push(await site.command(['secrets', 'status'], { SECRETS_KEY: keys() }))
  const all = keys().split(',')
  outputs.push(await site.command([...rotate, '--finish'], { SECRETS_KEY: keys() }))
  expect(outputs.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0])
  expect(keys()).toBe(all[0])
  const printed = outputs.map(({ out, err }) => out + err).join('')
  for (const key of all) expect(printed).not.toContain(key)
  expect(printed).toMatch(/hooks tokens +1 rows: 1 under the first key, 0 under older ones, 0 plain, 0 unreadable/)
})

test('the secret of a bucket works as it is and as `seal` encrypts it, and `check-s3` finds out before it goes into use', async () => {
  site = await installation()
  const bucket = await startS3Server()
  try {
    const { out: key } = await site.command(['secrets', 'generate'])
    const env = {
      SECRETS_KEY: key.trim(),
      S3_BUCKET_URL: bucket.bucketUrl,
      S3_REGION: REGION,
      S3_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    }
    const { out: sealed } = await site.command(['secrets', 'seal'], env, `${CREDENTIALS.secretAccessKey}\n`)
    expect(sealed).toMatch(/^v1:/)
    const check = async (secret: string, other: NodeJS.ProcessEnv = {}) =>
      (await site?.command(['secrets', 'check-s3'], { ...env, S3_SECRET_ACCESS_KEY: secret, ...other })) ?? expect.fail()
    expect((await check(CREDENTIALS.secretAccessKey)).out).toBe('The access key can write, read and delete.\n')
    expect((await check(sealed.trim())).code).toBe(0)
    expect(bucket.objects.size).toBe(0)
    const wrong = await check('wrong')
    expect([wrong.code, wrong.err]).toEqual([
      1,
      'The access key cannot be used: The S3 service answered a PUT with status 403.\n',
    ])
    const strange = await check(sealed.trim(), { SECRETS_KEY: Buffer.alloc(32, 1).toString('base64') })
    expect([strange.code, strange.err]).toEqual([
      1,
      'Expected S3_SECRET_ACCESS_KEY to be encrypted under a key of SECRETS_KEY, or not at all.\n',
    ])
  } finally {
    await bucket.close()
  }
})

test('the role of the database is replaced as docs/secrets.md says, and everything works throughout', async () => {
  site = await installation()
  const page = readFileSync(join(import.meta.dirname, '../../docs/secrets.md'), 'utf8').split('## The database')[1] ?? ''
  const blocks = [...page.matchAll(/```sql\n(.*?)```/gs)].map(([, sql = '']) => sql)
  expect(blocks).toHaveLength(3)
  const [once = '', next = '', gone = ''] = blocks
  const { connectionString } = site.database.connection as { connectionString: string }
  const owner = `atrium_${process.pid}`
  // Roles belong to the whole server, which other tests use as well.
  const run = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString })
    await client.connect()
    try {
      await client.query(sql.replaceAll(/\batrium(?=_[ab]\b|\b)/g, owner))
    } finally {
      await client.end()
    }
  }
  const as = (role: string): string => {
    const url = new URL(connectionString)
    url.username = `${owner}_${role}`
    url.password = role === 'a' ? 'first password' : 'second password'
    return url.href
  }
  const shops = (role: string, name: string) =>
    site?.command(['store', 'create', '--name', name, '--empty'], { DATABASE_URL: as(role) })
  try {
    await run(`CREATE ROLE atrium LOGIN; ALTER DATABASE ${site.database.name} OWNER TO atrium`)
    const schemas = ['directory', 'gateway', 'social', 'store', 'trust', 'public']
    await run(schemas.map((schema) => `ALTER SCHEMA ${schema} OWNER TO atrium`).join(';'))
    await run(`DO $$ DECLARE each record; BEGIN
      FOR each IN SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('directory', 'gateway', 'social', 'store', 'trust') LOOP
        EXECUTE format('ALTER TABLE %I.%I OWNER TO atrium', each.schemaname, each.tablename);
      END LOOP; END $$`)
    await run(once)
    const first = await site.start({ DATABASE_URL: as('a') })
    await run(next)
    expect((await shops('b', 'Second'))?.code).toBe(0)
    expect((await shops('a', 'First'))?.code).toBe(0)
    const second = await site.start({ DATABASE_URL: as('b') })
    for (const copy of [first, second]) expect((await fetch(`${copy.base}/ready`)).status).toBe(200)
    await first.kill()
    await run(gone)
    expect((await fetch(`${second.base}/ready`)).status).toBe(200)
    const signUp =
      'mutation { createUser(input: { email: "a@example.org", name: "A", password: "correct horse" }) { user { name } } }'
    expect((await second.graph(signUp)).data.createUser.user.name).toBe('A')
    expect((await shops('a', 'Nobody'))?.code).toBe(1)
    // What the first role has made belongs to the role of all.
    const owners = await site.sql(
      "SELECT DISTINCT tableowner AS owner FROM pg_tables WHERE schemaname IN ('directory', 'gateway', 'social', 'store', 'trust', 'store_jobs', 'directory_jobs')",
    )
    expect(owners).toEqual([{ owner }])
    await second.kill()
  } finally {
    await run(`REASSIGN OWNED BY atrium TO CURRENT_USER; DROP OWNED BY atrium`).catch(() => {})
    for (const role of ['atrium_a', 'atrium_b', 'atrium']) await run(`DROP ROLE IF EXISTS ${role}`).catch(() => {})
  }
})
