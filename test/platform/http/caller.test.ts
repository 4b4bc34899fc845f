import { expect, test } from 'vitest'
import { tenantOf } from '../../../platform/http/caller.ts'
import { rememberVerified } from '../../../platform/http/verified-credentials.ts'

test('a caller without credentials is one tenant, whichever addresses of its network it uses', () => {
  const tenantAt = (address: string) => tenantOf({ address, credentials: {} })
  const hosts = Array.from({ length: 100 }, (_, index) => tenantAt(`2001:db8::${index.toString(16)}`))
  expect(new Set(hosts).size).toBe(1)
  expect(hosts).not.toContain(tenantAt('2001:db8:0:1::1'))
  expect(tenantAt('192.0.2.1')).not.toBe(tenantAt('192.0.2.2'))
})

test('made-up credentials are the tenant of their address, however many', () => {
  const alone = tenantOf({ address: '192.0.2.1', credentials: {} })
  for (const name of ['x-auth-token', 'x-api-key', 'authorization'] as const)
    expect(tenantOf({ address: '192.0.2.1', credentials: { [name]: `made up for ${name}` } })).toBe(alone)
})

test('verified credentials are their owner from all addresses, and nothing beside them lengthens other lines', () => {
  for (const token of ['Bearer first', 'Bearer second']) rememberVerified(token, 'user 1')
  const of = (credentials: Parameters<typeof tenantOf>[0]['credentials'], address = '192.0.2.1') =>
    tenantOf({ address, credentials })
  expect(of({ authorization: 'Bearer first' })).toBe('user 1')
  expect(of({ authorization: 'Bearer second' }, '192.0.2.2')).toBe('user 1')
  expect(of({ authorization: 'Bearer first', 'x-api-key': 'made up' })).toBe('user 1')
})
