import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSigner } from '../../gateway/signed-link/signature.ts'
import { createRemoteLink } from '../../gateway/subgraph-client/remote-subgraph.ts'
import { type FreshDatabase, run } from '../support/create-database.ts'
import { freshDatabase } from '../support/database.ts'
import { COMPILED, type Program, SECRETS_KEY, startProgram } from '../support/program.ts'

const LINK_SECRET = 'a secret of this test alone and long enough'
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

let database: FreshDatabase
const programs: Program[] = []
/** Answers of a process to a gateway, by its role. */
const links = new Map<string, ReturnType<typeof createRemoteLink>>()

beforeAll(async () => {
  database = await freshDatabase()
  const social = await startRole('social')
  await startRole('trust', social)
  await startRole('directory', social)
})
afterAll(async () => {
  await Promise.all([...links.values()].map((link) => link.close()))
  await Promise.all(programs.map((program) => program.kill()))
  await database.drop()
})

/** Connections of tests are of this form. */
const connectionString = () => (database.connection as { connectionString: string }).connectionString

/** Starts a process of a role; clients are far from it, so it must ask the other process directly. */
async function startRole(role: string, socialUrl?: string): Promise<string> {
  const program = await startProgram(
    (port) => [
      process.execPath,
      ['main.ts'],
      {
        cwd: ROOT,
        env: {
          ...COMPILED,
          ATRIUM_ROLE: role,
          PORT: String(port),
          DATABASE_URL: connectionString(),
          PUBLIC_URL: 'https://atrium.invalid',
          LINK_SECRET,
          SECRETS_KEY,
          LOG_LEVEL: 'silent',
          TRUST_LISTS: 'none',
          ...(socialUrl && { SUBGRAPH_SOCIAL_URL: socialUrl }),
        },
      },
    ],
    async ({ said }) => said().includes(`The ${role} subgraph is ready`),
  )
  programs.push(program)
  const url = `http://127.0.0.1:${program.port}`
  links.set(role, createRemoteLink({ name: role, url: `${url}/graphql`, sign: createSigner([LINK_SECRET], Date.now) }))
  return url
}

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
async function ask(role: string, query: string, token?: string): Promise<any> {
  const credentials = token ? { authorization: `Bearer ${token}` } : {}
  const caller = { requestId: 'test', address: '127.0.0.1', credentials }
  const signal = AbortSignal.timeout(20_000)
  return links.get(role)?.execute({ query, variables: {}, operationName: undefined }, { caller, signal })
}

async function signIn(name: string): Promise<string> {
  const email = `${name}@example.org`
  await ask(
    'social',
    `mutation { createUser(input: { email: "${email}", name: "${name}", password: "correct horse" }) { __typename } }`,
  )
  const { data } = await ask(
    'social',
    `mutation { login(email: "${email}", password: "correct horse") { ... on LoginSuccess { token } } }`,
  )
  return data.login.token
}

const codeOf = ({ errors }: { readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[] }) =>
  errors?.[0]?.extensions?.code
const SIGN_OUT = 'mutation { signOut { __typename } }'

test('the process of trust knows who is signed in, and who no longer is', async () => {
  const token = await signIn('ann')
  const made = await ask('trust', 'mutation { createTrustKey(name: "mine") { __typename } }', token)
  expect(made).toMatchObject({ data: { createTrustKey: { __typename: 'CreateTrustKeySuccess' } } })
  expect(codeOf(await ask('trust', '{ trustKeys { id } }'))).toBe('UNAUTHENTICATED')
  expect(codeOf(await ask('social', SIGN_OUT, token))).toBeUndefined()
  expect(codeOf(await ask('trust', '{ trustKeys { id } }', token))).toBe('UNAUTHENTICATED')
})

test('the process of the directory knows administrators, and who no longer is signed in', async () => {
  const create = (name: string) => `mutation { createDirectorySource(input: {
    name: "${name}", kind: FILE, address: "https://example.invalid/${name}.json", enabled: false
  }) { __typename } }`
  const [user, administrator] = [await signIn('bob'), await signIn('eve')]
  await run(connectionString(), `UPDATE social."user" SET role = 'ADMIN' WHERE name = 'eve'`)
  expect(codeOf(await ask('directory', create('one')))).toBe('UNAUTHENTICATED')
  expect(codeOf(await ask('directory', create('one'), user))).toBe('FORBIDDEN')
  expect(await ask('directory', create('one'), administrator)).toMatchObject({
    data: { createDirectorySource: { __typename: 'CreateDirectorySourceSuccess' } },
  })
  await ask('social', SIGN_OUT, administrator)
  expect(codeOf(await ask('directory', create('two'), administrator))).toBe('UNAUTHENTICATED')
})
