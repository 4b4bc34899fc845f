import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { GraphQLError, parse } from 'graphql'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../../gateway/gateway.ts'
import { createGateway } from '../../../gateway/library/create-gateway.ts'
import { DEFAULT_LIMITS } from '../../../gateway/limits/limits.ts'
import { createMetrics } from '../../../gateway/observability/metrics.ts'
import type { GatewayOptions } from '../../../gateway/options/gateway-options.ts'
import { hookStagesOf } from '../../../gateway/options/hook-options.ts'
import { operationMiddlewareOf } from '../../../gateway/options/traffic-shaping.ts'
import { compose } from '../../../gateway/planning/composition.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import { ask, REVIEW_SDL, recordingLog, reviewSubgraph, SHOP_SDL, shopSubgraph, supergraphSdl } from '../support/graph.ts'
import { serveRemote } from '../support/remote.ts'

const ACROSS = '{ latestReview { text about { name } } }'
const ANSWER = { latestReview: { text: 'Fine.', about: { name: 'Product b' } } }
const NAME = '{ product(id: "a") { name } }'
const forbidden = new GraphQLError('Not today.', { extensions: { code: 'CLOSED' } })

const CACHE_CONTROL = `extend schema
  @link(url: "https://atrium.example/cacheControl/v1.0", import: ["@cacheControl"])
  @composeDirective(name: "@cacheControl")
  directive @cacheControl(maxAge: Int) on FIELD_DEFINITION | OBJECT`
const cacheable = (sdl: string) =>
  parse(
    `${sdl.replace('import: [', 'import: ["@composeDirective", ').replace('type Product ', 'type Product @cacheControl(maxAge: 60) ')} ${CACHE_CONTROL}`,
  )

/** A gateway with hooks over two servers, whose products may be cached. */
async function aGateway(hooks: NonNullable<GatewayOptions['hooks']>, others: GatewayOptions = {}) {
  const [shop, review] = [await serveRemote(shopSubgraph()), await serveRemote(reviewSubgraph())]
  const supergraph = compose([
    { name: 'shop', url: shop.url, typeDefs: cacheable(SHOP_SDL) },
    { name: 'review', url: review.url, typeDefs: cacheable(REVIEW_SDL) },
  ])
  const gateway = await createGateway({ supergraph, log: recordingLog().log, hooks, ...others })
  onTestFinished(async () => {
    await gateway.close()
    for (const { server } of [shop, review]) server.close().closeAllConnections()
  })
  return { execute: gateway.execute, shop, review }
}

describe('of some subgraphs', () => {
  test('are called for these alone, and others keep their entity cache', async () => {
    const seen: string[] = []
    const note = (call: { subgraph: string }) => void seen.push(call.subgraph)
    const { execute, shop, review } = await aGateway(
      { subgraphs: ['review'], subgraphRequest: note, subgraphResponse: note, operation: () => void seen.push('operation') },
      { entityCache: { maxBytes: 1_000_000 } },
    )
    for (let request = 0; request < 2; request++) expect((await execute({ query: ACROSS })).data).toEqual(ANSWER)
    expect(seen).toEqual(['operation', 'review', 'review', 'operation', 'review', 'review'])
    expect([review.requests.length, shop.requests.length]).toEqual([2, 1])
  })

  test('a coprocessor has subgraphs of its own', async () => {
    const received: string[] = []
    const coprocessor = createServer((request, response) => {
      request.setEncoding('utf8').on('data', (text: string) => void received.push(JSON.parse(text).serviceName))
      request.on('end', () => response.end('{"control":"continue"}'))
    })
    await new Promise<void>((resolve) => coprocessor.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void coprocessor.close())
    const url = `http://127.0.0.1:${(coprocessor.address() as AddressInfo).port}`
    const seen: string[] = []
    const { execute } = await aGateway(
      { subgraphRequest: ({ subgraph }) => void seen.push(subgraph) },
      { coprocessor: { url, subgraphs: ['shop'], stages: { subgraphRequest: {} } } },
    )
    expect((await execute({ query: ACROSS })).data).toEqual(ANSWER)
    expect([seen, received]).toEqual([['review', 'shop'], ['shop']])
  })

  test.each(['hooks', 'coprocessor'])('a name that the supergraph lacks in %s is refused', async (option) => {
    const options = {
      hooks: { subgraphs: ['shpo'], subgraphRequest: () => null },
      coprocessor: { url: 'http://127.0.0.1:1', subgraphs: ['shpo'], stages: { subgraphRequest: {} } },
    }
    const given = {
      supergraph: supergraphSdl(),
      ...(option === 'hooks' ? { hooks: options.hooks } : { coprocessor: options.coprocessor }),
    }
    await expect(createGateway(given)).rejects.toThrow(
      `Expected "${option}.subgraphs" to have names of the supergraph (review, shop), got "shpo".`,
    )
  })
})

test('calls are counted and timed by stage and result, and the labels are bounded', async () => {
  const metrics = createMetrics()
  let act: () => unknown = () => null
  const { log } = recordingLog()
  const hooks = { timeoutMilliseconds: 20, operation: () => act() as never, subgraphRequest: async () => null }
  const stages = hookStagesOf({ hooks }, log, metrics)
  const middleware = operationMiddlewareOf({}, null, stages)
  const links = [shopSubgraph(), reviewSubgraph()].map(createLocalLink)
  const gateway = await startGateway({
    supergraphSdl: supergraphSdl(),
    links,
    limits: DEFAULT_LIMITS,
    log,
    metrics,
    hooks: stages,
    middleware,
  })
  onTestFinished(gateway.close)
  const acts: (() => unknown)[] = [
    () => null,
    () => new Promise<never>(() => {}),
    () => 'a text',
    () => ({ refuse: forbidden }),
    () => {
      throw forbidden
    },
    () => {
      throw new Error('x')
    },
  ]
  for (act of acts) await ask(gateway, NAME)
  const series = (await metrics.values()).filter(({ name }) => name.startsWith('atrium_hook_'))
  const calls = series.find(({ name }) => name === 'atrium_hook_calls_total')?.values ?? []
  expect(
    Object.fromEntries(calls.map(({ labels, value }) => [`${labels.hook} ${labels.stage} ${labels.outcome}`, value])),
  ).toEqual({
    'function operation ok': 1,
    'function operation timeout': 1,
    'function operation error': 2,
    'function operation refused': 2,
    'function subgraphRequest ok': 1,
  })
  const durations = series.find(({ name }) => name === 'atrium_hook_duration_seconds')?.values ?? []
  const counts = durations.filter(({ metricName }) => metricName?.endsWith('_count'))
  expect(counts.map(({ labels, value }) => [labels.stage, value])).toEqual([
    ['operation', 6],
    ['subgraphRequest', 1],
  ])
})
