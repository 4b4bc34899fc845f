import { createHash, createHmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createGateway } from '../../../gateway/library/create-gateway.ts'
import type { GatewayOptions } from '../../../gateway/options/gateway-options.ts'
import { createRetryBudget } from '../../../gateway/subgraph-client/retry-budget.ts'
import { recordingLog, reviewSubgraph, shopSubgraph, supergraphSdl } from '../support/graph.ts'
import { answerOf, type Exchange, type Remote, serveRemote } from '../support/remote.ts'

/** A gateway over two servers, with options of the shop. */
async function aGateway(options: NonNullable<GatewayOptions['allSubgraphs']>, others: GatewayOptions = {}) {
  const [shop, review] = [await serveRemote(shopSubgraph()), await serveRemote(reviewSubgraph())]
  const { log, lines } = recordingLog()
  const supergraph = supergraphSdl({ shop: shop.url, review: review.url })
  const gateway = await createGateway({ supergraph, log, subgraphs: { shop: options }, ...others })
  onTestFinished(async () => {
    await gateway.close()
    for (const { server } of [shop, review]) server.close().closeAllConnections()
  })
  return {
    shop,
    review,
    lines,
    ask: (query: string) => gateway.execute({ query }, { credentials: { authorization: 'Bearer client' } }),
  }
}

const NAME = '{ product(id: "a") { name } }'
const NAMED = { data: { product: { name: 'Product a' } } }
const json = ({ response }: Exchange, body: unknown, status = 200) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const bodyOf = ({ body }: Pick<Exchange, 'body'>) => JSON.parse(body)

/** What Amazon's signer hashes with. */
class Sha256 {
  readonly #hash: ReturnType<typeof createHash>
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    const key = typeof secret === 'string' ? secret : secret && Buffer.from(secret as Uint8Array)
    this.#hash = key === undefined ? createHash('sha256') : (createHmac('sha256', key) as never)
  }
  update(data: string | ArrayBuffer | ArrayBufferView) {
    this.#hash.update(typeof data === 'string' ? data : Buffer.from(data as Uint8Array))
  }
  async digest() {
    return new Uint8Array(this.#hash.digest())
  }
  reset() {}
}

describe('signed requests', () => {
  const SECRET = 'a secret of 24 characters'

  test('an HMAC of the body in a header', async () => {
    const { shop, ask } = await aGateway({ signing: { kind: 'hmac', secret: SECRET } })
    expect(await ask(NAME)).toEqual(NAMED)
    const { headers, body } = shop.requests[0] as Remote['requests'][number]
    expect(headers['x-hub-signature-256']).toBe(`sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`)
  })

  test('an HMAC of query and variables in the extensions, as Hive verifies it', async () => {
    const { shop, ask } = await aGateway({ signing: { kind: 'hmac-extension', secret: SECRET } })
    await ask('{ latestReview { about { name } } }')
    const { query, variables, extensions } = bodyOf(shop.requests[0] as never)
    expect(Object.keys(variables)).toEqual(['representations'])
    const signed = `{"query":${JSON.stringify(query)},"variables":{"representations":[{"__typename":"Product","id":"b"}]}}`
    expect(extensions['hmac-signature']).toBe(createHmac('sha256', SECRET).update(signed).digest('base64'))
  })

  test('AWS Signature Version 4, with keys that change, replaces the credentials of the client', async () => {
    let session = 0
    const credentials = () => ({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI', sessionToken: `s${++session}` })
    const { shop, ask } = await aGateway({
      signing: { kind: 'aws-sigv4', region: 'eu-central-1', service: 'lambda', credentials },
    })
    expect(await ask(NAME)).toEqual(NAMED)
    await ask(NAME)
    const [first, second] = shop.requests as readonly Remote['requests'][number][]
    expect([first?.headers['x-amz-security-token'], second?.headers['x-amz-security-token']]).toEqual(['s1', 's2'])
    const { headers, body } = first as Remote['requests'][number]
    const names = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? []
    expect(names).toEqual(expect.arrayContaining(['accept', 'host', 'x-amz-date', 'x-amz-security-token']))
    const url = new URL(shop.url)
    const signer = new SignatureV4({
      service: 'lambda',
      region: 'eu-central-1',
      sha256: Sha256,
      credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI', sessionToken: 's1' },
      applyChecksum: false,
    })
    const time = String(headers['x-amz-date'])
    const signed = await signer.sign(
      {
        method: 'POST',
        protocol: 'http:',
        hostname: url.hostname,
        port: Number(url.port),
        path: '/graphql',
        query: {},
        headers: Object.fromEntries(names.map((name) => [name, String(headers[name])])),
        body,
      },
      { signingDate: new Date(time.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/, '$1-$2-$3T$4:$5:$6Z')) },
    )
    const signatureIn = (value = '') => /Signature=(\w+)/.exec(value)?.[1]
    expect(signatureIn(headers.authorization)).toMatch(/^\w{64}$/)
    expect(signatureIn(headers.authorization)).toBe(signatureIn(signed.headers.authorization))
  })

  test('unavailable keys fail the fetch, without details for the client', async () => {
    const credentials = () => Promise.reject(new Error('metadata of 169.254.169.254 says hunter2'))
    const { shop, ask } = await aGateway({ signing: { kind: 'aws-sigv4', region: 'a', service: 'b', credentials } })
    const { data, errors } = await ask(NAME)
    expect([data, errors?.[0]?.extensions?.code, shop.requests]).toEqual([{ product: null }, 'INTERNAL_SERVER_ERROR', []])
    expect(JSON.stringify(errors)).not.toMatch(/hunter2|169\.254/)
  })
})

describe('automatic persisted queries', () => {
  /** Answers as a server with persisted queries does. */
  const persisting = (shop: Remote, known = new Map<string, string>()) => {
    const subgraph = shopSubgraph()
    shop.always = async (exchange) => {
      const { query, variables, extensions } = bodyOf(exchange)
      const { sha256Hash } = extensions.persistedQuery
      if (query) known.set(sha256Hash, query)
      const text = known.get(sha256Hash)
      if (!text)
        return json(exchange, {
          errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
        })
      exchange.response
        .setHeader('content-type', 'application/json')
        .end(await answerOf(subgraph, JSON.stringify({ query: text, variables })))
    }
  }

  test('the hash goes first, the text once, and from then on the hash alone', async () => {
    const { shop, ask } = await aGateway({ persistedQueries: true })
    persisting(shop)
    for (let time = 0; time < 3; time++) expect(await ask(NAME)).toEqual(NAMED)
    expect(shop.requests.map(({ body }) => 'query' in JSON.parse(body))).toEqual([false, true, false, false])
  })

  test('a mutation that is not known is not run twice', async () => {
    const { shop, ask } = await aGateway({ persistedQueries: true })
    persisting(shop)
    expect(await ask('mutation { rename(id: "a", name: "b") { name } }')).toEqual({ data: { rename: { name: 'b' } } })
    expect(shop.requests).toHaveLength(2)
  })

  test('a subgraph that does not support them gets texts from then on', async () => {
    const { shop, ask } = await aGateway({ persistedQueries: true })
    shop.next.push((exchange) => json(exchange, { errors: [{ message: 'PersistedQueryNotSupported' }] }))
    expect(await ask(NAME)).toEqual(NAMED)
    expect(await ask(NAME)).toEqual(NAMED)
    expect(shop.requests.map(({ body }) => Object.keys(JSON.parse(body)).includes('extensions'))).toEqual([true, false, false])
  })
})

describe('batches of queries', () => {
  const TWO = '{ a: latestReview { about { name } } b: product(id: "c") { name } }'
  /** Answers each query of a list. */
  const listing = (shop: Remote, change: (answers: unknown[]) => unknown = (answers) => answers) => {
    const subgraph = shopSubgraph()
    shop.always = async (exchange) => {
      const given = bodyOf(exchange)
      const answers = await Promise.all(
        (Array.isArray(given) ? given : [given]).map(async (each) => JSON.parse(await answerOf(subgraph, JSON.stringify(each)))),
      )
      json(exchange, Array.isArray(given) ? change(answers) : answers[0])
    }
  }
  /** Two fetches from the shop that begin together, whatever the planner merges. */
  const aBatch = async (options: NonNullable<GatewayOptions['allSubgraphs']> = { batching: { maxOperations: 2 } }) => {
    const { createRemoteLink } = await import('../../../gateway/subgraph-client/remote-subgraph.ts')
    const { trafficShapingOf } = await import('../../../gateway/options/traffic-shaping.ts')
    const { remoteSubgraphOptions } = await import('../../../gateway/options/subgraph-options.ts')
    const shop = await serveRemote(shopSubgraph())
    const { log } = recordingLog()
    const link = createRemoteLink({
      name: 'shop',
      url: shop.url,
      log,
      shaping: trafficShapingOf('shop', remoteSubgraphOptions.parse(options), log),
    })
    onTestFinished(async () => {
      await link.close()
      shop.server.close().closeAllConnections()
    })
    const context = () => ({ caller: { requestId: 'r', address: '', credentials: {} }, signal: new AbortController().signal })
    const ask = (ids: readonly string[], shared = context()) =>
      Promise.all(
        ids.map((id) =>
          link
            .execute({ query: `query { product(id: "${id}") { name } }`, variables: {}, operationName: undefined }, shared)
            .then(
              ({ data, errors }) => errors?.[0]?.extensions.code ?? (data?.product as { name: string } | undefined)?.name,
              ({ code }) => code,
            ),
        ),
      )
    return { shop, ask, link, context }
  }

  test('queries of one operation that begin together are one request, up to the bound', async () => {
    const { shop, ask } = await aBatch()
    listing(shop)
    expect(await ask(['a', 'b', 'c'])).toEqual(['Product a', 'Product b', 'Product c'])
    expect(shop.requests.map(({ body }) => (Array.isArray(JSON.parse(body)) ? JSON.parse(body).length : 1)).sort()).toEqual([
      1, 2,
    ])
  })

  test('callers are never mixed, nor are mutations batched', async () => {
    const { shop, ask, link, context } = await aBatch({ batching: {} })
    listing(shop)
    await Promise.all([ask(['a']), ask(['b'])])
    expect(shop.requests).toHaveLength(2)
    const shared = context()
    const rename = (name: string) => ({
      query: `mutation { rename(id: "a", name: "${name}") { name } }`,
      variables: {},
      operationName: undefined,
    })
    await Promise.all([link.execute(rename('x'), shared), link.execute(rename('y'), shared)])
    expect(shop.requests.slice(2).every(({ body }) => !body.startsWith('['))).toBe(true)
  })

  test('an entry that is no response fails alone; a list that does not fit fails all', async () => {
    const { shop, ask } = await aBatch()
    listing(shop, ([, second]) => [7, second])
    expect(await ask(['a', 'b'])).toEqual(['DOWNSTREAM_SERVICE_ERROR', 'Product b'])
    for (const wrong of [[], [{ data: {} }], { data: { product: null } }, 'text']) {
      listing(shop, () => wrong)
      expect(await ask(['a', 'b'])).toEqual(['SUBGRAPH_UNAVAILABLE', 'SUBGRAPH_UNAVAILABLE'])
    }
  })

  test('a plan over HTTP is answered as without them', async () => {
    const { shop, ask } = await aGateway({ batching: { maxOperations: 10 } })
    listing(shop)
    expect(await ask(TWO)).toEqual({ data: { a: { about: { name: 'Product b' } }, b: { name: 'Product c' } } })
  })
})

describe('bounds', () => {
  test('no retries where they are off, and no more than the budget', async () => {
    const down = (exchange: Exchange) => json(exchange, {}, 503)
    const without = await aGateway({ retries: { maxRetries: 0 } })
    without.shop.always = down
    await without.ask(NAME)
    expect(without.shop.requests).toHaveLength(1)
    const budgeted = await aGateway({ retries: { maxRetries: 10, budget: { ratio: 1, minimumPerSecond: 0 } } })
    budgeted.shop.always = down
    await budgeted.ask(NAME)
    expect(budgeted.shop.requests).toHaveLength(2)
  })

  test('a budget is of the last ten seconds', () => {
    let now = 0
    const budget = createRetryBudget({ ratio: 0.2, minimumPerSecond: 0 }, () => now)
    const withdrawn = () => [budget.withdraw(), budget.withdraw()]
    for (let request = 0; request < 5; request++) budget.deposit()
    expect(withdrawn()).toEqual([true, false])
    now = 9_000
    for (let request = 0; request < 5; request++) budget.deposit()
    expect(withdrawn()).toEqual([true, false])
    now = 10_500
    expect(withdrawn()).toEqual([false, false])
    now = 60_000
    expect(withdrawn()).toEqual([false, false])
    const reserve = createRetryBudget({ ratio: 0, minimumPerSecond: 1 }, () => now)
    expect(Array.from({ length: 11 }, reserve.withdraw).filter(Boolean)).toHaveLength(10)
  })

  test.each([
    ['the head', (exchange: Exchange) => void exchange, { headersTimeoutMilliseconds: 100 }],
    [
      'the rest of the body',
      ({ response }: Exchange) => void response.writeHead(200).write('{'),
      { bodyTimeoutMilliseconds: 100 },
    ],
  ])('%s after the timeout is a TIMEOUT', async (_, hang, connections) => {
    const { shop, ask } = await aGateway({ connections })
    shop.always = hang
    expect((await ask(NAME)).errors).toMatchObject([
      { message: 'The shop service did not answer in time.', extensions: { code: 'TIMEOUT' } },
    ])
  })

  test('the number of connections is at most the configured one', async () => {
    const { shop, ask } = await aGateway({ connections: { maxConnections: 2, pipelining: 1 } })
    await Promise.all(['a', 'b', 'c', 'a', 'b', 'c'].map((id) => ask(`{ product(id: "${id}") { name } }`)))
    expect([shop.requests.length, shop.connections()]).toEqual([6, 2])
  })

  test('equal queries of one operation are sent once, unless deduplication is off', async () => {
    // Equal fetches of one entity, at two places.
    const query = '{ latestReview { about { name } } other: latestReview { about { name } } }'
    const requests: number[] = []
    for (const deduplication of [true, false]) {
      const { shop, ask } = await aGateway({ deduplication, mergeFetches: false })
      expect((await ask(query)).errors).toBe(undefined)
      requests.push(shop.requests.length)
    }
    expect(requests).toEqual([1, 2])
  })

  test.each<[NonNullable<GatewayOptions['allSubgraphs']>, string]>([
    [
      { connections: { maxConnections: 0 } },
      '"subgraphs.shop.connections.maxConnections" to be a whole number from 1 to 1024, got 0',
    ],
    [{ connections: { pipelining: 99 } }, '"subgraphs.shop.connections.pipelining" to be a whole number from 1 to 16, got 99'],
    [{ retries: { maxRetries: 11 } }, '"subgraphs.shop.retries.maxRetries" to be a whole number from 0 to 10, got 11'],
    [{ retries: { budget: { ratio: 2 } } }, '"subgraphs.shop.retries.budget.ratio" to be a number from 0 to 1, got 2'],
    [
      { batching: { maxOperations: 1_000 } },
      '"subgraphs.shop.batching.maxOperations" to be a whole number from 2 to 100, got 1000',
    ],
    [
      { signing: { kind: 'hmac', secret: 'short' } },
      '"subgraphs.shop.signing.secret" to be a secret of at least 16 characters, got a text of 5 characters',
    ],
  ])('options %j: %s', async (options, says) => {
    await expect(aGateway(options)).rejects.toThrow(says)
  })
})
