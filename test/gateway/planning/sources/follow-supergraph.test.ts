import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApolloGateway } from '@apollo/gateway'
import { parse } from 'graphql'
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createSupergraphManager } from '../../../../gateway/apollo/supergraph-manager.ts'
import { type CreateGatewayOptions, createGateway } from '../../../../gateway/library/create-gateway.ts'
import { compose } from '../../../../gateway/planning/composition.ts'
import type { SupergraphSourceOptions } from '../../../../gateway/planning/sources/source-options.ts'
import { isSigned } from '../../../subgraphs/store/file/support/s3-server.ts'
import { anApolloServer } from '../../support/apollo-servers.ts'
import { REVIEW_SDL, recordingLog, reviewSubgraph, SHOP_SDL, shopSubgraph, supergraphSdl } from '../../support/graph.ts'
import { type Remote, serveRemote } from '../../support/remote.ts'
import { type SourceServer, sdlWithEtag, startSourceServer, status } from '../../support/source-server.ts'

const SECRET = 'hunter2-hunter2'
const NAME = '{ product(id: "a") { name } }'
const NAMED = { data: { product: { name: 'Product a' } } }
const FRESH = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"]) type Query { fresh: Int }`

let shop: Remote
let review: Remote
/** Two supergraphs: the second has no reviews. */
let both: string
let alone: string
beforeAll(async () => {
  shop = await serveRemote(shopSubgraph())
  review = await serveRemote(reviewSubgraph())
  both = supergraphSdl({ shop: shop.url, review: review.url })
  alone = compose([{ name: 'shop', typeDefs: parse(SHOP_SDL), url: shop.url }])
  return () => {
    for (const { server } of [shop, review]) server.close().closeAllConnections()
  }
})

let source: SourceServer
let folder: string
beforeEach(async () => {
  source = await startSourceServer(({ response }) => void response.end(both))
  folder = mkdtempSync(join(tmpdir(), 'atrium-source-'))
})
afterEach(() => {
  source.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A gateway that follows a source, until the test ends; the shortest pause between two looks. */
async function started(given: SupergraphSourceOptions, more: Partial<CreateGatewayOptions> = {}) {
  const { log, lines } = recordingLog()
  const supergraph = given.type === 'file' ? given : { pollSeconds: 1, ...given }
  const gateway = await createGateway({ supergraph, log, ...more })
  onTestFinished(() => gateway.close())
  const hasReviews = () => gateway.schema.getType('Review') !== undefined
  const said = (message: string) => lines.filter(({ msg }) => String(msg).includes(message))
  return { gateway, lines, hasReviews, said }
}
const http = (): SupergraphSourceOptions & { type: 'http' } => ({ type: 'http', url: `${source.url}/supergraph.graphql` })
const reasonOf = (starting: Promise<unknown>): Promise<string> =>
  starting.then(
    () => 'it started',
    (error: Error) => error.message,
  )

describe('a URL', () => {
  test('is polled with its ETag, and a new supergraph is served without dropping a request', async () => {
    source.answer = sdlWithEtag(both, '"one"')
    const { gateway, hasReviews, said } = await started({ ...http(), headers: { authorization: `Bearer ${SECRET}` } })
    expect(await gateway.execute({ query: NAME })).toEqual(NAMED)
    await expect.poll(() => source.requests.length).toBeGreaterThan(1)
    expect(source.requests[0]?.headers).not.toHaveProperty('if-none-match')
    expect(source.requests[1]?.headers).toMatchObject({ 'if-none-match': '"one"', authorization: `Bearer ${SECRET}` })

    const held = Promise.withResolvers<() => void>()
    shop.next.push(({ response }) =>
      held.resolve(() => void response.setHeader('content-type', 'application/json').end(JSON.stringify(NAMED))),
    )
    const running = gateway.execute({ query: `query Running ${NAME}` })
    const release = await held.promise
    source.answer = sdlWithEtag(alone, '"two"')
    await expect.poll(hasReviews).toBe(false)
    release()
    expect(await running).toEqual(NAMED)
    expect(await gateway.execute({ query: NAME })).toEqual(NAMED)
    expect(said('the supergraph was replaced')).toHaveLength(1)
  })

  test('with Last-Modified only is polled with If-Modified-Since', async () => {
    const date = 'Wed, 21 Oct 2026 07:28:00 GMT'
    source.answer = ({ request, response }) =>
      request.headers['if-modified-since'] === date
        ? void response.writeHead(304).end()
        : void response.setHeader('last-modified', date).end(both)
    await started(http())
    await expect.poll(() => source.requests[1]?.headers['if-modified-since']).toBe(date)
  })

  test('may redirect; credentials go to its own origin only', async () => {
    const other = await startSourceServer(({ response }) => void response.end(both))
    onTestFinished(other.close)
    source.answer = status(302, '', { location: `${other.url}/elsewhere` })
    const { hasReviews } = await started({ ...http(), headers: { 'x-key': SECRET } })
    expect([hasReviews(), source.requests[0]?.headers['x-key'], other.requests[0]?.headers['x-key']]).toEqual([
      true,
      SECRET,
      undefined,
    ])
  })

  /** What a source may do wrong, and what is said then. */
  const FAULTS: readonly {
    readonly what: string
    readonly answer: () => SourceServer['answer']
    readonly says: RegExp
    readonly timeoutSeconds?: number
  }[] = [
    {
      what: 'half an answer',
      answer:
        () =>
        ({ response }) =>
          void response.writeHead(200, { 'content-length': '100000' }).write('schema', () => response.destroy()),
      says: /supergraph\.graphql: .+/,
    },
    {
      what: 'no answer',
      answer:
        () =>
        ({ request }) =>
          void request.socket.destroy(),
      says: /supergraph\.graphql: .+/,
    },
    { what: 'status 429', answer: () => status(429, 'no', { 'retry-after': '1' }), says: /: status 429\.$/ },
    { what: 'status 500', answer: () => status(500, SECRET), says: /: status 500\.$/ },
    { what: 'status 401', answer: () => status(401), says: /: status 401; are the credentials right\?\.?$/ },
    {
      what: 'SDL that breaks off',
      answer:
        () =>
        ({ response }) =>
          void response.end(both.slice(0, both.length / 2)),
      says: /Expected "supergraph" to be the SDL of a federation 2 supergraph: /,
    },
    {
      what: 'SDL of no supergraph',
      answer:
        () =>
        ({ response }) =>
          void response.end(FRESH),
      says: /Expected "supergraph" to be the SDL/,
    },
    {
      what: 'HTML',
      answer:
        () =>
        ({ response }) =>
          void response.end('<html>'),
      says: /Expected "supergraph" to be the SDL/,
    },
    {
      what: 'bytes that are no text',
      answer:
        () =>
        ({ response }) =>
          void response.end(Buffer.from([0xff, 0xfe, 0x80])),
      says: /: expected UTF-8\.$/,
    },
    {
      what: 'too many bytes',
      answer:
        () =>
        ({ response }) =>
          void response.end(Buffer.alloc(20_000_001, 32)),
      says: /: expected at most 20 MB\.$/,
    },
    {
      what: 'an answer that takes too long',
      answer:
        () =>
        ({ response }) =>
          void response.writeHead(200).write('schema'),
      says: /no whole answer within 1 seconds\.$/,
      timeoutSeconds: 1,
    },
    {
      what: 'a circle of redirects',
      answer: () => status(302, '', { location: '/supergraph.graphql' }),
      says: /more than 3 redirects\.$/,
    },
    {
      what: 'a redirect to a file',
      answer: () => status(302, '', { location: 'file:///etc/passwd' }),
      says: /a redirect to a URL that is not http/,
    },
    {
      what: 'a redirect with a password',
      answer: () => status(302, '', { location: `http://a:${SECRET}@127.0.0.1/` }),
      says: /has credentials/,
    },
  ]

  test.each(FAULTS)(
    'with $what stops the start with a sentence, and later changes nothing',
    async ({ answer, says, timeoutSeconds = 30 }) => {
      const options = { ...http(), timeoutSeconds, headers: { authorization: SECRET } }
      source.answer = answer()
      const reason = await reasonOf(started(options))
      expect(reason).toMatch(says)
      expect(reason).not.toContain(SECRET)

      source.answer = sdlWithEtag(both, '"one"')
      const { gateway, lines, hasReviews } = await started(options)
      source.answer = answer()
      await expect.poll(() => lines.filter(({ reason = '' }) => says.test(String(reason))).length).toBeGreaterThan(0)
      expect([hasReviews(), await gateway.execute({ query: NAME })]).toEqual([true, NAMED])
      expect(JSON.stringify(lines)).not.toContain(SECRET)
    },
  )

  test('that says 304 unasked gives no supergraph', async () => {
    source.answer = status(304)
    expect(await reasonOf(started(http()))).toMatch(/status 304 to a request without a condition\.$/)
  })

  test('that fails is polled with backoff, and served when it answers', async () => {
    source.answer = sdlWithEtag(both, '"one"')
    const { hasReviews, said } = await started(http())
    source.answer = status(503)
    await expect.poll(() => said('the source gave no supergraph').length).toBeGreaterThan(1)
    expect(said('the source gave no supergraph').map(({ failures }) => failures)).toEqual([1, 2])
    source.answer = sdlWithEtag(alone, '"two"')
    await expect.poll(hasReviews).toBe(false)
    expect(said('answers again')).toHaveLength(1)
  })
})

describe('a bucket', () => {
  const credentials = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: SECRET }
  const bucket = (): SupergraphSourceOptions & { type: 's3' } => ({
    type: 's3',
    bucket: 'graphs',
    key: 'production/super graph.graphql',
    endpoint: source.url,
    region: 'eu-west-1',
    ...credentials,
  })

  /** A bucket that verifies signatures by Amazon's own implementation, and by its own clock. */
  const verifying =
    (secretAccessKey: string, now = Date.now()): SourceServer['answer'] =>
    async (exchange) => {
      const { request } = exchange
      const url = new URL(request.url ?? '', source.url)
      const accessKeys = new Map([['AKIAEXAMPLE', secretAccessKey]])
      const refuse = (code: string) => status(403, `<Error><Code>${code}</Code><Message>${SECRET}</Message></Error>`)(exchange)
      if (await isSigned(request, url, { now, accessKeys })) sdlWithEtag(both, '"one"')(exchange)
      else
        refuse((await isSigned(request, url, { now: Date.now(), accessKeys })) ? 'RequestTimeTooSkewed' : 'SignatureDoesNotMatch')
    }

  test('is polled with a signature that it can verify, and with the ETag', async () => {
    source.answer = verifying(SECRET)
    const { hasReviews } = await started(bucket())
    expect([hasReviews(), source.requests[0]?.url]).toEqual([true, '/graphs/production/super%20graph.graphql'])
    await expect.poll(() => source.requests[1]?.headers['if-none-match']).toBe('"one"')
  })

  test.each([
    {
      what: 'another secret',
      answer: () => verifying('another'),
      says: /^s3:\/\/graphs\/production\/super graph\.graphql: status 403 SignatureDoesNotMatch; are the credentials right\?/,
    },
    {
      what: 'a wrong clock',
      answer: () => verifying(SECRET, Date.now() + 3_600_000),
      says: /RequestTimeTooSkewed; the clock of this machine is wrong/,
    },
    { what: 'no object', answer: () => status(404, '<Error><Code>NoSuchKey</Code></Error>'), says: /status 404 NoSuchKey\.$/ },
  ])('says so: $what', async ({ answer, says }) => {
    source.answer = answer()
    const reason = await reasonOf(started(bucket()))
    expect(reason).toMatch(says)
    expect(reason).not.toContain(SECRET)
  })
})

describe('the CDN of Hive', () => {
  test.each(['', '/', '/supergraph', '/supergraph/'])(
    'is polled for the supergraph with its key; the endpoint may end with "%s"',
    async (end) => {
      source.answer = (exchange) =>
        exchange.request.headers['x-hive-cdn-key'] === SECRET
          ? sdlWithEtag(both, '"h"')(exchange)
          : status(403, 'Access denied')(exchange)
      const endpoint = `${source.url}/artifacts/v1/target${end}`
      const { hasReviews } = await started({ type: 'hive', endpoint, key: SECRET })
      expect([hasReviews(), source.requests[0]?.url]).toEqual([true, '/artifacts/v1/target/supergraph'])
      expect(await reasonOf(started({ type: 'hive', endpoint, key: 'wrong' }))).toMatch(
        /^Hive CDN .*: status 403; are the credentials right\?/,
      )
    },
  )
})

describe('Apollo Uplink', () => {
  const uplink = (...urls: string[]): SupergraphSourceOptions & { type: 'uplink' } => ({
    type: 'uplink',
    graphRef: 'shops@current',
    apiKey: SECRET,
    urls: urls.length > 0 ? urls : [source.url],
  })
  /** What Apollo's service says to these variables. */
  const apollo =
    (id: string, sdl: string): SourceServer['answer'] =>
    ({ response, body }) => {
      const { query, variables } = JSON.parse(body)
      const { apiKey, ref, ifAfterId } = variables
      const answer = () => {
        if (apiKey !== SECRET)
          return { __typename: 'FetchError', code: 'AUTHENTICATION_FAILED', message: `No graph for ${apiKey}.` }
        if (ref !== 'shops@current') return { __typename: 'FetchError', code: 'UNKNOWN_REF', message: 'No such graph.' }
        if (ifAfterId === id) return { __typename: 'Unchanged', id, minDelaySeconds: 1 }
        return { __typename: 'RouterConfigResult', id, supergraphSdl: sdl, minDelaySeconds: 1 }
      }
      expect(query).toContain('supergraphSdl: supergraphSDL')
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: { routerConfig: answer() } }))
    }

  test('gives a supergraph, says when it is unchanged, and gives the next one; as to Apollo Gateway', async () => {
    source.answer = apollo('1', both)
    const { hasReviews } = await started(uplink())
    await expect.poll(() => source.requests.length).toBeGreaterThan(1)
    expect(source.requests.map(({ body }) => JSON.parse(body).variables.ifAfterId).slice(0, 2)).toEqual([null, '1'])
    source.answer = apollo('2', alone)
    await expect.poll(hasReviews).toBe(false)

    const gateway = new ApolloGateway({ uplinkEndpoints: [source.url], logger: { debug() {}, info() {}, warn() {}, error() {} } })
    onTestFinished(() => gateway.stop())
    const schemas: unknown[] = []
    gateway.onSchemaLoadOrUpdate(({ coreSupergraphSdl }) => schemas.push(coreSupergraphSdl))
    await gateway.load({ apollo: { key: SECRET, keyHash: 'x', graphRef: 'shops@current' } })
    expect(schemas).toEqual([alone])
  })

  test('is polled at its next URL when one fails, and stays there', async () => {
    const broken = await startSourceServer(status(500))
    onTestFinished(broken.close)
    source.answer = apollo('1', both)
    const { hasReviews } = await started(uplink(broken.url, source.url))
    await expect.poll(() => source.requests.length).toBeGreaterThan(1)
    expect([hasReviews(), broken.requests.length]).toEqual([true, 1])
  })

  test.each([
    {
      what: 'a wrong key',
      options: () => ({ ...uplink(), apiKey: 'wrong-key' }),
      answer: () => apollo('1', both),
      says: /AUTHENTICATION_FAILED: No graph for \*\*\*\.$/,
    },
    {
      what: 'an unknown graph',
      options: () => ({ ...uplink(), graphRef: 'other@x' }),
      answer: () => apollo('1', both),
      says: /UNKNOWN_REF: No such graph\.$/,
    },
    {
      what: 'no JSON',
      options: uplink,
      answer: () => status(200, 'hello'),
      says: /expected RouterConfigResult, Unchanged or FetchError\.$/,
    },
    {
      what: 'another type',
      options: uplink,
      answer: () => status(200, '{"data":{"routerConfig":{"__typename":"X"}}}'),
      says: /expected RouterConfigResult/,
    },
    {
      what: 'a result without SDL',
      options: uplink,
      answer: () => status(200, '{"data":{"routerConfig":{"__typename":"RouterConfigResult","id":"1"}}}'),
      says: /expected RouterConfigResult/,
    },
    {
      what: 'Unchanged at first',
      options: uplink,
      answer: () => status(200, '{"data":{"routerConfig":{"__typename":"Unchanged"}}}'),
      says: /expected a supergraph, got none\.$/,
    },
  ])('says so: $what', async ({ options, answer, says }) => {
    source.answer = answer()
    expect(await reasonOf(started(options()))).toMatch(says)
  })
})

describe('a folder of subgraphs', () => {
  const folderSource = (): SupergraphSourceOptions & { type: 'folder' } => ({ type: 'folder', path: folder })
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)

  test('is composed from supergraph.yaml, and again when a file changes; what does not compose changes nothing', async () => {
    mkdirSync(join(folder, 'sdl'))
    write('sdl/shop.graphql', SHOP_SDL)
    write('sdl/review.graphql', REVIEW_SDL)
    write(
      'supergraph.yaml',
      `federation_version: =2.9\nsubgraphs:\n  shop:\n    routing_url: ${shop.url}\n    schema: { file: ./sdl/shop.graphql }\n  review:\n    routing_url: ${review.url}\n    schema: { file: ./sdl/review.graphql }\n`,
    )
    const { gateway, hasReviews, said } = await started(folderSource())
    expect(await gateway.execute({ query: '{ product(id: "c") { name rating } }' })).toEqual({
      data: { product: { name: 'Product c', rating: 0 } },
    })
    write('sdl/review.graphql', 'type Query { a: Nope }')
    await expect.poll(() => said('the source gave no supergraph').length).toBeGreaterThan(0)
    expect(said('the source gave no supergraph')[0]?.reason).toMatch(
      /the subgraphs do not compose: \[review\] Unknown type "?Nope"?/,
    )
    expect(hasReviews()).toBe(true)
    write('supergraph.yaml', `subgraphs:\n  shop:\n    routing_url: ${shop.url}\n    schema: { file: ./sdl/shop.graphql }\n`)
    await expect.poll(hasReviews).toBe(false)
  })

  test('without a list: the files are the subgraphs, at the URLs of the options', async () => {
    write('shop.graphql', SHOP_SDL)
    write('notes.txt', 'nothing')
    const { gateway } = await started(folderSource(), { subgraphs: { shop: { url: shop.url } } })
    expect(await gateway.execute({ query: NAME })).toEqual(NAMED)
  })

  test.each<{ what: string; files: Readonly<Record<string, string>>; says: RegExp }>([
    { what: 'no file', files: {}, says: /: expected supergraph\.yaml, or a file <name>\.graphql per subgraph\.$/ },
    { what: 'broken YAML', files: { 'supergraph.yaml': 'subgraphs: [' }, says: /: supergraph\.yaml: .+/ },
    {
      what: 'a list without files',
      files: { 'supergraph.yaml': 'subgraphs: { a: { schema: { subgraph_url: http://x } } }' },
      says: /subgraphs\.a\.schema/,
    },
    {
      what: 'a file outside',
      files: { 'supergraph.yaml': 'subgraphs: { a: { schema: { file: ../../etc/passwd } } }' },
      says: /subgraphs\.a\.schema\.file: expected a file inside the folder\.$/,
    },
    {
      what: 'a file that is missing',
      files: { 'supergraph.yaml': 'subgraphs: { a: { schema: { file: a.graphql } } }' },
      says: /a\.graphql cannot be read \(ENOENT\)\.$/,
    },
    { what: 'SDL with a syntax error', files: { 'shop.graphql': 'type {' }, says: /SDL of "shop": Syntax Error/ },
    {
      what: 'a bomb of aliases',
      files: {
        'supergraph.yaml': `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [${'*a,'.repeat(9)}]\nc: &c [${'*b,'.repeat(9)}]\nd: [${'*c,'.repeat(9)}]\nsubgraphs: {}`,
      },
      says: /supergraph\.yaml: /,
    },
  ])('says so: $what', async ({ files, says }) => {
    for (const [name, text] of Object.entries(files)) write(name, text)
    expect(await reasonOf(started(folderSource()))).toMatch(says)
  })

  test('says so where there is no folder', async () => {
    expect(await reasonOf(started({ type: 'folder', path: join(folder, 'none') }))).toMatch(
      /^folder .*none: cannot be read \(ENOENT\)\.$/,
    )
  })
})

describe('a file', () => {
  const path = () => join(folder, 'supergraph.graphql')

  test('is served, and again after each change; an invalid one changes nothing', async () => {
    writeFileSync(path(), both)
    const { gateway, hasReviews, said } = await started({ type: 'file', path: path() })
    expect([hasReviews(), await gateway.execute({ query: NAME })]).toEqual([true, NAMED])
    writeFileSync(path(), both.slice(0, both.length / 2))
    await expect.poll(() => said('a new supergraph was refused'), { timeout: 15_000 }).toHaveLength(1)
    expect([hasReviews(), await gateway.execute({ query: NAME })]).toEqual([true, NAMED])
    writeFileSync(path(), alone)
    await expect.poll(hasReviews, { timeout: 15_000 }).toBe(false)
    expect(await gateway.execute({ query: NAME })).toEqual(NAMED)
  })

  test('that is missing or too large stops the start with a sentence', async () => {
    expect(await reasonOf(started({ type: 'file', path: path() }))).toMatch(
      /^The supergraph file .*supergraph\.graphql cannot be read: ENOENT/,
    )
    writeFileSync(path(), '')
    truncateSync(path(), 20_000_001)
    expect(await reasonOf(started({ type: 'file', path: path() }))).toMatch(/supergraph\.graphql: expected at most 20 MB\.$/)
  })

  test('in Apollo Server: a manager serves its changes', async () => {
    writeFileSync(path(), both)
    const manager = createSupergraphManager({ type: 'file', path: path() }, { log: recordingLog().log })
    const { send } = await anApolloServer('atrium', { supergraphSdl: manager })
    expect((await send({ query: NAME })).body).toEqual(NAMED)
    writeFileSync(
      path(),
      compose([{ name: 'shop', typeDefs: parse(`${SHOP_SDL} extend type Query { fresh: Int }`), url: shop.url }]),
    )
    await expect
      .poll(async () => (await send({ query: '{ __type(name: "Review") { name } }' })).body, { timeout: 15_000 })
      .toEqual({
        data: { __type: null },
      })
  })
})

describe('the last good supergraph', () => {
  const file = () => join(folder, 'kept', 'supergraph.graphql')

  test('is kept on disk, and served with a warning when the source is out of reach at the start', async () => {
    source.answer = sdlWithEtag(both, '"one"')
    const first = await started({ ...http(), lastGoodFile: file() })
    expect(readFileSync(file(), 'utf8')).toBe(both)
    expect([statSync(file()).mode & 0o777, readdirSync(join(folder, 'kept'))]).toEqual([0o600, ['supergraph.graphql']])
    source.answer = ({ response }) => void response.end(FRESH)
    await expect.poll(() => first.said('a new supergraph was refused').length).toBe(1)
    expect(readFileSync(file(), 'utf8')).toBe(both)
    await first.gateway.close()

    for (const answer of [status(500), sdlWithEtag(FRESH, '"bad"')]) {
      source.answer = answer
      const { gateway, said, hasReviews } = await started({ ...http(), lastGoodFile: file() })
      expect(await gateway.execute({ query: NAME })).toEqual(NAMED)
      expect(said('the last good one is served')).toMatchObject([
        { level: 40, file: file(), source: `${source.url}/supergraph.graphql` },
      ])
      source.answer = sdlWithEtag(alone, '"two"')
      await expect.poll(hasReviews).toBe(false)
      await gateway.close()
      writeFileSync(file(), both)
    }
  })

  test('that is missing, too large or none at all leaves the reason of the source', async () => {
    source.answer = status(500)
    const starting = () => reasonOf(started({ ...http(), lastGoodFile: file() }))
    expect(await starting()).toMatch(/status 500\.$/)
    mkdirSync(join(folder, 'kept'))
    writeFileSync(file(), 'type {')
    expect(await starting()).toMatch(/status 500\.$/)
    truncateSync(file(), 20_000_001)
    expect(await starting()).toMatch(/status 500\.$/)
  })

  test('that cannot be written logs a warning, and leaves no file', async () => {
    writeFileSync(join(folder, 'kept'), 'a file where the folder would be')
    const { said, hasReviews } = await started({ ...http(), lastGoodFile: file() })
    expect([hasReviews(), said('could not be written').length, existsSync(file())]).toEqual([true, 1, false])
  })
})

describe('in Apollo Server', () => {
  test('a manager takes the supergraph from a source, and updates it', async () => {
    source.answer = sdlWithEtag(both, '"one"')
    const manager = createSupergraphManager({ ...http(), pollSeconds: 1 }, { log: recordingLog().log })
    const { send, server } = await anApolloServer('atrium', { supergraphSdl: manager })
    expect((await send({ query: '{ latestReview { text } }' })).body).toEqual({ data: { latestReview: { text: 'Fine.' } } })
    source.answer = sdlWithEtag(alone, '"two"')
    await expect.poll(async () => (await send({ query: '{ latestReview { text } }' })).status).toBe(400)
    await server.stop()
    const looks = source.requests.length
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(source.requests.length).toBe(looks)
  })

  test('an invalid first supergraph is replaced by the last valid one', async () => {
    const lastGoodFile = join(folder, 'kept.graphql')
    writeFileSync(lastGoodFile, both)
    source.answer = status(200, FRESH)
    const manager = createSupergraphManager({ ...http(), lastGoodFile }, { log: recordingLog().log })
    const { send } = await anApolloServer('atrium', { supergraphSdl: manager })
    expect((await send({ query: NAME })).body).toEqual(NAMED)
  })
})

test.each<{ what: string; supergraph: unknown; says: RegExp }>([
  {
    what: 'no type',
    supergraph: {},
    says: /"supergraph.*" to be an object whose "type" is file, folder, http, s3, hive or uplink/,
  },
  {
    what: 'a URL with a password',
    supergraph: { type: 'http', url: `http://a:${SECRET}@b/` },
    says: /"supergraph\.url" to be an http or https URL without a user name and a password, got a text of/,
  },
  {
    what: 'no key',
    supergraph: { type: 'hive', endpoint: 'http://x' },
    says: /"supergraph\.key" to be a CDN access key, got nothing/,
  },
  { what: 'another option', supergraph: { type: 'folder', path: 'x', url: 'y' }, says: /Unknown option "supergraph\.url"/ },
  {
    what: 'a line break in a header',
    supergraph: { type: 'http', url: 'http://x', headers: { 'x-key': `${SECRET}\n` } },
    says: /"supergraph\.headers\.x-key" to be visible ASCII characters, got a text of 16 characters\.$/,
  },
  {
    what: 'a line break in a key',
    supergraph: { type: 'hive', endpoint: 'http://x', key: `${SECRET}\n` },
    says: /"supergraph\.key" to be visible ASCII characters/,
  },
  {
    what: 'a header whose name has a space',
    supergraph: { type: 'http', url: 'http://x', headers: { 'x key': SECRET } },
    says: /"supergraph\.headers.*" to be an object of headers/,
  },
  {
    what: 'a pause of a file',
    supergraph: { type: 'file', path: 'x', pollSeconds: 1 },
    says: /Unknown option "supergraph\.pollSeconds"/,
  },
  {
    what: 'no URL of Uplink',
    supergraph: { type: 'uplink', graphRef: 'a@b', apiKey: 'k', urls: [] },
    says: /"supergraph\.urls" to be a list of at least one URL/,
  },
])('options are refused with a sentence: $what', async ({ supergraph, says }) => {
  const reason = await reasonOf(createGateway({ supergraph: supergraph as SupergraphSourceOptions }))
  expect(reason).toMatch(says)
  expect(reason).not.toContain(SECRET)
})
