import { createRemoteJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startStack } from './stack.ts'

let stack: Awaited<ReturnType<typeof startStack>>
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack.close())

test('a token of a sign-in is verified by the keys at /.well-known/jwks.json, as any JWT library does it', async () => {
  const query = `mutation { createUser(input: { email: "ann@example.org", name: "Ann", password: "correct horse" }) { user { id } }
    login(email: "ann@example.org", password: "correct horse") { ... on LoginSuccess { token } } }`
  const prepared = stack.gateway.prepareText(query, undefined)
  if (prepared.kind === 'rejected') throw new Error(JSON.stringify(prepared.errors))
  const caller = { requestId: 'test', address: '127.0.0.1', credentials: {} }
  const { data } = await prepared.run({}, { caller, signal: new AbortController().signal })
  const { token } = (data?.login ?? {}) as { token: string }

  const keys = createRemoteJWKSet(new URL(`${stack.url}/.well-known/jwks.json`))
  const { payload } = await jwtVerify(token, keys, { issuer: 'atrium' })
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(15 * 60)
  await expect(jwtVerify(`${token.slice(0, -4)}AAAA`, keys)).rejects.toThrow('signature')
})

test('the keys are public members only, cached for minutes, and have an entity tag', async () => {
  const answer = await fetch(`${stack.url}/.well-known/jwks.json`)
  const { keys } = (await answer.json()) as { keys: object[] }
  expect(keys.length).toBeGreaterThan(0)
  for (const key of keys) expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x'])
  expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
  const etag = answer.headers.get('etag') ?? ''
  expect((await fetch(`${stack.url}/.well-known/jwks.json`, { headers: { 'if-none-match': etag } })).status).toBe(304)
  expect((await fetch(`${stack.url}/.well-known/jwks.json`, { method: 'POST' })).status).toBe(405)
})
