import { afterEach, expect, test } from 'vitest'
import { startWorld } from '../subgraphs/trust/collectors/support/world.ts'
import { a } from '../support/dns-server.ts'
import { startTrustStack } from './trust-stack.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** The whole service with real collectors, over an internet on loopback. */
async function aService(options: Parameters<typeof startWorld>[0] = {}) {
  const world = await startWorld({
    // As long as IANA's own, or it would be refused.
    services: (port) => [[Array.from({ length: 600 }, (_, index) => `x${index}`), [`http://127.0.0.1:${port}/`]]],
    ...options,
  })
  cleanups.push(world.close)
  const stack = await startTrustStack({
    config: {
      TRUST_DNS_SERVERS: [world.dns],
      TRUST_LISTS: [{ name: 'iana-rdap', url: `${world.registry.url}/dns.json` }],
      TRUST_OWN_FEEDS: undefined,
      TRUST_DNSBL_ZONES: undefined,
      TRUST_NETWORK_FILES: undefined,
      TRUST_CT_URL: undefined,
      TRUST_WHOIS: true,
      TRUST_REDIRECTS: 'off' as const,
    },
    network: world.network,
  })
  cleanups.push(stack.close)
  stack.subgraph.start?.()
  await expect
    .poll(() => stack.sql("SELECT entries FROM list WHERE name = 'iana-rdap' AND edition IS NOT NULL"))
    .toEqual([{ entries: 601 }])
  return { world, stack, key: await stack.aKey({ plan: 'unlimited' }) }
}

test('500 concurrent requests about one unknown host are one collection', async () => {
  const { world, stack, key } = await aService()
  const replies = await Promise.all(Array.from({ length: 500 }, () => stack.send('POST /v1/decide', key, { domain: 'shop.com' })))
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
  // This internet is on loopback, and a public name that leads there is not to be used.
  expect(new Set(replies.map(({ json }) => json.recommended_action))).toEqual(new Set(['deny']))
  expect(world.dns.queries.filter((each) => each === 'shop.com A')).toHaveLength(1)
  expect({ handshakes: world.handshakes, registrations: world.registrations() }).toEqual({
    handshakes: ['shop.com'],
    registrations: 1,
  })
  expect(await stack.sql('SELECT count(*)::int AS decisions FROM decision')).toEqual([{ decisions: 500 }])
  expect(new Set(replies.map(({ json }) => json.request_id)).size).toBe(500)
})

test('with a registry that never answers, a decision arrives in time, and names the missing source', async () => {
  // A public address, where nobody of this internet listens.
  const { stack, key } = await aService({
    rdap: () => {},
    answer: ({ name, type }) => (type === 'A' ? a(name, '93.184.216.34') : {}),
  })
  const { status, json } = await stack.send('POST /v1/decide', key, { domain: 'shop.com' })
  expect([status, json.uncertainty.drivers]).toEqual([200, expect.arrayContaining(['REGISTRATION_DATA_UNAVAILABLE'])])
  const audit = await stack.send(`GET /v1/decisions/${json.request_id}`, key)
  const sources = audit.json.audit.snapshot.sources.map(({ source, status: found }: { source: string; status: string }) => [
    source,
    found,
  ])
  expect(sources).toEqual(
    expect.arrayContaining([
      ['rdap', 'timeout'],
      ['dns', 'ok'],
    ]),
  )
  expect(json.recommended_action).not.toBe('deny')
})
