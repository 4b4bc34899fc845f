import { afterAll, beforeAll, expect, test } from 'vitest'
import { runAtrium } from '../support/command-line.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'

let database: FreshDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

/** Runs `npx atrium app …` on the database of this test. */
function atrium(...words: string[]) {
  const { connectionString } = database.connection as { connectionString: string }
  const env = { ...process.env, DATABASE_URL: connectionString, LOG_LEVEL: 'silent' }
  return runAtrium(['app', ...words], env)
}

// Starts the program half a dozen times.
test('an app is registered, listed, and its secret shown only once', { timeout: 90_000 }, async () => {
  const redirects = ['--redirect', 'https://app.example/cb', 'http://127.0.0.1:9/cb']
  const made = await atrium('create', '--name', 'Stock Keeper', ...redirects, '--scopes', 'read_products,read_orders', '--json')
  expect([made.code, made.err]).toEqual([0, ''])
  const { clientId, clientSecret } = JSON.parse(made.out)
  expect([clientId, clientSecret]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.stringMatching(/^[\w-]{43}$/)])

  const open = await atrium('create', '--name', 'On a telephone', '--redirect', 'com.example.app:/done', '--public', '--json')
  expect(JSON.parse(open.out).clientSecret).toBeNull()

  const { out } = await atrium('list', '--json')
  expect(out).not.toContain(clientSecret)
  expect(JSON.parse(out)).toMatchObject([
    {
      clientId,
      name: 'Stock Keeper',
      isPublic: false,
      redirectUris: redirects.slice(1),
      scopes: ['read_orders', 'read_products'],
    },
    { name: 'On a telephone', isPublic: true, scopes: { length: 42 } },
  ])
  expect((await atrium('list')).out).toMatch(/public {8}On a telephone/)
})

test.each([
  ['an invalid URL', ['--name', 'x', '--redirect', 'http://app.example/'], 1, 'Expected --redirect to be an https URL'],
  [
    'a scope that is none',
    ['--name', 'x', '--redirect', 'https://app.example/', '--scopes', 'admin'],
    1,
    'Expected --scopes to be',
  ],
  ['no name', ['--name', ' ', '--redirect', 'https://app.example/'], 1, 'Expected --name to be 1 to 100 characters'],
  ['nothing', [], 2, '--name'],
])('an invalid registration is refused with one sentence: %s', { timeout: 30_000 }, async (_, words, code, said) => {
  const refused = await atrium('create', ...words)
  expect([refused.code, refused.out]).toEqual([code, ''])
  expect(refused.err).toContain(said)
})

test('the price of an app is set, shown and removed', { timeout: 60_000 }, async () => {
  const made = await atrium('create', '--name', 'Paid', '--redirect', 'https://app.example/', '--json')
  const { clientId } = JSON.parse(made.out)
  const plans = ['Basic:EUR:10:100:0.05', 'Big: all of it:USD:99.90']
  expect(JSON.parse((await atrium('plans', clientId, '--plan', ...plans, '--json')).out)).toEqual([
    { name: 'Basic', currency: 'EUR', monthlyPrice: '10', freeOrders: 100, pricePerOrder: '0.05' },
    { name: 'Big: all of it', currency: 'USD', monthlyPrice: '99.9', freeOrders: 0, pricePerOrder: '0' },
  ])
  expect((await atrium('plans', clientId)).out).toContain('Basic  10 EUR per month, 0.05 EUR for each order after 100')
  expect(JSON.parse((await atrium('plans', clientId, '--none', '--json')).out)).toEqual([])
  for (const [words, code, said] of [
    [[clientId, '--plan', 'A:EUR:1', 'Basic'], 2, "argument 'Basic' is invalid. Expected a plan such as Basic:EUR:10:100:0.05."],
    [[clientId, '--plan', 'A:XYZ:1'], 1, 'Expected currency of --plan to be an ISO 4217 code'],
    [['unheard-of'], 1, 'There is no app that every store can use with the client_id "unheard-of".'],
  ] as const) {
    const refused = await atrium('plans', ...words)
    expect([refused.code, refused.err]).toEqual([code, expect.stringContaining(said)])
  }
})
