import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { ApolloServer } from '@apollo/server'
import { ApolloServerPluginUsageReporting } from '@apollo/server/plugin/usageReporting'
import { startStandaloneServer } from '@apollo/server/standalone'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { atriumGateway } from '../../../gateway/apollo/atrium-gateway.ts'
import { anApolloServer, type KINDS } from '../support/apollo-servers.ts'
import { reviewSubgraph, shopSubgraph, supergraphSdl } from '../support/graph.ts'
import { type Remote, serveRemote } from '../support/remote.ts'

const REPORTS_PACKAGE = '@apollo/usage-reporting-protobuf'
// biome-ignore lint/suspicious/noExplicitAny: reports are read by the paths that each test knows.
type Data = any
const { Report } = createRequire(createRequire(import.meta.url).resolve('@apollo/server'))(REPORTS_PACKAGE) as {
  Report: { decode: (bytes: Uint8Array) => Data; toObject: (report: Data, options: object) => Data }
}

const QUIET = { debug() {}, info() {}, warn() {}, error() {} }
const servers: ApolloServer[] = []
let supergraph: string
beforeAll(async () => {
  // Apollo Server sends traces of resolvers where its schema is a subgraph's.
  const urls = await Promise.all(
    [shopSubgraph(), reviewSubgraph()].map(async ({ schema }) => {
      const server = new ApolloServer({ schema, logger: QUIET, stopOnTerminationSignals: false })
      servers.push(server)
      return (await startStandaloneServer(server, { listen: { port: 0, host: '127.0.0.1' } })).url
    }),
  )
  supergraph = supergraphSdl({ shop: urls[0] ?? '', review: urls[1] ?? '' })
})
afterAll(() => Promise.all(servers.map((server) => server.stop())))

/** What the usage reporting of one gateway sends about one operation: as a trace, or as statistics. */
async function reported(kind: (typeof KINDS)[number], body: object, asTrace: boolean, sdl = supergraph): Promise<Data> {
  const reports: Buffer[] = []
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    reports.push(Buffer.concat(chunks))
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  onTestFinished(() => void receiver.close().closeAllConnections())
  const plugins = [
    ApolloServerPluginUsageReporting({
      endpointUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
      sendReportsImmediately: true,
      fieldLevelInstrumentation: 1,
      sendErrors: { unmodified: true },
      experimental_sendOperationAsTrace: () => asTrace,
    }),
  ]
  const apollo = { key: 'service:graph:key', graphRef: 'graph@current' }
  const { send } = await anApolloServer(kind, { supergraphSdl: sdl }, { plugins, apollo })
  await send(body)
  await expect.poll(() => reports.length).toBe(1)
  const report = Report.toObject(Report.decode(gunzipSync(reports[0] ?? Buffer.alloc(0))), { longs: Number, bytes: String })
  return Object.values(report.tracesPerQuery)[0]
}

const TIMES = new Set(['sentTime', 'receivedTime', 'sentTimeOffset', 'startTime', 'endTime', 'durationNs', 'latencyCount'])

/** Without what is another number each time. */
const withoutTimes = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, each) => (TIMES.has(key) ? `has ${key}` : each)))

const ACROSS = `query Across($with: Boolean = true) {
  latestReview { text about { name parent { name reviews { text } } } }
  products(first: 2) { edges { node { name rating @include(if: $with) } } }
}`

describe('usage reporting has the traces of subgraphs, as with Apollo Gateway', () => {
  test.each([
    { what: 'one fetch', body: { query: 'query One { product(id: "a") { name } }' } },
    { what: 'entities across subgraphs, in parallel', body: { query: ACROSS } },
    { what: 'a condition that does not hold', body: { query: ACROSS, variables: { with: false } } },
    { what: 'a mutation', body: { query: 'mutation Renames { rename(id: "a", name: "New") { name rating } }' } },
    { what: 'an error of a resolver', body: { query: 'query Refused { refused product(id: "a") { name } }' } },
  ])('$what', async ({ body }) => {
    const [apollo, atrium] = [await reported('apollo', body, true), await reported('atrium', body, true)]
    expect(atrium.trace).toHaveLength(1)
    expect(JSON.stringify(atrium.trace[0].queryPlan)).toContain('"responseName"')
    expect(withoutTimes(atrium.trace[0].queryPlan)).toEqual(withoutTimes(apollo.trace[0].queryPlan))
  })

  test('statistics per field and errors per subgraph', async () => {
    const body = { query: 'query Refused { refused latestReview { text about { name } } }' }
    const [apollo, atrium] = [await reported('apollo', body, false), await reported('atrium', body, false)]
    const [theirs, ours] = [apollo, atrium].map(({ statsWithContext }) => withoutTimes(statsWithContext)) as [Data, Data]
    expect(Object.keys(ours[0].perTypeStat).sort()).toEqual(['Product', 'Query', 'Review'])
    expect(ours[0].queryLatencyStats.rootErrorStats.children).toHaveProperty('service:shop')
    expect(ours).toEqual(theirs)
  })
})

describe('subgraphs without traces', () => {
  let remotes: Remote[]
  beforeAll(async () => {
    remotes = [await serveRemote(shopSubgraph()), await serveRemote(reviewSubgraph())]
  })
  afterAll(() => {
    for (const { server } of remotes) server.close().closeAllConnections()
  })
  const urls = () => ({ shop: remotes[0]?.url ?? '', review: remotes[1]?.url ?? '' })

  test('are in the plan without a trace, and an invalid trace is reported', async () => {
    const sdl = supergraphSdl(urls())
    const body = { query: 'query One { product(id: "a") { name } }' }
    const [theirs, ours] = [await reported('apollo', body, true, sdl), await reported('atrium', body, true, sdl)]
    expect(withoutTimes(ours.trace[0].queryPlan)).toEqual(withoutTimes(theirs.trace[0].queryPlan))
    expect(ours.trace[0].queryPlan.fetch).not.toHaveProperty('trace')

    const [shop] = remotes
    if (!shop) throw new Error('Expected a shop.')
    for (const ftv1 of ['/////w==', 7, { a: 1 }]) {
      shop.always = ({ response }) =>
        void response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify({ data: { product: { name: 'Product a' } }, extensions: { ftv1 } }))
      const { trace } = await reported('atrium', body, true, sdl)
      expect(trace[0].queryPlan.fetch).not.toHaveProperty('trace')
      expect(trace[0].queryPlan.fetch.traceParsingFailed ?? false).toBe(typeof ftv1 === 'string')
    }
    shop.always = null
  })

  test('are requested with traces only when a reporter needs them', async () => {
    const gateway = atriumGateway({ supergraphSdl: supergraphSdl(urls()) })
    const server = new ApolloServer({ gateway, logger: QUIET, stopOnTerminationSignals: false })
    onTestFinished(() => server.stop())
    await server.start()
    remotes[0]?.requests.splice(0)
    await server.executeOperation({ query: '{ product(id: "a") { name } }' })
    expect(remotes[0]?.requests[0]?.headers).not.toHaveProperty('apollo-federation-include-trace')
  })
})
