import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { trustedProxies } from '../../gateway/client-address.ts'

const asked = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: { ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }) },
  }) as unknown as IncomingMessage

test.each([
  ['nobody is trusted', [], '10.0.0.1', '203.0.113.7', '10.0.0.1'],
  ['a proxy that is trusted says who asks', ['10.0.0.0/8'], '10.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['what a client wrote before that is not believed', ['10.0.0.0/8'], '10.0.0.1', '1.1.1.1, 203.0.113.7', '203.0.113.7'],
  ['several proxies stand in a row', ['10.0.0.0/8', '192.0.2.1'], '10.0.0.1', '203.0.113.7, 192.0.2.1', '203.0.113.7'],
  ['a stranger says something', ['10.0.0.0/8'], '198.51.100.1', '203.0.113.7', '198.51.100.1'],
  ['IPv4 comes over IPv6', ['10.0.0.0/8'], '::ffff:10.0.0.1', '2001:db8::7', '2001:db8::7'],
  ['a network of IPv6 is trusted', ['fd00::/8'], 'fd00::1', '203.0.113.7', '203.0.113.7'],
  ['a trusted proxy says nothing', ['10.0.0.1'], '10.0.0.1', undefined, '10.0.0.1'],
  ['a trusted proxy says nonsense', ['10.0.0.1'], '10.0.0.1', 'me', 'me'],
])('the address of a client when %s', (_, networks, remote, forwarded, expected) => {
  expect(trustedProxies(networks).addressOf(asked(remote, forwarded))).toBe(expected)
})
