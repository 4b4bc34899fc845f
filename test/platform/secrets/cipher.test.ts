import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../../platform/config/config.ts'
import { keyIdIn, keyIdOf, PLAIN_SECRETS, secretCipher } from '../../../platform/secrets/cipher.ts'
import { secretLocation } from '../../../platform/secrets/stored.ts'
import { secretsKeysOf, secretsVariables } from '../../../platform/secrets/variables.ts'

const [key, other] = [randomBytes(32), randomBytes(32)]
const cipher = secretCipher([key])
const column = { schema: 'store', table: 'store', column: 'hooks_token' }
const here = secretLocation(column, 7)

test('a secret is decrypted with its key, and its ciphertext differs each time', () => {
  const [one, two] = [cipher.encrypt(here, 'a secret'), cipher.encrypt(here, 'a secret')]
  expect(one).toMatch(/^v1:[0-9a-f]{8}:[\w-]{16}:[\w-]{32}$/)
  expect(one).not.toBe(two)
  expect(keyIdIn(one)).toBe(keyIdOf(key))
  expect([one, two].map((stored) => cipher.decrypt(here, stored))).toEqual(['a secret', 'a secret'])
  expect(cipher.decrypt(here, cipher.encrypt(here, ''))).toBe('')
})

test.each([
  ['another row', secretLocation(column, 8)],
  ['another column', secretLocation({ ...column, column: 'previous_hooks_token' }, 7)],
  ['another table', secretLocation({ ...column, table: 'shipping_method' }, 7)],
  ['a row of two parts', secretLocation(column, 7, 7)],
])('a secret that was moved to %s is refused', (_, place) => {
  expect(() => cipher.decrypt(place, cipher.encrypt(here, 'a secret'))).toThrow(/belongs to another row/)
})

test('no bit of a secret can be changed', () => {
  const stored = cipher.encrypt(here, 'a secret')
  const start = stored.lastIndexOf(':') + 1
  for (let index = stored.indexOf(':', 3) + 1; index < stored.length; index += 1) {
    // The last letters of a group may hold bits that base64url does not use.
    if (index === start - 1 || index === stored.length - 1) continue
    const changed = `${stored.slice(0, index)}${stored[index] === 'A' ? 'B' : 'A'}${stored.slice(index + 1)}`
    expect(() => cipher.decrypt(here, changed), `letter ${index}`).toThrow()
  }
})

test('the first key encrypts, each decrypts, and one that is missing is named', () => {
  const before = cipher.encrypt(here, 'a secret')
  const both = secretCipher([other, key])
  expect(both.decrypt(here, before)).toBe('a secret')
  expect(keyIdIn(both.encrypt(here, 'a secret'))).toBe(keyIdOf(other))
  expect(() => secretCipher([other]).decrypt(here, before)).toThrow(
    `Expected SECRETS_KEY to include the key ${keyIdOf(key)}, under which store.store.hooks_token of row 7 is encrypted.`,
  )
})

test('what was stored before there was a key is read as it is, also where it looks like something else', () => {
  const looksEncrypted = cipher.encrypt(here, 'x')
  for (const text of ['0123456789abcdef', '', 'v1:', 'v1:zz:a:b', looksEncrypted, 'plain text', `plain ${looksEncrypted}`]) {
    const stored = PLAIN_SECRETS.encrypt(here, text)
    for (const reader of [PLAIN_SECRETS, cipher]) expect(reader.decrypt(here, stored)).toBe(text)
  }
})

const base64 = (bytes: number): string => Buffer.alloc(bytes, 1).toString('base64')

test.each([
  ['too short', base64(31)],
  ['too long', base64(33)],
  ['no base64', 'x y'.padEnd(44, '!')],
  ['hexadecimal', key.toString('hex')],
  ['one of two', `${key.toString('base64')},short`],
  ['one twice', `${key.toString('base64')},${key.toString('base64')}`],
])('SECRETS_KEY that is %s stops the start, and is not repeated', (_, text) => {
  const start = () => readConfig(secretsVariables, { SECRETS_KEY: text })
  expect(start).toThrow(/^Expected SECRETS_KEY to be (32 bytes in base64|at most 10 different keys)/)
  expect(start).not.toThrow(text)
})

test('SECRETS_KEY_FILE is read like SECRETS_KEY, line end or not', () => {
  const file = join(tmpdir(), `secrets-key-${process.pid}`)
  const read = (text: string) => {
    writeFileSync(file, text)
    return secretsKeysOf(readConfig(secretsVariables, { SECRETS_KEY_FILE: file }))
  }
  expect(read(`${key.toString('base64')}, ${other.toString('base64url')}\n`)).toEqual([key, other])
  expect(() => read('nothing')).toThrow(/^Expected SECRETS_KEY_FILE to hold 32 bytes in base64/)
  expect(() => secretsKeysOf(readConfig(secretsVariables, { SECRETS_KEY_FILE: '/no/such/file' }))).toThrow(/cannot be read/)
  expect(secretsKeysOf(readConfig(secretsVariables, {}))).toEqual([])
})
