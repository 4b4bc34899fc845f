import { createHash } from 'node:crypto'
import pg from 'pg'
import { TestClock } from 'pg-boss'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startSmtpServer, type TestSmtpServer } from '../../support/smtp-server.ts'
import { mailClock, mailServerAt } from './support/mail.ts'
import { storefrontShopper } from './support/shopper.ts'
import { ANONYMOUS, type StoreStack, startStore, type TestStore } from './support/store.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** Ahead of the machine's clock, which nothing may wait for. */
const clock = new TestClock(Date.now() + DAY_MS)
let smtp: TestSmtpServer
let stack: StoreStack
let shop: TestStore
let other: TestStore
let shopper: ReturnType<typeof storefrontShopper>
let mails: ReturnType<typeof mailClock>
let stop: () => Promise<void>
beforeAll(async () => {
  smtp = await startSmtpServer()
  stack = await startStore(() => new Date(clock.now()), { mailServer: mailServerAt(smtp.port), webhooks: { jobClock: clock } })
  shop = await stack.aStore({ name: 'Pottery' })
  other = await stack.aStore({ name: 'Glass' })
  shopper = storefrontShopper(stack, shop)
  mails = mailClock(stack, clock)
  // The first language is that of e-mails without another one.
  await shopper.merchant('mutation { updateStore(input: { languages: ["en", "de", "pt-BR", "nl"] }) { __typename } }')
  stop = await stack.subgraph.deliverMail()
})
afterAll(async () => {
  await stop()
  await stack.close()
  await smtp.close()
})
beforeEach(() => {
  smtp.received.length = 0
})

/** Limits of an address of the network are tested apart. */
let callers = 0
function stranger() {
  callers += 1
  return { ...ANONYMOUS, address: `198.51.${callers >> 8}.${callers & 255}` }
}
const FIELDS = 'email hasPassword sessionCount addresses { name city country }'
async function change(field: string, input: object, more = '', store = shop) {
  const Type = `${field[0]?.toUpperCase()}${field.slice(1)}`
  const { data, errors } = await stack.ask(
    stranger(),
    `mutation ($input: ${Type}Input!) { result: ${field}(input: $input) { __typename ... on ${Type}Success { ${more || '__typename'} }
      ... on NotFoundError { message } ${/open|change|setC|request/.test(field) ? '... on ValidationError { field message }' : ''} } }`,
    { input: { store: store.code, ...input } },
  )
  expect(errors).toBeUndefined()
  return data.result
}
const SESSION = `token account { ${FIELDS} }`
const request = (email: string, store = shop) => change('requestCustomerLink', { email }, 'email', store)
const signIn = (email: string, password: string, store = shop) => change('signInCustomer', { email, password }, SESSION, store)
const open = (token: string, password: string | null = null, store = shop) =>
  change('openCustomerLink', { token, password }, SESSION, store)
async function accountOf(token: string, fields = FIELDS, store = shop) {
  const { data, errors } = await stack.ask(
    stranger(),
    `query ($code: String!, $token: String!) { storefront(store: $code) { customerAccount(token: $token) { ${fields} } } }`,
    { code: store.code, token },
  )
  expect(errors).toBeUndefined()
  return data.storefront.customerAccount
}
async function emailOf(link: string) {
  const { data } = await stack.ask(
    stranger(),
    'query ($code: String!, $token: String!) { storefront(store: $code) { customerLinkEmail(token: $token) } }',
    { code: shop.code, token: link },
  )
  return data.storefront.customerLinkEmail
}
/** The subject of a message, whose words may be encoded (RFC 2047). */
function subjectOf(headers: readonly string[]): string {
  const subject = headers.find((header) => header.startsWith('Subject: '))?.slice('Subject: '.length) ?? ''
  const bytes = subject.replaceAll(/=\?UTF-8\?([QB])\?([^?]*)\?=\s*/gi, (_, kind: string, text: string) =>
    kind.toUpperCase() === 'B'
      ? Buffer.from(text, 'base64').toString('latin1')
      : text
          .replaceAll('_', ' ')
          .replaceAll(/=([0-9A-F]{2})/gi, (__, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8').trim()
}
/** The token of the newest link that came by e-mail. */
async function linkFor(email: string, store = shop): Promise<string> {
  await mails.finished()
  const mail = smtp.received.findLast(({ to }) => to[0]?.toLowerCase() === email.toLowerCase())
  const [, token = ''] = new RegExp(`/shops/${store.code}/account/link/([\\w-]{43})`).exec(mail?.text ?? '') ?? []
  expect(token).not.toBe('')
  return token
}
let made = 0
async function anAccount(password: string | null = 'correct horse') {
  made += 1
  const email = `ana${made}@example.org`
  await request(email)
  const { token } = await open(await linkFor(email), password)
  return { email, token: token as string }
}

describe('an account', () => {
  test('begins with a link to its address, which works once, and opens a session', async () => {
    expect(await request(' Ana@Example.org ')).toEqual({ __typename: 'RequestCustomerLinkSuccess', email: 'Ana@Example.org' })
    const link = await linkFor('Ana@Example.org')
    expect(smtp.received[0]?.headers).toContain('Subject: Confirm your address for Pottery')
    expect(await emailOf(link)).toBe('Ana@Example.org')
    expect(await open(link, 'short')).toMatchObject({ __typename: 'ValidationError', field: 'password' })
    const opened = await open(link, 'correct horse')
    expect(opened).toEqual({
      __typename: 'OpenCustomerLinkSuccess',
      token: expect.stringMatching(/^[\w-]{43}$/),
      account: { email: 'Ana@Example.org', hasPassword: true, sessionCount: 1, addresses: [] },
    })
    expect(await open(link)).toMatchObject({ __typename: 'CustomerLinkExpired' })
    expect(await emailOf(link)).toBeNull()
    expect(await accountOf(opened.token)).toMatchObject({ email: 'Ana@Example.org' })
    expect(await signIn('ana@example.ORG', 'correct horse')).toMatchObject({ __typename: 'SignInCustomerSuccess' })
  })

  test('gets its e-mails in the language of the page that requested the last link, else in the first of the shop', async () => {
    const email = 'lena@example.org'
    const requested = async (language?: string | null) => {
      await clock.setTime(clock.now() + 3 * MINUTE_MS)
      return change('requestCustomerLink', { email, ...(language !== undefined && { language }) }, 'email')
    }
    const newest = () => smtp.received.at(-1)?.headers ?? []
    expect(await requested('fr')).toMatchObject({ __typename: 'ValidationError', field: 'language' })
    expect((await requested('de')).__typename).toBe('RequestCustomerLinkSuccess')
    const link = await linkFor(email)
    expect(subjectOf(newest())).toBe('Bestätigen Sie Ihre Adresse für Pottery')
    expect(smtp.received.at(-1)?.text).toMatch(/Jemand, vermutlich Sie[\s\S]*account\/link\/[\w-]{43}\?language=de\s/)
    expect(smtp.received.at(-1)?.html).toContain('<html lang="de">')
    const { token } = await open(link, 'correct horse')
    // A stranger requests a link, which nobody uses: the language of this e-mail is no other's.
    await requested('pt-BR')
    await mails.finished()
    expect(subjectOf(newest())).toBe('Entrar na Pottery')
    await change('changeCustomerPassword', { token, currentPassword: 'correct horse', password: 'better horse' })
    await mails.finished()
    expect(subjectOf(newest())).toBe('Ihr Passwort bei Pottery wurde geändert')
    expect(smtp.received.at(-1)?.text).toMatch(/\/account\?language=de\s/)
    // Pages in a language that the shop has no longer are not found.
    await shopper.merchant('mutation { updateStore(input: { languages: ["en", "pt-BR", "nl"] }) { __typename } }')
    await change('changeCustomerPassword', { token, currentPassword: 'better horse', password: 'best of horses' })
    await mails.finished()
    expect(subjectOf(newest())).toBe('Your password at Pottery was changed')
    expect(smtp.received.at(-1)?.text).toMatch(/\/account\s/)
    await shopper.merchant('mutation { updateStore(input: { languages: ["en", "de", "pt-BR", "nl"] }) { __typename } }')
    for (const [language, subject] of [
      ['pt-BR', 'Entrar na Pottery'],
      // There are no texts in Dutch.
      ['nl', 'Sign in to Pottery'],
      ['de', 'Anmelden bei Pottery'],
      [undefined, 'Sign in to Pottery'],
    ] as const) {
      await requested(language)
      await mails.finished()
      expect([language, subjectOf(newest())]).toEqual([language, subject])
    }
  })

  test('needs no password, and gets one by a link, which ends all other sessions', async () => {
    const { email, token } = await anAccount(null)
    expect(await signIn(email, '')).toMatchObject({ __typename: 'CustomerCredentialsWrong' })
    await clock.setTime(clock.now() + 3 * MINUTE_MS)
    await request(email)
    const link = await linkFor(email)
    expect(smtp.received.at(-1)?.headers).toContain('Subject: Sign in to Pottery')
    const opened = await open(link, 'new password')
    expect(await accountOf(token)).toBeNull()
    expect(await accountOf(opened.token)).toMatchObject({ hasPassword: true, sessionCount: 1 })
    await mails.finished()
    expect(smtp.received.at(-1)?.headers).toContain('Subject: Your password at Pottery was changed')
  })

  test.each([
    ['signInCustomer', ({ email }) => signIn(email, 'correct horse')],
    [
      'changeCustomerPassword',
      ({ token }) => change('changeCustomerPassword', { token, currentPassword: 'correct horse', password: 'better horse' }),
    ],
    ['eraseCustomerAccount', ({ token }) => change('eraseCustomerAccount', { token, password: 'correct horse' })],
  ] as readonly [string, (account: { email: string; token: string }) => Promise<unknown>][])(
    '%s with a password that is changed while it is verified does nothing',
    async (_, request) => {
      const account = await anAccount()
      const client = new pg.Client(stack.database.connection)
      await client.connect()
      try {
        await client.query('BEGIN')
        await client.query("UPDATE store.customer_account SET password_hash = 'changed' WHERE email = $1", [account.email])
        const answered = request(account)
        const waiting =
          "SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        await expect.poll(async () => (await client.query(waiting)).rows[0].count).toBeGreaterThan(0)
        await client.query('COMMIT')
        expect(await answered).toMatchObject({ __typename: 'CustomerCredentialsWrong' })
        const { rows } = await client.query('SELECT password_hash FROM store.customer_account WHERE email = $1', [account.email])
        expect(rows).toEqual([{ password_hash: 'changed' }])
      } finally {
        await client.end()
      }
    },
  )

  test('without a password gets one, or is erased, in the first ten minutes of a session only', async () => {
    const { email, token } = await anAccount(null)
    await clock.setTime(clock.now() + 11 * MINUTE_MS)
    for (const [field, input] of [
      ['changeCustomerPassword', { password: 'better horse' }],
      ['eraseCustomerAccount', {}],
    ] as const)
      expect(await change(field, { token, ...input })).toMatchObject({ __typename: 'CustomerCredentialsWrong' })
    await request(email)
    const { token: fresh } = await open(await linkFor(email))
    expect(await change('changeCustomerPassword', { token: fresh, password: 'better horse' })).toMatchObject({
      __typename: 'ChangeCustomerPasswordSuccess',
    })
    await mails.finished()
    expect(smtp.received.at(-1)?.headers).toContain('Subject: Your password at Pottery was changed')
  })

  test('is spelled as it was typed last until it is confirmed; links to the former spelling end', async () => {
    await request('SPELL@example.org')
    const first = await linkFor('spell@example.org')
    await clock.setTime(clock.now() + 3 * MINUTE_MS)
    await request('spell@example.org')
    const second = await linkFor('spell@example.org')
    expect(smtp.received.at(-1)?.to).toEqual(['spell@example.org'])
    expect(await open(first)).toMatchObject({ __typename: 'CustomerLinkExpired' })
    expect(await open(second)).toMatchObject({ account: { email: 'spell@example.org' } })
  })

  test('without a confirmed address has no session and no password, and is deleted after a day', async () => {
    await request('nobody@example.org')
    expect(await signIn('nobody@example.org', 'correct horse')).toMatchObject({ __typename: 'CustomerCredentialsWrong' })
    const count = async () =>
      (await stack.sql(`SELECT count(*)::int FROM customer_account WHERE email_key = 'nobody@example.org'`))[0]?.count
    await stack.subgraph.runCheckoutJobs()
    expect(await count()).toBe(1)
    await mails.finished()
    await clock.setTime(clock.now() + DAY_MS + MINUTE_MS)
    await stack.subgraph.runCheckoutJobs()
    expect(await count()).toBe(0)
    // More than a batch.
    await stack.sql(
      `INSERT INTO customer_account (store_id, email, email_key, link_requested_at, created_at, updated_at)
        SELECT $1, 'old' || n || '@example.org', 'old' || n || '@example.org', $2, $2, $2 FROM generate_series(1, 250) AS n`,
      [shop.storeId, new Date(clock.now() - 2 * DAY_MS)],
    )
    await stack.subgraph.runCheckoutJobs()
    expect(await stack.sql(`SELECT count(*)::int FROM customer_account WHERE email_key LIKE 'old%'`)).toEqual([{ count: 0 }])
  })

  test('is one of one shop: neither its session, its link nor its password is known to another', async () => {
    const { email, token } = await anAccount()
    expect(await accountOf(token, FIELDS, other)).toBeNull()
    expect(await signIn(email, 'correct horse', other)).toMatchObject({ __typename: 'CustomerCredentialsWrong' })
    await clock.setTime(clock.now() + 3 * MINUTE_MS)
    await request(email)
    const link = await linkFor(email)
    expect(await open(link, null, other)).toMatchObject({ __typename: 'CustomerLinkExpired' })
    expect(await open(link)).toMatchObject({ __typename: 'OpenCustomerLinkSuccess' })
  })

  test('changes its password with the one so far, signs out everywhere, and keeps addresses', async () => {
    const { email, token } = await anAccount()
    const second = (await signIn(email, 'correct horse')).token
    expect(await change('changeCustomerPassword', { token, currentPassword: 'wrong', password: 'better horse' })).toMatchObject({
      __typename: 'CustomerCredentialsWrong',
    })
    expect(
      await change('changeCustomerPassword', { token, currentPassword: 'correct horse', password: 'better horse' }),
    ).toMatchObject({ __typename: 'ChangeCustomerPasswordSuccess' })
    expect([await accountOf(second), await accountOf(token)]).toEqual([null, expect.objectContaining({ email })])
    const saved = { token, addresses: [{ name: 'Ana', city: 'Lisbon', country: 'pt' }] }
    expect(await change('setCustomerAddresses', saved, `account { ${FIELDS} }`)).toMatchObject({
      account: { addresses: [{ name: 'Ana', city: 'Lisbon', country: 'PT' }] },
    })
    const many = { token, addresses: Array.from({ length: 11 }, () => ({ city: 'Lisbon' })) }
    expect(await change('setCustomerAddresses', many)).toMatchObject({ __typename: 'ValidationError', field: 'addresses' })
    await signIn(email, 'better horse')
    expect(await change('signOutCustomer', { token, everywhere: true }, 'sessionsEnded')).toMatchObject({ sessionsEnded: 2 })
    expect(await accountOf(token)).toBeNull()
    expect(await change('signOutCustomer', { token }, 'sessionsEnded')).toMatchObject({ __typename: 'NotFoundError' })
  })

  test('ends its session after 30 days, and the oldest of more than 20', async () => {
    const { email, token } = await anAccount()
    for (let session = 0; session < 20; session += 1) {
      await clock.setTime(clock.now() + 1_000)
      await signIn(email, 'correct horse')
    }
    expect(await accountOf(token)).toBeNull()
    const { token: last } = await signIn(email, 'correct horse')
    expect(await accountOf(last)).toMatchObject({ sessionCount: 20 })
    await clock.setTime(clock.now() + 30 * DAY_MS)
    expect(await accountOf(last)).toBeNull()
  })
})

describe('strangers', () => {
  test('read the same answer for an address with an account and for one without, and get one link in two minutes', async () => {
    const { email } = await anAccount()
    await clock.setTime(clock.now() + 3 * MINUTE_MS)
    smtp.received.length = 0
    const answers = [await request(email), await request('unknown@example.org'), await request(email)]
    expect(answers.map(({ __typename }) => __typename)).toEqual(Array(3).fill('RequestCustomerLinkSuccess'))
    await mails.finished()
    expect(smtp.received.map(({ to }) => to[0]).toSorted()).toEqual([email, 'unknown@example.org'].toSorted())
    const wrong = await Promise.all([signIn(email, 'guess'), signIn('unknown2@example.org', 'guess'), signIn('\0', 'guess')])
    expect(new Set(wrong.map((answer) => JSON.stringify(answer))).size).toBe(1)
  })

  test('try ten passwords of an account in 15 minutes, at once or one by one; then not even the right one works, but a link', async () => {
    const { email } = await anAccount()
    await Promise.all(Array.from({ length: 12 }, () => signIn(email, 'guess')))
    const [{ attempts = 0 } = {}] = await stack.sql('SELECT attempts FROM customer_account WHERE email = $1', [email])
    expect(attempts).toBe(10)
    expect(await signIn(email, 'correct horse')).toMatchObject({ __typename: 'CustomerCredentialsWrong' })
    await clock.setTime(clock.now() + 16 * MINUTE_MS)
    expect(await signIn(email, 'correct horse')).toMatchObject({ __typename: 'SignInCustomerSuccess' })
  })

  test('are limited by their address of the network, and by the shop', async () => {
    const ask = (who: object, email: string) =>
      stack.ask(
        { ...ANONYMOUS, ...who },
        `mutation ($input: RequestCustomerLinkInput!) { requestCustomerLink(input: $input) { __typename } }`,
        {
          input: { store: other.code, email },
        },
      )
    const one = await Promise.all(
      Array.from({ length: 12 }, (_, index) => ask({ address: '203.0.113.7' }, `x${index}@example.org`)),
    )
    expect(one.filter(({ errors }) => errors?.[0]?.extensions.code === 'RATE_LIMITED')).toHaveLength(2)
    const many = await Promise.all(
      Array.from({ length: 70 }, (_, index) => ask({ address: `203.0.${index}.8` }, `y${index}@example.org`)),
    )
    expect(many.filter(({ errors }) => errors?.[0]?.extensions.code === 'RATE_LIMITED').length).toBeGreaterThan(15)
    await mails.finished()
  })

  test('cause five links a day to an unconfirmed address, and ten an hour from all shops, with the same result', async () => {
    const sentTo = async (email: string, stores: readonly TestStore[], times: number) => {
      smtp.received.length = 0
      for (let time = 0; time < times; time += 1) {
        for (const store of stores) expect((await request(email, store)).__typename).toBe('RequestCustomerLinkSuccess')
        await mails.finished()
        await clock.setTime(clock.now() + 3 * MINUTE_MS)
      }
      return smtp.received.filter(({ to }) => to[0] === email).length
    }
    expect(await sentTo('often@example.org', [shop], 7)).toBe(5)
    const { email } = await anAccount()
    await clock.setTime(clock.now() + 60 * MINUTE_MS)
    await request(email, other)
    await open(await linkFor(email, other), null, other)
    await clock.setTime(clock.now() + 60 * MINUTE_MS)
    // Ten, and what is refilled in a quarter of an hour.
    const sent = await sentTo(email, [shop, other], 7)
    expect([sent >= 10, sent < 14]).toEqual([true, true])
  })

  test('send no password of more than 256 characters to the database', async () => {
    const { email, token } = await anAccount()
    const long = 'x'.repeat(257)
    expect(await signIn(email, long)).toMatchObject({ __typename: 'CustomerCredentialsWrong' })
    expect(await change('eraseCustomerAccount', { token, password: long })).toMatchObject({
      __typename: 'CustomerCredentialsWrong',
    })
    expect(await stack.sql('SELECT attempts FROM customer_account WHERE email = $1', [email])).toEqual([{ attempts: 0 }])
  })

  test('who hold a session try 20 passwords a minute from one address', async () => {
    const { token } = await anAccount()
    const erase = () =>
      stack.ask(
        { ...ANONYMOUS, address: '203.0.113.9' },
        'mutation ($input: EraseCustomerAccountInput!) { eraseCustomerAccount(input: $input) { __typename } }',
        { input: { store: shop.code, token, password: 'guess' } },
      )
    const answers = await Promise.all(Array.from({ length: 22 }, erase))
    expect(answers.filter(({ errors }) => errors?.[0]?.extensions.code === 'RATE_LIMITED')).toHaveLength(2)
  })

  test('do not use up the links of a shop: opening one is limited by the address of the network only', async () => {
    const answers = await Promise.all(Array.from({ length: 310 }, () => open('x'.repeat(43), null, other)))
    expect(new Set(answers.map(({ __typename }) => __typename))).toEqual(new Set(['CustomerLinkExpired']))
  })

  test.each([
    'ana',
    'a@b\r\nBcc: x@y.example',
    'a@b,c@d',
    '',
    '\u212Aim@b.example',
    '\u0130@b.example',
    'ﬁ@b.example',
    `${'a'.repeat(300)}@b.example`,
  ])('send no link to %j', async (email) => {
    expect(await request(email)).toMatchObject({ __typename: 'ValidationError', field: 'email' })
  })

  test('find no token and no password in the database', async () => {
    const { email, token } = await anAccount()
    await clock.setTime(clock.now() + 3 * MINUTE_MS)
    await request(email)
    const link = await linkFor(email)
    const [row] = await stack.sql(
      `SELECT (SELECT password_hash FROM customer_account WHERE email = $1) AS password,
        (SELECT encode(token_hash, 'hex') FROM customer_account_session JOIN customer_account USING (store_id) WHERE email = $1
          AND customer_account.id = account_id) AS session,
        (SELECT encode(token_hash, 'hex') FROM customer_account_link JOIN customer_account USING (store_id) WHERE email = $1
          AND customer_account.id = account_id) AS link`,
      [email],
    )
    const sha = (text: string) => createHash('sha256').update(text).digest('hex')
    expect(row).toEqual({ password: expect.stringMatching(/^\$argon2id\$/), session: sha(token), link: sha(link) })
    await clock.setTime(clock.now() + 31 * MINUTE_MS)
    expect(await open(link)).toMatchObject({ __typename: 'CustomerLinkExpired' })
  })
})

describe('orders', () => {
  async function anOrder(email: string, accountToken: string | null) {
    const product = await shopper.aProduct({ name: 'Cup', stock: 3, shippingRequired: false })
    const { token, cart } = await shopper.ready([{ productId: product }])
    await shopper.update(token, { email })
    const { data } = await stack.ask(
      stranger(),
      `mutation ($input: CompleteStorefrontCheckoutInput!) { result: completeStorefrontCheckout(input: $input) { __typename
        ... on CompleteStorefrontCheckoutSuccess { order { number } } } }`,
      {
        input: {
          store: shop.code,
          token,
          expectedTotal: cart.totals.total,
          idempotencyKey: 'k',
          ...(accountToken && { accountToken }),
        },
      },
    )
    return data.result
  }
  const ORDERS =
    'orders(first: 1) { totalCount nodes { secret order { number lines { name } } } pageInfo { hasNextPage endCursor } }'

  test('are those that were placed while signed in, and not those of a guest with the same address', async () => {
    const { email, token } = await anAccount()
    const [first, , second] = [await anOrder(email, token), await anOrder(email, null), await anOrder('x@example.org', token)]
    const { orders } = await accountOf(token, ORDERS)
    expect(orders).toMatchObject({
      totalCount: 2,
      nodes: [{ secret: expect.stringMatching(/^[\w-]{32}$/), order: { number: second.order.number, lines: [{ name: 'Cup' }] } }],
      pageInfo: { hasNextPage: true },
    })
    const next = await accountOf(token, `orders(after: "${orders.pageInfo.endCursor}") { nodes { order { number } } }`)
    expect(next.orders.nodes).toEqual([{ order: { number: first.order.number } }])
    expect(await anOrder(email, 'x'.repeat(43))).toEqual({ __typename: 'ConflictError' })
  })

  test('are in the export of the account, and stay with the shop when it is erased', async () => {
    const { email, token } = await anAccount()
    const { order } = await anOrder(email, token)
    const { dataExport } = await accountOf(token, 'dataExport')
    expect(dataExport).toMatchObject({
      email,
      sessions: [{}],
      orders: [{ number: order.number, lines: [{ name: 'Cup', quantity: 1 }] }],
    })
    expect(JSON.stringify(dataExport)).not.toContain('argon2')
    const aliases = Array.from({ length: 50 }, (_, index) => `a${index}: dataExport`).join(' ')
    expect(Object.values(await accountOf(token, aliases))).toEqual(Array(50).fill(dataExport))
    const exported = () =>
      stack.ask(
        { ...ANONYMOUS, address: '203.0.113.10' },
        'query ($code: String!, $token: String!) { storefront(store: $code) { customerAccount(token: $token) { dataExport } } }',
        { code: shop.code, token },
      )
    const answers = await Promise.all(Array.from({ length: 12 }, exported))
    expect(answers.filter(({ errors }) => errors?.[0]?.extensions.code === 'RATE_LIMITED')).toHaveLength(2)
    expect(await change('eraseCustomerAccount', { token, password: 'wrong' })).toMatchObject({
      __typename: 'CustomerCredentialsWrong',
    })
    expect(await change('eraseCustomerAccount', { token, password: 'correct horse' }, 'orders')).toMatchObject({ orders: 1 })
    expect([await accountOf(token), (await signIn(email, 'correct horse')).__typename]).toEqual([
      null,
      'CustomerCredentialsWrong',
    ])
    expect(await shopper.merchantOrder(order.number)).toMatchObject({ status: 'PENDING_PAYMENT', customer: { email } })
    const rows = await stack.sql('SELECT customer_account_id FROM "order" WHERE store_id = $1 AND id = $2', [
      shop.storeId,
      order.number,
    ])
    expect(rows).toEqual([{ customer_account_id: null }])
  })

  test('a merchant who erases a customer erases the account too', async () => {
    const { email, token } = await anAccount()
    await anOrder(email, token)
    const { order } = await anOrder('elsewhere@example.org', token)
    const { customers } = await shopper.merchant(
      'query ($email: String!) { customers(filter: {email: $email}) { nodes { id } } }',
      { email },
    )
    await shopper.merchant('mutation ($id: ID!) { eraseCustomer(id: $id) { __typename } }', { id: customers.nodes[0].id })
    expect(await accountOf(token)).toBeNull()
    expect(await shopper.merchantOrder(order.number)).toMatchObject({ customer: null })
  })
})

test('without a mail server there are no accounts', async () => {
  const plain = await startStore()
  const store = await plain.aStore()
  const { data } = await plain.ask(
    ANONYMOUS,
    `mutation ($input: RequestCustomerLinkInput!) { requestCustomerLink(input: $input) { __typename } }`,
    { input: { store: store.code, email: 'a@b.example' } },
  )
  expect(data.requestCustomerLink).toEqual({ __typename: 'ConflictError' })
  const shown = await plain.ask(ANONYMOUS, `{ storefront(store: "${store.code}") { hasCustomerAccounts } }`)
  expect(shown.data.storefront.hasCustomerAccounts).toBe(false)
  await plain.close()
})
