import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { linkSecretsOf, locationsOf, splitVariables } from '../../../gateway/signed-link/variables.ts'
import { readConfig } from '../../../platform/config/config.ts'

const read = (env: Readonly<Record<string, string>>) => readConfig(splitVariables, env)
const [one, other] = ['a'.repeat(32), 'b'.repeat(32)]

test('the secret of the links comes from a variable or a file, and several may be valid', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-secret-'))
  const file = join(folder, 'secret')
  writeFileSync(file, `${one},${other}\n`)
  try {
    expect(linkSecretsOf(read({ LINK_SECRET: `${one}, ${other}` }))).toEqual([one, other])
    expect(linkSecretsOf(read({ LINK_SECRET_FILE: file }))).toEqual([one, other])
    writeFileSync(file, 'short')
    expect(() => linkSecretsOf(read({ LINK_SECRET_FILE: file }))).toThrow(
      'Expected LINK_SECRET_FILE to hold at least 32 characters',
    )
    expect(() => linkSecretsOf(read({ LINK_SECRET_FILE: join(folder, 'none') }))).toThrow('cannot be read')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test.each([
  [{ LINK_SECRET: 'hunter2' }, 'Expected LINK_SECRET to be at least 32 characters.'],
  [{ LINK_SECRET: `${one},short` }, 'Expected LINK_SECRET to be at least 32 characters.'],
  [{ ATRIUM_ROLE: 'shop' }, 'Expected ATRIUM_ROLE to be one of all, gateway, directory, social, store, trust, got "shop".'],
  [{ SUBGRAPH_STORE_URL: 'http://store:4000/graphql' }, 'Expected SUBGRAPH_STORE_URL to be an http or https URL without a path'],
])('%j is refused in words, without the secret', (env, message) => {
  expect(() => read(env)).toThrow(message)
})

test.each(['http://me@store:4000', 'http://me:hunter2@store:4000', 'http://:hunter2@store:4000'])(
  'an address with credentials is refused, and not repeated: %s',
  (url) => {
    expect(() => read({ SUBGRAPH_STORE_URL: url })).toThrow(
      /^Expected SUBGRAPH_STORE_URL to be an http or https URL without a path .*, got "http:\/\/…@store:4000"\.$/,
    )
  },
)

test('a gateway names each subgraph without a configured URL', () => {
  expect(() => linkSecretsOf(read({}))).toThrow('Expected LINK_SECRET or LINK_SECRET_FILE to be set')
  const some = read({ ATRIUM_ROLE: 'gateway', SUBGRAPH_TRUST_URL: 'http://trust:4000/', SUBGRAPH_STORE_URL: 'http://store:4000' })
  expect(() => locationsOf(some)).toThrow(
    'Expected SUBGRAPH_DIRECTORY_URL, SUBGRAPH_SOCIAL_URL to be set, because ATRIUM_ROLE is "gateway".',
  )
})
