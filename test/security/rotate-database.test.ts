import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readPassword } from '../../platform/database/embedded/authentication.ts'
import { type Installation, installation } from './support/installation.ts'

// Each starts several processes, one after the other.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 })

/** A server that trusts every connection cannot refuse a former password. */
const refusesWrongPasswords = await refusesWrong(process.env.DATABASE_URL)

let folder: string
let site: Installation
/** Of this test only: roles belong to the whole server, which other tests use as well. */
let owner: string
let serverUrl: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'atrium-env-'))
  site = await installation()
  serverUrl = (site.database.connection as { connectionString: string }).connectionString
  owner = `rotated_${process.pid}_${Date.now()}`
  await site.sql(`CREATE ROLE ${owner} LOGIN PASSWORD 'first password' CONNECTION LIMIT 50`)
  await site.sql(`ALTER ROLE ${owner} SET search_path TO "$user", public`)
  await site.sql(`ALTER DATABASE ${site.database.name} OWNER TO ${owner}`)
  await site.sql(`DO $$ DECLARE each record; BEGIN
    FOR each IN SELECT nspname FROM pg_namespace WHERE nspname IN ('directory', 'gateway', 'social', 'store', 'trust', 'public') LOOP
      EXECUTE format('ALTER SCHEMA %I OWNER TO ${owner}', each.nspname);
    END LOOP;
    FOR each IN SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('directory', 'gateway', 'social', 'store', 'trust') LOOP
      EXECUTE format('ALTER TABLE %I.%I OWNER TO ${owner}', each.schemaname, each.tablename);
    END LOOP; END $$`)
})
afterEach(async () => {
  await site.sql(`REASSIGN OWNED BY ${owner} TO CURRENT_USER; DROP OWNED BY ${owner}`)
  for (const role of [`${owner}_a`, `${owner}_b`, `${owner}_admin`, owner]) {
    await site.sql(
      `DO $$ BEGIN IF EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN DROP OWNED BY ${role}; END IF; END $$`,
    )
  }
  for (const role of [`${owner}_a`, `${owner}_b`, `${owner}_admin`, owner]) await site.sql(`DROP ROLE IF EXISTS ${role}`)
  await site.end()
  rmSync(folder, { recursive: true, force: true })
})

async function refusesWrong(serverUrl: string | undefined): Promise<boolean> {
  if (serverUrl === undefined) return true
  const url = new URL(serverUrl)
  url.password = 'a wrong password'
  const client = new pg.Client({ connectionString: url.href })
  try {
    await client.connect()
    return false
  } catch {
    return true
  } finally {
    await client.end()
  }
}

const urlOf = (user: string, password: string): string => {
  const url = new URL(serverUrl)
  url.username = user
  url.password = password
  return url.href
}
const file = (name: string, content: string): string => {
  const path = join(folder, name)
  writeFileSync(path, content, { mode: 0o600 })
  return path
}
/** An environment file that begins with the first password, and the file of the administrator. */
const files = () => ({
  env: file('atrium.env', `PORT=4000\nDATABASE_URL='${urlOf(owner, 'first password')}'\n`),
  admin: file('admin', `${serverUrl}\n`),
})
const urlIn = (env: string): string => /DATABASE_URL='(.*)'/.exec(readFileSync(env, 'utf8'))?.[1] ?? ''
const rotate = (words: readonly string[], env: NodeJS.ProcessEnv = {}, input = '') =>
  site.command(['secrets', 'rotate', 'database', ...words], env, input)

/** Who logs in by the URL, and acts as whom; null: nobody. */
async function whoBy(url: string): Promise<string | null> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query("SELECT session_user || ' as ' || current_user AS who")
    return rows[0].who
  } catch {
    return null
  } finally {
    await client.end().catch(() => {})
  }
}

async function connectedBy(url: string): Promise<{ readonly isOpen: () => Promise<boolean>; readonly end: () => Promise<void> }> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return {
    isOpen: () =>
      client.query('SELECT 1').then(
        () => true,
        () => false,
      ),
    end: () => client.end().catch(() => {}),
  }
}

test.runIf(refusesWrongPasswords)(
  'two roles take turns: both can log in until the last step, and the server keeps running',
  async () => {
    const { env, admin } = files()
    const words = ['--env-file', env, '--admin-url-file', admin]
    const first = urlIn(env)
    const before = await site.start({ DATABASE_URL: first })
    const added = await rotate(words)
    expect([added.code, added.err]).toEqual([0, ''])
    expect(added.out).toContain(`then: npx atrium secrets rotate database --finish --env-file ${env}`)
    const second = urlIn(env)
    expect(readFileSync(env, 'utf8')).toBe(`PORT=4000\nDATABASE_URL='${second}'\n`)
    expect([await whoBy(first), await whoBy(second)]).toEqual([`${owner} as ${owner}`, `${owner}_a as ${owner}`])
    const { rows } = {
      rows: await site.sql('SELECT rolconnlimit AS "limit", rolconfig AS settings FROM pg_roles WHERE rolname = $1', [
        `${owner}_a`,
      ]),
    }
    expect(rows).toEqual([{ limit: 50, settings: ['search_path="$user", public', `role=${owner}`] }])

    const after = await site.start({ DATABASE_URL: second })
    const early = await rotate([...words, '--finish'])
    expect([early.code, early.err]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^\\d+ connections still use the role "${owner}"`)),
    ])
    expect((await fetch(`${before.base}/ready`)).status).toBe(200)
    const again = await rotate(words)
    expect([again.code, again.err]).toEqual([1, `A rotation has begun: "${owner}" can still log in; go on with --finish.\n`])
    await before.kill()
    const finished = await rotate([...words, '--finish'])
    expect([finished.err, finished.out]).toEqual(['', `Locked "${owner}", and ended 0 connections.\n`])
    expect([await whoBy(first), await whoBy(second)]).toEqual([null, `${owner}_a as ${owner}`])
    expect((await rotate([...words, '--finish'])).out).toBe('No other role can log in: there is nothing to finish.\n')
    const signUp =
      'mutation { createUser(input: { email: "a@example.org", name: "A", password: "correct horse" }) { user { name } } }'
    expect((await after.graph(signUp)).data.createUser.user.name).toBe('A')

    expect((await rotate(words)).code).toBe(0)
    const third = urlIn(env)
    expect(await whoBy(third)).toBe(`${owner}_b as ${owner}`)
    const forced = await rotate([...words, '--finish', '--end-connections'])
    expect(forced.out).toMatch(new RegExp(`^Locked "${owner}_a", and ended [1-9]\\d* connections`))
    expect([await whoBy(second), await whoBy(third)]).toEqual([null, `${owner}_b as ${owner}`])
    await after.kill()

    // The other one is enabled again, with another password.
    expect((await rotate(words)).code).toBe(0)
    expect(urlIn(env)).not.toBe(second)
    expect([await whoBy(second), await whoBy(urlIn(env))]).toEqual([null, `${owner}_a as ${owner}`])
    const passwords = [first, second, third, urlIn(env)].map((url) => new URL(url).password)
    for (const { out, err } of [added, early, again, finished, forced]) {
      for (const password of passwords) expect(out + err).not.toContain(password)
    }
  },
)

test('an emergency locks the role before at once, ends its connections, and can be repeated', async () => {
  const { env, admin } = files()
  const first = urlIn(env)
  const stolen = await connectedBy(first)
  const words = ['--env-file', env, '--admin-url-file', admin, '--emergency']
  const { code, err, out } = await rotate(words)
  expect([code, err]).toEqual([0, ''])
  expect(out).toContain(`Locked "${owner}", and ended 1 connections.`)
  expect([await stolen.isOpen(), await whoBy(first), await whoBy(urlIn(env))]).toEqual([false, null, `${owner}_a as ${owner}`])
  await stolen.end()

  // The second one has leaked as well, while a rotation has begun that made the third.
  const second = await connectedBy(urlIn(env))
  expect((await rotate(words.slice(0, 4))).code).toBe(0)
  const third = urlIn(env)
  const unused = await connectedBy(third)
  const again = await rotate(words)
  expect(again.err).toBe('')
  expect([await second.isOpen(), await unused.isOpen(), await whoBy(third)]).toEqual([false, false, null])
  expect(await whoBy(urlIn(env))).toBe(`${owner}_a as ${owner}`)
  for (const connection of [second, unused]) await connection.end()
})

test.runIf(refusesWrongPasswords)('an interrupted first step starts again; a role that is in use is left unchanged', async () => {
  const { env, admin } = files()
  const first = urlIn(env)
  // What is left when the command ends between the new password and the file.
  const lost = await rotate(['--url-file', '-', '--admin-url-file', '-'], { DATABASE_URL: first }, serverUrl)
  expect(lost.code).toBe(0)
  expect(await whoBy(lost.out.trim())).toBe(`${owner}_a as ${owner}`)
  const output = join(folder, 'url')
  const redone = await rotate(['--url-file', output, '--admin-url-file', admin], { DATABASE_URL: first })
  expect([redone.code, redone.err]).toEqual([0, ''])
  const second = readFileSync(output, 'utf8').trim()
  expect(statSync(output).mode & 0o777).toBe(0o600)
  expect([await whoBy(first), await whoBy(lost.out.trim()), await whoBy(second)]).toEqual([
    `${owner} as ${owner}`,
    null,
    `${owner}_a as ${owner}`,
  ])

  const overwritten = await rotate(['--url-file', output, '--admin-url-file', admin], { DATABASE_URL: first })
  expect([overwritten.code, overwritten.err]).toEqual([1, expect.stringMatching(/^There is a file/)])
  const used = await connectedBy(second)
  const busy = await rotate(['--env-file', env, '--admin-url-file', admin])
  expect([busy.code, busy.err]).toEqual([1, expect.stringMatching(/^A rotation has begun: 1 connections use the role/)])
  expect(await whoBy(second)).toBe(`${owner}_a as ${owner}`)
  await used.end()
  const wrongEnd = await rotate(['--finish', '--admin-url-file', admin], { DATABASE_URL: first })
  expect([wrongEnd.code, wrongEnd.err]).toEqual([1, expect.stringMatching(/^Expected DATABASE_URL to name the role ".*_a"/)])
  expect(await whoBy(second)).toBe(`${owner}_a as ${owner}`)

  // The file cannot be written: the new role is locked again, and everything is as it was.
  const unwritable = await rotate(['--url-file', join(folder, 'none', 'url'), '--admin-url-file', admin], {
    DATABASE_URL: first,
  })
  expect([unwritable.code, unwritable.err]).toEqual([1, expect.stringContaining('cannot be written')])
  expect([await whoBy(first), await whoBy(second)]).toEqual([`${owner} as ${owner}`, null])
})

test('a new role that may not do what the one before may is locked again', async () => {
  const { env, admin } = files()
  const first = urlIn(env)
  await site.sql('ALTER TABLE store.store OWNER TO CURRENT_USER')
  await site.sql(`REVOKE ALL ON store.store FROM ${owner}; GRANT SELECT ON store.store TO ${owner}`)
  const { code, err } = await rotate(['--env-file', env, '--admin-url-file', admin])
  expect([code, err]).toEqual([1, `The new role "${owner}_a" may not read and write store.store.\n`])
  expect(urlIn(env)).toBe(first)
  expect(await site.sql('SELECT rolcanlogin AS "canLogin" FROM pg_roles WHERE rolname = $1', [`${owner}_a`])).toEqual([
    { canLogin: false },
  ])
})

test('an administrator needs no more than CREATEROLE and ADMIN OPTION', async () => {
  const { env } = files()
  await site.sql(`CREATE ROLE ${owner}_admin LOGIN CREATEROLE PASSWORD 'administrator'`)
  await site.sql(`GRANT ${owner} TO ${owner}_admin WITH ADMIN OPTION`)
  const words = ['--env-file', env, '--admin-url-file', file('limited', urlOf(`${owner}_admin`, 'administrator'))]
  const first = urlIn(env)
  for (const role of ['a', 'b']) {
    const before = await connectedBy(urlIn(env))
    const { code, err, out } = await rotate([...words, '--emergency'])
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain('and ended 1 connections')
    expect(await before.isOpen()).toBe(false)
    await before.end()
    expect(await whoBy(urlIn(env))).toBe(`${owner}_${role} as ${owner}`)
  }
  expect(await whoBy(first)).toBe(null)
})

test('what cannot be rotated is refused with a sentence that holds no password', async () => {
  const { env, admin } = files()
  const first = urlIn(env)
  await site.sql(`CREATE ROLE ${owner}_b LOGIN PASSWORD 'x'`)
  const unreachable = 'postgres://user:a-password@127.0.0.1:9/atrium'
  const cases: [string[], NodeJS.ProcessEnv, RegExp][] = [
    [['--env-file', env], {}, /^The role ".*" may not rotate \(.*CREATEROLE.* --admin-url-file/],
    [['--url-file', '-'], { DATABASE_URL: unreachable }, /^The database of DATABASE_URL .* nothing listens there/],
    [['--env-file', env, '--admin-url-file', file('far', unreachable)], {}, /^The database of the administrator cannot be used/],
    [['--url-file', '-'], { DATABASE_URL: serverUrl }, /is a superuser, which is not rotated/],
    [['--env-file', file('empty', 'PORT=1\n')], {}, /^Expected the file to set DATABASE_URL/],
    [['--admin-url-file', admin], { DATABASE_URL: first }, /^Expected --env-file or --url-file/],
    [['--url-file', '-'], { DATABASE_URL: urlOf(`${owner}_b`, 'x') }, /^Expected the role in DATABASE_URL|may not rotate/],
  ]
  for (const [words, other, message] of cases) {
    const { code, err, out } = await rotate(words, other)
    expect([code, err, out]).toEqual([1, expect.stringMatching(message), ''])
    expect(err).not.toMatch(/first password|first%20password|a-password/)
  }
  expect((await rotate(['--finish', '--emergency', '--env-file', env])).code).toBe(2)
  expect(urlIn(env)).toBe(first)
})

test('the embedded database gets another password while nothing runs on it', async () => {
  const env = { DATABASE_URL: '', DATA_DIR: folder }
  expect((await rotate([], env)).err).toMatch(/^There is no embedded database/)
  const made = await site.command(['store', 'create', '--name', 'A shop', '--empty'], env)
  expect(made.code).toBe(0)
  const before = readPassword(folder)
  const copy = await site.start(env)
  expect((await rotate([], env)).err).toMatch(/^Stop the copy that runs on/)
  expect(readPassword(folder)).toBe(before)
  await copy.kill()
  const { code, out, err } = await rotate([], env)
  expect([code, err, out]).toEqual([0, '', expect.stringContaining('has another password')])
  expect(readPassword(folder)).toMatch(/^[0-9a-f]{64}$/)
  expect(readPassword(folder)).not.toBe(before)
  const list = await site.command(['store', 'list'], env)
  expect([list.code, list.out]).toEqual([0, expect.stringContaining('A shop')])
})
