import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../../platform/config/config.ts'
import { createMailer } from '../../../platform/mail/mailer.ts'
import { type MailMessage, plainTextOf } from '../../../platform/mail/message.ts'
import { type MailServer, mailServerOf, mailVariables } from '../../../platform/mail/variables.ts'
import { startSmtpServer, type TestSmtpServer } from '../../support/smtp-server.ts'

let smtp: TestSmtpServer
beforeAll(async () => {
  smtp = await startSmtpServer()
})
afterAll(() => smtp.close())
beforeEach(() => {
  smtp.received.length = 0
  smtp.faults.length = 0
})

const NEVER = new AbortController().signal
const config = (env: Record<string, string>): MailServer | null => mailServerOf(readConfig(mailVariables, env))
const mailer = (url = smtp.url, timeoutMs = 10_000) => {
  const server = config({ MAIL_URL: url, MAIL_FROM: 'orders@atrium.example' })
  if (!server) throw new Error('Expected a server.')
  return createMailer(server, { timeoutMs })
}
const aMessage = (changes: Partial<MailMessage> = {}): MailMessage => ({
  id: '6a1b',
  to: 'ana@example.org',
  fromName: 'Pottery & Söhne',
  replyTo: 'hello@pottery.example',
  subject: 'Your order 1007 – thanks',
  blocks: [
    { kind: 'text', text: 'Thank you.\nIt is on its way.' },
    { kind: 'table', rows: [['2 × Cup', '€20.00']] },
    { kind: 'link', text: 'See your order', url: 'https://shop.example/orders/x?a=1&b=2' },
  ],
  ...changes,
})

describe('a message', () => {
  test('arrives as plain text and HTML, from the name of the shop, with an id that does not change', async () => {
    expect(await mailer().send(aMessage(), NEVER)).toEqual({ kind: 'sent' })
    const [mail] = smtp.received
    expect(mail).toMatchObject({ from: 'orders@atrium.example', to: ['ana@example.org'] })
    expect(mail?.headers).toEqual(
      expect.arrayContaining([
        'Message-ID: <6a1b@atrium.example>',
        'To: ana@example.org',
        'Reply-To: hello@pottery.example',
        'Auto-Submitted: auto-generated',
      ]),
    )
    expect(mail?.headers.find((header) => header.startsWith('From: '))).toMatch(/<orders@atrium\.example>$/)
    expect(mail?.text.replaceAll('\r\n', '\n')).toContain(
      'Thank you.\nIt is on its way.\n\n2 × Cup: €20.00\n\nSee your order:\nhttps://shop.example/orders/x?a=1&b=2\n',
    )
    expect(mail?.html).toContain('<a href="https://shop.example/orders/x?a=1&amp;b=2">See your order</a>')
  })

  test('has values in its HTML as text, whatever they contain', async () => {
    await mailer().send(aMessage({ blocks: [{ kind: 'table', rows: [['<script>alert(1)</script>', '"\'&']] }] }), NEVER)
    const [mail] = smtp.received
    expect(mail?.html).not.toContain('<script')
    expect(mail?.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(mail?.html).toContain('&quot;&#39;&amp;')
  })

  test.each([
    ['a subject', { subject: 'Hi\r\nBcc: eve@evil.example\r\n\r\n<b>x</b>' }],
    ['a subject with a line separator', { subject: 'Hi\u2028Bcc: eve@evil.example' }],
    ['a name', { fromName: 'Shop\r\nBcc: eve@evil.example' }],
    ['a name with an address', { fromName: 'Shop" <eve@evil.example>, "x' }],
    ['an id', { id: 'x>\r\nBcc: eve@evil.example' }],
    ['an address of answers', { replyTo: 'a@b.example\r\nBcc: eve@evil.example' }],
    ['an address of answers that is two', { replyTo: 'a@b.example,eve@evil.example' }],
  ])('gets no header and no receiver from %s', async (_, changes) => {
    expect(await mailer().send(aMessage(changes), NEVER)).toEqual({ kind: 'sent' })
    const [mail] = smtp.received
    expect(mail?.to).toEqual(['ana@example.org'])
    const names = mail?.headers.map((header) => header.split(':')[0])
    const usual = ['Auto-Submitted', 'Content-Type', 'Date', 'From', 'MIME-Version', 'Message-ID', 'Reply-To', 'Subject', 'To']
    expect(usual).toEqual(expect.arrayContaining(names ?? []))
    expect(mail?.headers.filter((header) => header.startsWith('From: '))).toHaveLength(1)
  })

  test.each([
    'ana@example.org,eve@evil.example',
    'ana@example.org\r\nRCPT TO:<eve@evil.example>',
    '<ana@example.org>',
    '"ana"@example.org',
    'ana',
    `${'a'.repeat(65)}@example.org`,
  ])('to %j is refused without an SMTP command', async (to) => {
    const before = smtp.attempts()
    expect(await mailer().send(aMessage({ to }), NEVER)).toMatchObject({ kind: 'refused' })
    expect(smtp.attempts()).toBe(before)
  })

  test('is bounded, however much it is made of', () => {
    const text = plainTextOf([
      { kind: 'text', text: 'x'.repeat(1_000_000) },
      ...Array.from({ length: 1_000 }, () => ({ kind: 'text' as const, text: 'more' })),
      { kind: 'table', rows: Array.from({ length: 10_000 }, () => ['label', 'value'] as const) },
    ])
    expect(text.length).toBeLessThan(6_000)
    expect(plainTextOf([{ kind: 'table', rows: Array.from({ length: 300 }, () => ['a', 'b'] as const) }])).toContain('200 more')
  })
})

describe('a server', () => {
  test.each([
    ['busy', 'failed', 'EMESSAGE DATA 451'],
    ['unknown', 'refused', 'EENVELOPE RCPT TO 550'],
    ['drop', 'failed', /^ECONNECTION/],
    ['drop-late', 'failed', /^ECONNECTION/],
  ] as const)('that is "%s" makes the attempt one that %s', async (fault, kind, reason) => {
    smtp.faults.push(fault)
    expect(await mailer().send(aMessage(), NEVER)).toEqual({
      kind,
      reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
    })
  })

  test('that says nothing is waited for until the deadline, or until the process stops', async () => {
    smtp.faults.push('silent', 'silent')
    expect(await mailer(smtp.url, 300).send(aMessage(), NEVER)).toMatchObject({ kind: 'failed' })
    const stopped = new AbortController()
    const sending = mailer().send(aMessage(), stopped.signal)
    stopped.abort()
    expect(await sending).toMatchObject({ kind: 'failed' })
    expect(smtp.received).toEqual([])
  })

  test('that is not there makes the attempt fail', async () => {
    expect(await mailer('smtp://127.0.0.1:1').send(aMessage(), NEVER)).toMatchObject({ kind: 'failed' })
  })

  test('gets the password, and a wrong one says nothing of it', async () => {
    const secured = await startSmtpServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _, done) =>
        username === 'shop' && password === 'pa:ss' ? done(null, { user: 'shop' }) : done(new Error('wrong')),
    })
    const at = (user: string) => `smtp://${user}@127.0.0.1:${secured.port}`
    expect(await mailer(at('shop:pa%3Ass')).send(aMessage(), NEVER)).toEqual({ kind: 'sent' })
    const refused = await mailer(at('shop:secret-word')).send(aMessage(), NEVER)
    expect(refused.kind).toBe('failed')
    expect(JSON.stringify(refused)).not.toContain('secret-word')
    await secured.close()
  })
})

describe('settings', () => {
  test('name a server and the address that everything is sent from', () => {
    expect(config({})).toBeNull()
    expect(config({ MAIL_URL: 'smtps://a:b%40c@mail.example', MAIL_FROM: 'x@y.example' })).toEqual({
      host: 'mail.example',
      port: 465,
      isSecure: true,
      credentials: { user: 'a', password: 'b@c' },
      from: 'x@y.example',
    })
    expect(config({ MAIL_URL: 'smtp://[::1]:2525', MAIL_FROM: 'x@y.example' })).toMatchObject({ host: '::1', port: 2525 })
  })

  test.each([
    ['http://mail.example'],
    ['smtp://mail.example/path'],
    ['smtp://mail.example?pool=true'],
    ['smtp://user@mail.example'],
    ['smtp://user:%0d%0a@mail.example'],
    ['smtp://user:%ff@mail.example'],
    ['smtp://'],
  ])('refuse %s without repeating it', (url) => {
    expect(() => config({ MAIL_URL: url, MAIL_FROM: 'x@y.example' })).toThrow(/^Expected MAIL_URL to be an SMTP server such as/)
  })

  test('refuse one of the two alone, and an address that is a list', () => {
    expect(() => config({ MAIL_URL: 'smtp://mail.example' })).toThrow(/together/)
    expect(() => config({ MAIL_FROM: 'x@y.example' })).toThrow(/together/)
    expect(() => config({ MAIL_URL: 'smtp://mail.example', MAIL_FROM: 'a@b.example, c@d.example' })).toThrow(/MAIL_FROM/)
  })
})
