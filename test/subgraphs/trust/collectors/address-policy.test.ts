import { expect, test } from 'vitest'
import { specialRange } from '../../../../subgraphs/trust/collectors/address-policy.ts'

const REFUSED: readonly (readonly [address: string, why: string])[] = [
  ['0.0.0.0', 'this host'],
  ['0.1.2.3', 'this network'],
  ['10.0.0.5', 'private'],
  ['100.64.0.1', 'carrier-grade NAT'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'all of 127/8 is loopback'],
  ['169.254.169.254', 'metadata of clouds'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'the end of 172.16/12'],
  ['192.0.0.1', 'protocol assignments'],
  ['192.0.2.1', 'documentation'],
  ['192.31.196.1', 'AS112'],
  ['192.52.193.1', 'AMT'],
  ['192.88.99.1', '6to4 relay'],
  ['192.168.1.1', 'private'],
  ['192.175.48.1', 'AS112'],
  ['198.18.0.1', 'benchmarking'],
  ['198.51.100.1', 'documentation'],
  ['203.0.113.1', 'documentation'],
  ['224.0.0.1', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['::7f00:1', 'IPv4-compatible loopback'],
  ['::ffff:10.0.0.1', 'mapped private'],
  ['::ffff:8.8.8.8', 'mapped, even of a public one'],
  ['::ffff:0:7f00:1', 'translated loopback'],
  ['64:ff9b::10.0.0.1', 'NAT64 of a private one'],
  ['64:ff9b::8.8.8.8', 'NAT64 of a public one'],
  ['64:ff9b:1::1', 'local NAT64'],
  ['100::1', 'discard'],
  ['100:0:0:1::1', 'dummy'],
  ['2001::1', 'Teredo'],
  ['2001:2::1', 'benchmarking'],
  ['2001:10::1', 'ORCHID'],
  ['2001:20::1', 'ORCHIDv2'],
  ['2001:db8::1', 'documentation'],
  ['2002:7f00:1::', '6to4 of loopback'],
  ['2620:4f:8000::1', 'AS112'],
  ['3fff::1', 'documentation'],
  ['4000::1', 'not given out'],
  ['5f00::1', 'segment routing'],
  ['fc00::1', 'unique local'],
  ['fd12:3456::1', 'unique local'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'with a zone'],
  ['fec0::1', 'site-local'],
  ['ff02::1', 'multicast'],
  ['0x7f.1', 'not plain digits'],
  ['2130706433', 'a number'],
  ['localhost', 'a name'],
  ['', 'nothing'],
]

test.each(REFUSED)('%s is refused: %s', (address) => {
  expect(specialRange(address)).not.toBeNull()
})

test.each(['93.184.216.34', '8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1', '2001:4860::8888'])(
  '%s is public',
  (address) => {
    expect(specialRange(address)).toBeNull()
  },
)
