import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Social, startSocial } from '../subgraphs/social/support/social.ts'
import { runAtrium, runProcess } from '../support/command-line.ts'

const ATRIUM = join(import.meta.dirname, '../../cli/atrium.ts')

let social: Social
beforeAll(async () => {
  social = await startSocial()
})
afterAll(() => social.close())

/** Runs `npx atrium user …` on the database of this test. */
function atrium(words: string[], input?: string) {
  const { connectionString } = social.database.connection as { connectionString: string }
  const env = { ...process.env, DATABASE_URL: connectionString, LOG_LEVEL: 'silent' }
  return input === undefined ? runAtrium(['user', ...words], env) : runProcess(['user', ...words], env, input)
}
const login = async (email: string, password: string) => {
  const query =
    'mutation ($e: String!, $p: String!) { login(email: $e, password: $p) { __typename ... on LoginSuccess { user { role } token } } }'
  return (await social.ask(query, { e: email, p: password })).data?.login
}

test('create adds an administrator who can sign in; list shows the administrators', async () => {
  const words = [
    'create',
    '--email',
    'root@example.org',
    '--name',
    'Root',
    '--password',
    'correct horse',
    '--role',
    'ADMIN',
    '--json',
  ]
  const { out, err, code } = await atrium(words)
  expect([code, err]).toEqual([0, ''])
  expect(JSON.parse(out)).toEqual({
    id: expect.any(String),
    email: 'root@example.org',
    name: 'Root',
    role: 'ADMIN',
    createdAt: expect.stringMatching(/Z$/),
  })
  expect(await login('root@example.org', 'correct horse')).toMatchObject({ __typename: 'LoginSuccess', user: { role: 'ADMIN' } })

  expect((await atrium(['create', '--email', 'mute@example.org', '--name', 'Mute'])).out).toBe(
    'Created USER mute@example.org. Without a password the user cannot sign in: set one with npx atrium user password --email mute@example.org --password-stdin.\n',
  )
  expect((await atrium(['list'])).out).toBe('ADMIN      root@example.org  Root\nUSER       mute@example.org  Mute\n')
  expect(JSON.parse((await atrium(['list', '--json'])).out)).toHaveLength(2)
})

test('every invalid field is reported in a sentence, without the password', async () => {
  const { out, err, code } = await atrium(['create', '--email', 'nonsense', '--name', ' ', '--password', 'secret'])
  expect([code, out]).toEqual([1, ''])
  expect(err.trim().split('\n')).toEqual([
    'Expected "email" to be an address of the form name@host, got "nonsense".',
    'Expected "name" to be 1 to 100 characters, not only white space, got " ".',
    'Expected "password" to be 8 to 256 characters, got 6.',
  ])
  expect((await atrium(['create', '--email', 'x@example.org'])).code).toBe(2)
  expect((await atrium(['create', '--email', 'x@example.org', '--name', 'X', '--role', 'KING'])).code).toBe(2)
})

test('password sets one from standard input, and ends sessions', async () => {
  await atrium(['create', '--email', 'ann@example.org', '--name', 'Ann', '--password-stdin'], 'correct horse\n')
  const { token } = (await login('ann@example.org', 'correct horse')) as { token: string }
  const { code } = await atrium(['password', '--email', 'ANN@example.org', '--password-stdin'], 'battery staple')
  expect(code).toBe(0)
  expect(await login('ann@example.org', 'correct horse')).toMatchObject({ __typename: 'InvalidCredentials' })
  expect(await login('ann@example.org', 'battery staple')).toMatchObject({ __typename: 'LoginSuccess' })
  const caller = { requestId: 'test', address: '127.0.0.1', credentials: { authorization: `Bearer ${token}` } }
  expect((await social.ask('{ me { id } }', {}, caller)).errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED')

  const unknown = await atrium(['password', '--email', 'nobody@example.org', '--password', 'battery staple'])
  expect([unknown.code, unknown.err]).toEqual([1, 'Expected "email" to be the address of a user, got "nobody@example.org".\n'])
  const wrong = await atrium(['password', '--email', 'ann@example.org'])
  expect([wrong.code, wrong.err]).toEqual([2, 'error: expected --password-stdin or --password\n(see --help)\n'])
})

test('erase refuses the last administrator, and takes one beside whom there is another', async () => {
  const found: { id: string; role: string }[] = JSON.parse((await atrium(['list', '--json'])).out)
  const root = found.find(({ role }) => role === 'ADMIN')?.id ?? ''
  const refused = await atrium(['erase', root, '--customer'])
  expect([refused.code, refused.out]).toEqual([1, ''])
  expect(refused.err).toBe(
    `The user with the id "${root}" is the last administrator: create another one first, with \`atrium user create --role ADMIN\` or \`updateUser\`.\n`,
  )
  expect(JSON.parse((await atrium(['list', '--json'])).out)).toEqual(found)
  await atrium(['create', '--email', 'next@example.org', '--name', 'Next', '--role', 'ADMIN'])
  expect((await atrium(['erase', root])).code).toBe(0)
})

/** Gives a program a terminal: part of util-linux. */
const SCRIPT = '/usr/bin/script'

test.skipIf(!existsSync(SCRIPT))('at a terminal, create prompts for the password, and does not show it', async () => {
  const { connectionString } = social.database.connection as { connectionString: string }
  const env = { ...process.env, DATABASE_URL: connectionString, LOG_LEVEL: 'silent' }
  const command = `"${process.execPath}" "${ATRIUM}" user create --email typed@example.org --name Typed`
  const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  let shown = ''
  for await (const chunk of child.stdout) {
    if (!shown.includes('Password') && String(chunk).includes('Password')) child.stdin.write('correct horse\r')
    shown += chunk
  }
  child.stdin.end()
  expect([await ended, shown.includes('Created USER typed@example.org.'), shown.includes('correct')]).toEqual([0, true, false])
  expect(await login('typed@example.org', 'correct horse')).toMatchObject({ __typename: 'LoginSuccess' })
})
