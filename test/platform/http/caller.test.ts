import { expect, test } from 'vitest'
import { tenantOf } from '../../../platform/http/caller.ts'

test('a caller without credentials is one tenant, whichever addresses of its network it uses', () => {
  const tenantAt = (address: string) => tenantOf({ address, credentials: {} })
  const hosts = Array.from({ length: 100 }, (_, index) => tenantAt(`2001:db8::${index.toString(16)}`))
  expect(new Set(hosts).size).toBe(1)
  expect(hosts).not.toContain(tenantAt('2001:db8:0:1::1'))
  expect(tenantAt('192.0.2.1')).not.toBe(tenantAt('192.0.2.2'))
})
