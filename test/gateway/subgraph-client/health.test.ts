import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'graphql'
import { expect, onTestFinished, test } from 'vitest'
import { compose } from '../../../gateway/planning/composition.ts'
import { checkReachability, isReady, respondsToGraphql } from '../../../gateway/subgraph-client/health.ts'
import { REVIEW_SDL, reviewSubgraph, SHOP_SDL, shopSubgraph } from '../support/graph.ts'
import { hangs, replies, resets } from '../support/http-graph.ts'
import { startProgram } from '../support/program.ts'
import { type Remote, serveRemote } from '../support/remote.ts'

async function aRemote(subgraph = shopSubgraph()): Promise<Remote> {
  const remote = await serveRemote(subgraph)
  onTestFinished(() => void remote.server.close().closeAllConnections())
  return remote
}

const long = () => AbortSignal.timeout(10_000)

test.each([
  { what: 'answers', flaw: null, isThere: true },
  { what: 'wants to know who asks', flaw: replies(401), isThere: true },
  { what: 'does not like the question', flaw: replies(400), isThere: true },
  { what: 'wants fewer questions', flaw: replies(429), isThere: true },
  { what: 'is not known to its proxy', flaw: replies(404), isThere: false },
  { what: 'is somewhere else', flaw: replies(307, { location: 'http://127.0.0.1:1/' }), isThere: false },
  { what: 'fails', flaw: replies(500), isThere: false },
  { what: 'is behind a proxy that cannot find it', flaw: replies(502), isThere: false },
  { what: 'resets the connection', flaw: resets, isThere: false },
])('a foreign subgraph that $what counts as available: $isThere', async ({ flaw, isThere }) => {
  const shop = await aRemote()
  shop.always = flaw
  expect(await respondsToGraphql(shop.url, long()).catch(() => false)).toBe(isThere)
  expect(JSON.parse(shop.requests[0]?.body ?? '')).toEqual({ query: '{ __typename }' })
})

test('a subgraph of ours is there when it says so', async () => {
  const shop = await aRemote()
  const base = shop.url.replace('/graphql', '')
  for (const [status, isThere] of [
    [200, true],
    [503, false],
    [302, false],
  ] as const) {
    shop.always = replies(status, { location: base })
    expect(await isReady(base, long())).toBe(isThere)
  }
})

test('a gateway is of use while it reaches any, and one that says nothing does not speak for the others', async () => {
  const [shop, review] = [await aRemote(), await aRemote(reviewSubgraph())]
  const all = [
    { name: 'shop', url: shop.url },
    { name: 'review', url: review.url },
  ]
  expect(await checkReachability(all, respondsToGraphql, long())).toEqual({ degraded: [] })
  shop.always = hangs
  expect(await checkReachability(all, respondsToGraphql, long())).toEqual({ degraded: ['shop'] })
  review.always = resets
  await expect(checkReachability(all, respondsToGraphql, long())).rejects.toThrow('Expected a reachable subgraph, got none.')
})

test('node gateway/main.ts is ready while it reaches any subgraph of the graph that it serves', async () => {
  const [shop, review] = [await aRemote(), await aRemote(reviewSubgraph())]
  const folder = mkdtempSync(join(tmpdir(), 'atrium-reached-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'supergraph.graphql')
  const SHOP = { name: 'shop', typeDefs: parse(SHOP_SDL), url: shop.url }
  const REVIEW = { name: 'review', typeDefs: parse(REVIEW_SDL), url: review.url }
  writeFileSync(file, compose([SHOP, REVIEW]))
  const program = await startProgram({ SUPERGRAPH_FILE: file })
  onTestFinished(program.stop)
  const ready = async () => {
    const answer = await fetch(`${program.base}/ready`)
    return [answer.status, await answer.json()]
  }

  expect(await ready()).toEqual([200, { status: 'ready', checks: { subgraphs: 'ok' } }])
  review.always = hangs
  const poorer = { status: 'ready', checks: { subgraphs: 'degraded' }, without: { subgraphs: ['review'] } }
  expect(await ready()).toEqual([200, poorer])
  shop.always = replies(503)
  expect(await ready()).toEqual([503, { status: 'unavailable', checks: { subgraphs: 'failing' } }])

  const other = await aRemote()
  writeFileSync(file, compose([{ ...SHOP, url: other.url }]))
  await expect.poll(() => program.said('the supergraph was replaced')).toHaveLength(1)
  expect(await ready()).toEqual([200, { status: 'ready', checks: { subgraphs: 'ok' } }])
})

test.each([
  'http://me:hunter2@127.0.0.1:4001/',
  'https://me@127.0.0.1/graphql',
  'http://:hunter2@127.0.0.1/',
  'ftp://me:hunter2@x',
])('node gateway/main.ts refuses credentials in an address, and does not repeat them: %s', async (url) => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-reached-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'supergraph.graphql')
  writeFileSync(file, compose([{ name: 'shop', typeDefs: parse(SHOP_SDL), url }]))
  const { ended, base: said } = await startProgram({ SUPERGRAPH_FILE: file })
  expect(await ended).toBe(1)
  expect(said).toContain('subgraph "shop" is at an address with a user name or a password: expected one without.')
  expect(said).not.toMatch(/hunter2|me@|me:/)
})
