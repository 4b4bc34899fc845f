import { TestClock } from 'pg-boss'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { mailLanguage } from '../../../subgraphs/store/mail-text/default-texts.ts'
import { filledText, MAIL_TEXT_KINDS, mailTextProblems } from '../../../subgraphs/store/mail-text/mail-text.ts'
import { startSmtpServer, type TestSmtpServer } from '../../support/smtp-server.ts'
import { agreedApp } from './support/app.ts'
import { mailClock, mailServerAt } from './support/mail.ts'
import { storefrontShopper } from './support/shopper.ts'
import { ANONYMOUS, type StoreStack, startStore, type TestStore } from './support/store.ts'

/** Ahead of the machine's clock, which nothing may wait for. */
const clock = new TestClock(Date.now() + 24 * 3_600_000)
let smtp: TestSmtpServer
let stack: StoreStack
let shop: TestStore
let shopper: ReturnType<typeof storefrontShopper>
let mails: ReturnType<typeof mailClock>
let stop: () => Promise<void>
beforeAll(async () => {
  smtp = await startSmtpServer()
  stack = await startStore(() => new Date(clock.now()), { mailServer: mailServerAt(smtp.port), webhooks: { jobClock: clock } })
  shop = await stack.aStore({ name: 'Pots {order} & <Pans>' })
  shopper = storefrontShopper(stack, shop)
  mails = mailClock(stack, clock)
  stop = await stack.subgraph.deliverMail()
  await ask('mutation { r: updateStore(input: { languages: ["en", "pt-BR", "fi"] }) { __typename } }')
})
afterAll(async () => {
  await stop()
  await stack.close()
  await smtp.close()
})
beforeEach(async () => {
  // An address gets five confirmations an hour.
  await clock.setTime(clock.now() + 3_600_000)
  smtp.received.length = 0
})

type Who = Parameters<StoreStack['ask']>[0]
async function ask(query: string, variables: Record<string, unknown> = {}, who: Who = shop) {
  const { data, errors } = await stack.ask(who, query, variables)
  expect(errors).toBeUndefined()
  return data
}
const RESULT =
  '__typename ... on MailTextSuccess { mailText { kind language subject opening isOwn } } ... on ValidationError { errors { field message } }'
const set = async (input: object) =>
  (await ask(`mutation ($input: SetMailTextInput!) { r: setMailText(input: $input) { ${RESULT} } }`, { input })).r
const reset = async (input: object) =>
  (await ask(`mutation ($input: ResetMailTextInput!) { r: resetMailText(input: $input) { ${RESULT} } }`, { input })).r
const fields = ({ errors }: { errors: { field: string }[] }) => errors.map(({ field }) => field)

/** The e-mail that confirms an order in a language. */
async function confirmation(language: string | null) {
  const product = await shopper.aProduct({ name: 'Cup', price: '1234.5', stock: 3, shippingRequired: false })
  const { data } = await stack.ask(
    ANONYMOUS,
    'mutation ($input: CreateStorefrontCartInput!) { r: createStorefrontCart(input: $input) { ... on CreateStorefrontCartSuccess { token } } }',
    { input: { store: shop.code, language, lines: [{ productId: product }] } },
  )
  const { token } = data.r
  await shopper.update(token, { email: 'ana@example.org', paymentMethodId: await shopper.aPaymentMethod() })
  const { order } = await shopper.complete(token, '1234.5')
  await mails.finished()
  const mail = smtp.received.at(-1)
  const subject = mail?.headers.find((header) => header.startsWith('Subject: '))?.slice('Subject: '.length)
  return { number: order.number as number, subject, text: mail?.text ?? '', html: mail?.html ?? '' }
}

test('an order is confirmed in its language: subject, sentences and amounts', async () => {
  const english = await confirmation(null)
  expect(english.text).toContain(`Thank you for your order ${english.number} at Pots {order} & <Pans>.`)
  expect(english.text).toContain('€1,234.50')
  expect(english.html).toContain('<html lang="en">')
  const portuguese = await confirmation('pt-BR')
  expect(portuguese.text).toContain(`Obrigado pela sua encomenda ${portuguese.number} na Pots {order} & <Pans>.`)
  expect(portuguese.text).toMatch(/€\s1\.234,50/)
  expect(portuguese.text).toContain('Como pagar: Transfer it to PT50.')
  expect(portuguese.text).not.toMatch(/Thank|Payment|Shipping/)
  expect(portuguese.html).toContain('<html lang="pt-BR">')
  // Finnish has no texts of ours.
  const finnish = await confirmation('fi')
  expect(finnish.text).toContain('Thank you for your order')
  expect(finnish.html).toContain('<html lang="en">')
})

test('a merchant replaces subject and first paragraph in a language, and takes that back', async () => {
  const kind = 'ORDER_CONFIRMATION'
  expect(await set({ kind, language: 'fi', subject: 'Tilaus {order}', opening: 'Kiitos!\n{shop}' })).toMatchObject({
    mailText: { kind, language: 'fi', subject: 'Tilaus {order}', isOwn: true },
  })
  const finnish = await confirmation('fi')
  expect(finnish.subject).toBe(`Tilaus ${finnish.number}`)
  // The name of the store is no template.
  expect(finnish.text).toMatch(/Kiitos!\r?\nPots \{order\} & <Pans>/)
  expect(finnish.html).toContain('<html lang="fi">')
  expect(finnish.html).toContain('<p dir="auto">Kiitos!')
  expect(finnish.html).toContain('Pots {order} &amp; &lt;Pans&gt;')
  expect((await confirmation(null)).subject).toContain('Your order')
  expect((await set({ kind, language: 'fi', subject: 'Uusi {order}', opening: 'Kiitos' })).mailText.subject).toBe('Uusi {order}')
  expect((await reset({ kind, language: 'fi' })).mailText).toMatchObject({
    isOwn: false,
    subject: 'Your order {order} at {shop}',
  })
  expect((await confirmation('fi')).subject).toContain('Your order')
  const entries = await stack.sql(`SELECT kind FROM audit_entry WHERE store_id = $1 AND noun = 'MAIL_TEXT' ORDER BY id`, [
    shop.storeId,
  ])
  expect(entries.map((entry) => entry.kind)).toEqual(['CREATED', 'UPDATED', 'DELETED'])
})

test('texts are listed in all languages of the store, and changed with its scope only', async () => {
  const { mailTexts } = await ask('{ mailTexts { kind language isOwn } }')
  expect(mailTexts).toHaveLength(18)
  const other = await stack.aStore({ name: 'Glass' })
  expect((await ask('{ mailTexts { language } }', {}, other)).mailTexts).toHaveLength(6)
  const reader = await agreedApp(stack, shop, { scopes: ['read_settings'] })
  expect((await ask('{ mailTexts { subject } }', {}, reader.caller)).mailTexts).toHaveLength(18)
  const denied = await stack.ask(
    reader.caller,
    'mutation { resetMailText(input: { kind: RETURN_DECLINED, language: "en" }) { __typename } }',
  )
  expect(denied.errors?.[0]?.extensions.code).toBe('FORBIDDEN')
  const text = { kind: 'RETURN_DECLINED', language: 'en', subject: 'No', opening: 'No' }
  expect(fields(await set({ ...text, language: 'sv' }))).toEqual(['language'])
  expect(fields(await reset({ kind: 'RETURN_DECLINED', language: 'sv' }))).toEqual(['language'])
})

test('of former languages a bounded number is stored', async () => {
  const other = await stack.aStore({ name: 'Former' })
  await stack.sql(
    `INSERT INTO mail_text (store_id, kind, language, subject, opening)
      SELECT $1, 'RETURN_DECLINED', 'x-' || number, 'No', 'No' FROM generate_series(1, 130) AS number`,
    [other.storeId],
  )
  const languages = (await ask('{ store { languages { code } } }', {}, other)).store.languages
  const input = { kind: 'RETURN_DECLINED', language: languages[0].code, subject: 'No', opening: 'No' }
  await ask(`mutation ($input: SetMailTextInput!) { r: setMailText(input: $input) { ${RESULT} } }`, { input }, other)
  const rows = await stack.sql('SELECT language FROM mail_text WHERE store_id = $1 ORDER BY id', [other.storeId])
  expect([rows.length, rows[0]?.language, rows.at(-1)?.language]).toEqual([121, 'x-11', languages[0].code])
})

describe('a text', () => {
  test.each([
    [{ subject: ' ' }, 'subject'],
    [{ subject: 'a\nBcc: x@example.org' }, 'subject'],
    [{ subject: 'x'.repeat(151) }, 'subject'],
    [{ subject: '{return}' }, 'subject'],
    [{ opening: 'Hello {name}' }, 'opening'],
    [{ opening: 'x'.repeat(1_001) }, 'opening'],
  ])('is refused with %j', (input, field) => {
    const text = { kind: 'ORDER_CONFIRMATION', subject: 'Order {order}', opening: 'Thanks', ...input } as const
    expect(mailTextProblems(text).map((problem) => problem.field)).toEqual([field])
  })

  test('of ours can be stored by a merchant, in every language', () => {
    for (const tag of ['en', 'de', 'es', 'fr', 'pt'])
      for (const kind of MAIL_TEXT_KINDS) {
        const { code, language } = mailLanguage(tag)
        expect([code, mailTextProblems({ kind, ...language.texts[kind] })]).toEqual([tag, []])
      }
  })

  test('is filled once, and keeps what is no placeholder', () => {
    expect(filledText('{a} {b} {__proto__} {', { a: '{b}', b: '$&' })).toBe('{b} $& {__proto__} {')
  })

  test.each(['xx', '', 'pt_BR', 'constructor', 'fi'])('in the language "%s" is English', (tag) => {
    expect(mailLanguage(tag).code).toBe('en')
  })
})
