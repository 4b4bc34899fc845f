import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ANONYMOUS, type Social, startSocial } from '../subgraphs/social/support/social.ts'

/** How often a password was compared with a hash, which is what takes time. */
const compared = vi.hoisted(() => ({ count: 0 }))
// What is counted is that the library works as much for nobody as for somebody.
vi.mock('@node-rs/argon2', async (original) => {
  const library = await original<typeof import('@node-rs/argon2')>()
  return {
    ...library,
    verify: (...given: Parameters<typeof library.verify>) => {
      compared.count++
      return library.verify(...given)
    },
  }
})

let social: Social
beforeAll(async () => {
  social = await startSocial()
  await social.ask(
    'mutation { createUser(input: { email: "somebody@example.org", name: "Somebody", password: "the right password" }) { user { id } } }',
  )
  // Has no password: an operator or an import made it.
  await social.aUser({ email: 'without@example.org' })
})
afterAll(() => social?.close())

/** What a log-in came to, and how much was compared for it. */
async function logIn(email: string, password: string): Promise<readonly [result: unknown, compared: number]> {
  const before = compared.count
  const { data } = await social.ask(
    'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) { __typename ... on InvalidCredentials { message } } }',
    { email, password },
    { ...ANONYMOUS, address: '192.0.2.1' },
  )
  return [data?.login, compared.count - before]
}

test('a wrong password costs one comparison, whether the address has a user, a password, or neither', async () => {
  const known = await logIn('somebody@example.org', 'a wrong password')
  expect(known).toEqual([expect.objectContaining({ __typename: 'InvalidCredentials' }), 1])
  for (const email of ['nobody@example.org', 'without@example.org', 'SOMEBODY@example.org', 'no address', '', 'a\0b@example.org'])
    expect([email, await logIn(email, 'a wrong password')]).toEqual([email, known])
})

test('the right one costs as much', async () => {
  expect(await logIn('somebody@example.org', 'the right password')).toEqual([{ __typename: 'LoginSuccess' }, 1])
})

test('a password too long for any user is not hashed, for existing and unknown users', async () => {
  const long = 'x'.repeat(257)
  const [known, unknown] = [await logIn('somebody@example.org', long), await logIn('nobody-else@example.org', long)]
  expect(known).toEqual(unknown)
  expect(known[1]).toBe(0)
})

test('a locked address costs nothing more, and is locked whether it has a user or not', async () => {
  for (const email of ['somebody@example.org', 'nobody-at-all@example.org'])
    for (let n = 0; n < 5; n++) await logIn(email, 'a wrong password')
  const [known, unknown] = [
    await logIn('somebody@example.org', 'the right password'),
    await logIn('nobody-at-all@example.org', 'x'),
  ]
  expect([known, unknown]).toEqual([
    [{ __typename: 'AccountLocked' }, 0],
    [{ __typename: 'AccountLocked' }, 0],
  ])
})
