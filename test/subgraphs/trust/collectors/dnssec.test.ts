import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DnsEvidence } from '../../../../subgraphs/trust/evidence.ts'
import { type DnsServer, REFUSED, startDnsServer } from '../../../support/dns-server.ts'
import { hasSigningServers, startSignedZones } from './support/signed-zones.ts'
import { startTrust, type Trust } from './support/trust.ts'

test.runIf(process.env.REQUIRE_SIGNING)('the servers are installed where they must be', () => {
  expect(hasSigningServers).toBe(true)
})

describe.skipIf(!hasSigningServers)('a real chain of signatures (needs knotd, keymgr and unbound on the PATH)', () => {
  let zones: Awaited<ReturnType<typeof startSignedZones>>
  let trust: Trust
  let refusing: DnsServer
  beforeAll(async () => {
    refusing = await startDnsServer(() => ({ rcode: REFUSED }))
    zones = await startSignedZones(refusing)
    trust = await startTrust({ dns: zones.resolver })
  })
  afterAll(async () => {
    await trust.close()
    await zones.close()
    await refusing.close()
  })

  test.each<{ why: string; host: string; expected: Partial<DnsEvidence> | object }>([
    {
      why: 'signed up to the root',
      host: 'signed.test',
      expected: { status: 'ok', facts: { a: ['93.184.216.34'], spf: 'v=spf1 -all', dnssec: 'secure' } },
    },
    {
      why: 'nobody vouches for it',
      host: 'unsigned.test',
      expected: { status: 'ok', facts: { a: ['93.184.216.34'], dnssec: 'insecure' } },
    },
    {
      why: 'another key than the one that is vouched for',
      host: 'swapped.test',
      expected: { status: 'ok', facts: { dnssec: 'bogus' } },
    },
    { why: 'vouched for, and not signed', host: 'stripped.test', expected: { status: 'ok', facts: { dnssec: 'bogus' } } },
    { why: 'its servers know nothing of it', host: 'lame.test', expected: { status: 'failed', reason: 'servfail' } },
    { why: 'proof that there is no such name', host: 'no.signed.test', expected: { status: 'absent', reason: 'nxdomain' } },
  ])('$host: $why', async ({ host, expected }) => {
    expect(await trust.ask('dns', host, host === 'no.signed.test' ? 'signed.test' : host)).toMatchObject(expected)
  })
})
