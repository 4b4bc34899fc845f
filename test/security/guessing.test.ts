import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Atrium, basic, OPERATIONS_TOKEN, type Reply, startAtrium } from './support/atrium.ts'

let atrium: Atrium
beforeAll(async () => {
  atrium = await startAtrium()
})
afterAll(() => atrium?.stop())

/**
 * A door at which somebody could guess, what one guess is, and how many a minute it takes from one
 * address before it says 429 or RATE_LIMITED.
 */
type Endpoint = {
  readonly endpoint: string
  readonly maxGuesses: number
  readonly guess: (n: number, from: string) => Promise<Reply>
}

const query = (query: string, variables: object, from: string, headers = {}) =>
  atrium.ask('/graphql', { method: 'POST', body: { query, variables }, from, headers })
const wrongStore = (n: number) => basic({ login: 'f'.repeat(32), authtoken: `wrong${n}` })

const ENDPOINTS: readonly Endpoint[] = [
  {
    endpoint: 'log-in of a user, at a different address of mail each time',
    maxGuesses: 180,
    guess: (n, from) =>
      query(
        'mutation ($e: String!) { login(email: $e, password: "wrong-wrong") { __typename } }',
        { e: `a${n}@example.org` },
        from,
      ),
  },
  {
    endpoint: 'refresh token',
    maxGuesses: 180,
    guess: (n, from) => query('mutation ($t: String!) { refreshSession(refreshToken: $t) { __typename } }', { t: `t${n}` }, from),
  },
  {
    endpoint: 'sign-up, which tells whether an address is taken',
    maxGuesses: 60,
    guess: (_, from) => query('mutation { createUser(input: { email: "x", name: "" }) { user { id } } }', {}, from),
  },
  {
    endpoint: 'present password before a change of address, which tells whether that is taken',
    maxGuesses: 60,
    guess: async (n, from) => {
      guessed ??= await atrium.aUser('guessed')
      return query(
        `mutation ($id: ID!, $p: String!) { updateUser(id: $id, input: { email: "taken@example.org", currentPassword: $p }) { __typename } }`,
        { id: guessed.id, p: `wrong${n}` },
        from,
        { authorization: `Bearer ${guessed.token}` },
      )
    },
  },
  {
    endpoint: 'login and authtoken of a store at REST',
    maxGuesses: 60,
    guess: (n, from) => atrium.ask('/v1/products/count.json', { headers: wrongStore(n), from }),
  },
  {
    endpoint: 'login and authtoken of a store in the query',
    maxGuesses: 60,
    guess: (n, from) => atrium.ask(`/v1/products/count.json?login=${'f'.repeat(32)}&authtoken=wrong${n}`, { from }),
  },
  {
    endpoint: 'login and authtoken of a store at the graph',
    maxGuesses: 60,
    guess: (n, from) => query('{ store { name } }', {}, from, wrongStore(n)),
  },
  {
    endpoint: 'access token of an app',
    maxGuesses: 60,
    guess: (n, from) =>
      atrium.ask('/v1/products/count.json', {
        headers: { authorization: `Bearer sat_${String(n).padStart(43, 'x')}` },
        from,
      }),
  },
  {
    endpoint: 'credentials of a store at its tools',
    maxGuesses: 60,
    guess: (n, from) =>
      atrium.ask('/mcp/store', {
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        headers: { accept: 'application/json, text/event-stream', 'x-login-key': 'f'.repeat(32), 'x-auth-token': `wrong${n}` },
        from,
      }),
  },
  {
    endpoint: 'trust key at REST',
    maxGuesses: 60,
    guess: (n, from) => atrium.ask('/v1/usage', { headers: { 'x-api-key': `sk_${String(n).padStart(43, 'x')}` }, from }),
  },
  {
    endpoint: 'trust key at the graph',
    maxGuesses: 60,
    guess: (n, from) =>
      query('{ overrides { totalCount } }', {}, from, { authorization: `Bearer sk_${String(n).padStart(43, 'x')}` }),
  },
  {
    endpoint: 'secret of an app, code or refresh token at OAuth',
    maxGuesses: 240,
    guess: (n, from) =>
      atrium.ask('/oauth/token', {
        method: 'POST',
        body: `grant_type=authorization_code&code=x${n}&client_id=x&client_secret=y${n}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        from,
      }),
  },
  {
    endpoint: 'access token at its description',
    maxGuesses: 240,
    guess: (n, from) => atrium.ask('/oauth/token/info', { headers: { authorization: `Bearer sat_${n}` }, from }),
  },
  {
    endpoint: 'sign-in of the console',
    maxGuesses: 60,
    guess: (n, from) => signInToConsole(`login=${'f'.repeat(32)}&authtoken=wrong${n}`, from),
  },
  {
    endpoint: 'password of the operations page',
    maxGuesses: 10,
    guess: (n, from) => atrium.ask('/operations', { headers: { authorization: `Basic ${btoa(`a:wrong${n}`)}` }, from }),
  },
  {
    endpoint: 'trial without a key, which finds out things about others',
    maxGuesses: 5,
    guess: (n, from) =>
      query('query ($d: String!) { trial(input: { target: $d }) { __typename } }', { d: `a${n}.example` }, from),
  },
]

let guessed: { readonly id: string; readonly token: string } | null = null
let visit: { readonly cookie: string; readonly token: string } | null = null
async function signInToConsole(fields: string, from: string): Promise<Reply> {
  if (!visit) {
    const { rawHeaders, text } = await atrium.ask('/console', { from })
    const cookie = rawHeaders.find((line) => line.startsWith('console-visit='))?.split(';', 1)[0] ?? ''
    visit = { cookie, token: /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '' }
  }
  return atrium.ask('/console/sign-in', {
    method: 'POST',
    body: `token=${encodeURIComponent(visit.token)}&${fields}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: visit.cookie },
    from,
  })
}

const isLimited = ({ status, text }: Reply) => status === 429 || text.includes('"code":"RATE_LIMITED"')

test.each(ENDPOINTS.map((each, index) => ({ ...each, from: `127.0.1.${index + 1}` })))(
  '$endpoint is closed to an address after $maxGuesses wrong guesses',
  { timeout: 120_000 },
  async ({ guess, maxGuesses, from }) => {
    const replies: Reply[] = []
    // A few more than a minute allows: a bucket fills again while it is emptied.
    for (let n = 0; n < maxGuesses && replies.length === n; n++) replies.push(await guess(n, from))
    expect(replies.filter(isLimited).map(({ text }) => text)).toEqual([])
    const began = replies.length
    let refused: Reply | null = null
    // Several at once: on a busy machine one after the other may be slower than the bucket fills.
    for (let n = began; n < began + maxGuesses * 2 && refused === null; n += 4) {
      const next = await Promise.all([n, n + 1, n + 2, n + 3].map((each) => guess(each, from)))
      refused = next.find(isLimited) ?? null
    }
    expect(refused).not.toBeNull()
    const seconds = refused?.headers['retry-after'] ?? /"retryAfterSeconds":(\d+)/.exec(refused?.text ?? '')?.[1]
    expect(Number(seconds)).toBeGreaterThan(0)
  },
)

test('the right credentials are accepted meanwhile, from another address', async () => {
  const store = await atrium.aStore()
  const key = await atrium.aKey()
  const from = '127.0.2.1'
  const { token } = await atrium.aUser('right')
  const right = [
    await atrium.ask('/v1/products/count.json', { headers: basic(store), from }),
    await atrium.ask('/v1/usage', { headers: { 'x-api-key': key }, from }),
    await query('{ me { id } }', {}, from, { authorization: `Bearer ${token}` }),
    await signInToConsole(`login=${store.login}&authtoken=${store.authtoken}`, from),
  ]
  expect(right.map(({ status }) => status)).toEqual([200, 200, 200, 303])
})

test('right passwords of the operations page cost nothing, and where too many were wrong none is even compared', async () => {
  const signIn = (password: string, from: string) =>
    atrium.ask('/operations', { headers: { authorization: `Basic ${btoa(`a:${password}`)}` }, from })
  for (let n = 0; n < 15; n++) expect((await signIn(OPERATIONS_TOKEN, '127.0.2.2')).status).toBe(200)
  const statuses: number[] = []
  // A guess becomes free every six seconds: it may be the right one that takes it.
  while (statuses.length < 5 && !statuses.includes(429)) {
    while ((await signIn('wrong', '127.0.2.3')).status !== 429);
    statuses.push((await signIn(OPERATIONS_TOKEN, '127.0.2.3')).status)
  }
  expect(statuses).toContain(429)
})

test('an address of mail is locked after five wrong passwords from one network and 30 from several, whether it has a user or not', async () => {
  await atrium.aUser('locked')
  const attempt = async (email: string, from: string): Promise<string> => {
    const text = 'mutation ($e: String!) { login(email: $e, password: "wrong-wrong") { __typename } }'
    return (await query(text, { e: email }, from)).json.data.login.__typename
  }
  for (const [index, email] of ['locked@example.org', 'nobody-at-all@example.org'].entries()) {
    const results: string[] = []
    for (let network = 1; network <= 6; network++) {
      for (let n = 0; n < 6; n++) results.push(await attempt(email, `127.0.${3 + index}.${network}`))
    }
    const ofOneNetwork = [...Array(4).fill('InvalidCredentials'), 'AccountLocked', 'AccountLocked']
    expect(results).toEqual(Array(6).fill(ofOneNetwork).flat())
    expect(await attempt(email, `127.0.${3 + index}.7`)).toBe('AccountLocked')
  }
})
