import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { variables } from '../../config.ts'
import { readConfig } from '../../platform/config/config.ts'
import { securityFiles } from '../../web/security/files.ts'
import { type Atrium, startAtrium } from '../security/support/atrium.ts'

const PUBLIC_URL = 'https://atrium.example'
const CONTACTS = ['https://atrium.example/report', 'mailto:security@atrium.example', 'tel:+351-210-000-000']
const DAY_MS = 86_400_000

const root = join(import.meta.dirname, '../..')

/**
 * The fields of a security.txt, by the grammar of RFC 9116 §4: comments, empty lines, and `name:
 * value`. Throws for anything else.
 */
function fieldsOf(text: string): readonly (readonly [name: string, value: string])[] {
  expect(text).toMatch(/\n$/)
  return text
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', value = ''] = /^([A-Za-z][A-Za-z-]*): (\S.*)$/.exec(line) ?? []
      if (name === '') throw new Error(`Expected a field, got ${line}`)
      return [name, value]
    })
}

/** Breaches of RFC 9116 §2.5. */
function breachesOf(text: string, now: Date): readonly string[] {
  const fields = fieldsOf(text)
  const all = (name: string) => fields.filter(([each]) => each === name).map(([, value]) => value)
  const expires = Date.parse(all('Expires')[0] ?? '')
  const pages = ['Contact', 'Canonical', 'Policy'].flatMap(all).filter((value) => /^https?:/i.test(value))
  return [
    ...(all('Contact').length > 0 ? [] : ['§2.5.3: Contact is missing']),
    ...all('Contact')
      .filter((value) => !URL.canParse(value))
      .map((value) => `§2.5.3: ${value} is no URI`),
    ...(all('Expires').length === 1 ? [] : ['§2.5.5: Expires must be there once']),
    ...(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(all('Expires')[0] ?? '') ? [] : ['§2.5.5: Expires is no time of RFC 3339']),
    ...(expires > now.getTime() && expires < now.getTime() + 365 * DAY_MS ? [] : ['§2.5.5: Expires is not within a year']),
    ...(all('Preferred-Languages').length <= 1 ? [] : ['§2.5.8: Preferred-Languages must not be there twice']),
    ...pages.filter((value) => !value.startsWith('https://')).map((value) => `§2.5: ${value} is not https`),
  ]
}

describe('on https', () => {
  let atrium: Atrium
  beforeAll(async () => {
    atrium = await startAtrium({ PUBLIC_URL })
  }, 60_000)
  afterAll(() => atrium?.stop())

  test('security.txt conforms to RFC 9116', async () => {
    const { status, headers, text } = await atrium.ask('/.well-known/security.txt')
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(breachesOf(text, new Date())).toEqual([])
    expect(fieldsOf(text).filter(([name]) => name !== 'Expires')).toEqual([
      ['Contact', `${PUBLIC_URL}/security-policy`],
      ['Canonical', `${PUBLIC_URL}/.well-known/security.txt`],
      ['Policy', `${PUBLIC_URL}/security-policy`],
      ['Preferred-Languages', 'en'],
    ])
  })

  test('the policy that it names is SECURITY.md', async () => {
    const { status, headers, text } = await atrium.ask('/security-policy')
    expect([status, headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8'])
    expect(text).toBe(readFileSync(join(root, 'SECURITY.md'), 'utf8'))
  })
})

test('SECURITY_CONTACT is named instead, in its order; over http the file says that it is not valid', async () => {
  const atrium = await startAtrium({ SECURITY_CONTACT: CONTACTS.join(', ') })
  try {
    const { text } = await atrium.ask('/.well-known/security.txt')
    expect(fieldsOf(text).filter(([name]) => name === 'Contact')).toEqual(CONTACTS.map((contact) => ['Contact', contact]))
    expect(text).toMatch(/^# Not valid by RFC 9116: PUBLIC_URL is not https\.\n/)
    expect(breachesOf(text, new Date()).every((breach) => breach.endsWith('is not https'))).toBe(true)
  } finally {
    await atrium.stop()
  }
}, 60_000)

test('it expires 300 days after the start', async () => {
  const startedAt = new Date('2026-12-31T23:59:59.500Z')
  const [row] = securityFiles([], startedAt)
  const site = { publicUrl: PUBLIC_URL } as never
  const text = await row?.text({ path: {}, run: (() => {}) as never, site })
  expect(text).toContain('Expires: 2027-10-27T23:59:59Z\n')
  expect(breachesOf(text ?? '', new Date('2027-10-27T00:00:00Z'))).toEqual([])
  expect(breachesOf(text ?? '', new Date('2027-10-28T00:00:00Z'))).toEqual(['§2.5.5: Expires is not within a year'])
})

test.each([
  'http://atrium.example/report',
  'security@atrium.example',
  'mailto:nobody',
  'https://',
  'javascript:alert(1)',
  'https://a b',
])('SECURITY_CONTACT is not %s', (SECURITY_CONTACT) => {
  expect(() => readConfig(variables, { SECURITY_CONTACT })).toThrow(
    `Expected SECURITY_CONTACT to be https, mailto or tel addresses, separated by commas, got "${SECURITY_CONTACT}".`,
  )
})

test('SECURITY.md says what a reporter looks for, and leaves nothing to be filled in', () => {
  const policy = readFileSync(join(root, 'SECURITY.md'), 'utf8')
  const headings = [...policy.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
  expect(headings).toEqual(['Supported versions', 'Reporting a vulnerability', 'What to expect', 'Safe harbour', 'Scope'])
  expect(policy).not.toMatch(/TODO|TBD|example\.(?:com|org)|\[[A-Z ]+\]|<[a-z-]+>/)
})
