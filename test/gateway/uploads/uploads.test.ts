import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createGateway, type FederatedGateway } from '../../../gateway/library/create-gateway.ts'
import { type RunningServer, serveGateway } from '../../../gateway/library/serve-gateway.ts'
import { recordingLog } from '../support/graph.ts'
import { BOUNDARY, bodyOf, operationParts, type Part, PREFLIGHT, sendChunks } from '../support/multipart.ts'
import { serveUploads, type UploadServer, uploadSchema, uploadSupergraph } from '../support/upload-server.ts'

const MEGABYTE = 1_000_000
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
const { log, lines } = recordingLog()
setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

let disk: UploadServer
let media: UploadServer
let supergraph = ''
let gateway: FederatedGateway
let server: RunningServer

beforeAll(async () => {
  disk = await serveUploads('disk')
  media = await serveUploads('media')
  supergraph = uploadSupergraph({ disk: disk.url, media: media.url })
  gateway = await createGateway({
    supergraph,
    log,
    batchLimit: 5,
    responseCacheBytes: 1_000_000,
    uploads: { maxFileBytes: 60 * MEGABYTE, maxFiles: 3, timeoutSeconds: 30, maxConcurrency: 3 },
    allSubgraphs: { persistedQueries: true, batching: { maxOperations: 5 } },
    shadow: { supergraph, percent: 100, values: true },
  })
  server = await serveGateway(gateway, { port: 0, batchLimit: 5, log })
})
afterEach(() => {
  for (const each of [disk, media]) Object.assign(each, { instead: null, hold: null })
  for (const each of [disk, media]) each.requests.length = 0
})
afterAll(async () => {
  await server.close()
  await gateway.close()
  for (const { server: each } of [disk, media]) each.close().closeAllConnections()
})

const send = (parts: readonly Part[], headers: Record<string, string> = PREFLIGHT) =>
  sendChunks(server.url, [bodyOf(parts)], headers).answer
const STORE = 'mutation ($file: Upload) { store(file: $file) { key name type bytes sha256 } }'
const store = (value = 'hello', ...rest: Part[]) => [
  ...operationParts({ query: STORE, variables: { file: null } }, { a: ['variables.file'] }),
  ['a', value, 'a.txt'] as Part,
  ...rest,
]
/** The gateway still answers, and no upload is left. */
async function stillServes() {
  const answer = await send(store('again'))
  expect(answer.body.data.store[0].sha256).toBe(sha256('again'))
}
// What these requests select.
const storedIn = (body: unknown) => (body as { data: { store: { name?: string; sha256: string }[] } }).data.store
const errorsIn = (body: unknown) => (body as { errors: { message: string }[] }).errors
const codesOf = ({ body }: { body: { errors?: { extensions: { code: string } }[] } }) =>
  (body.errors ?? []).map(({ extensions }) => extensions.code)

describe('a file goes to the subgraph whose fetch uses it', () => {
  test('with its name, its type and its content, in the form of the specification', async () => {
    const { status, body } = await send(store('héllo'))
    expect([status, body]).toEqual([
      200,
      { data: { store: [{ key: 'file', name: 'a.txt', type: 'text/plain', bytes: 6, sha256: sha256('héllo') }] } },
    ])
    const [request] = disk.requests
    expect(request?.headers).toMatchObject({ 'apollo-require-preflight': 'true' })
    expect(JSON.parse(request?.operations ?? '')).toMatchObject({ variables: { file: null } })
    expect(JSON.parse(request?.operations ?? '').query).toContain('mutation')
    expect(request?.map).toBe('{"0":["variables.file"]}')
  })

  test('several files of lists and input objects, and one file at two paths', async () => {
    const query = 'mutation ($album: Album!) { album(album: $album) { key sha256 } }'
    const variables = { album: { title: 'T', cover: null, pages: [null, null] } }
    const { body } = await send([
      ...operationParts(
        { query, variables },
        { '1': ['variables.album.pages.0'], '2': ['variables.album.pages.1', 'variables.album.cover'] },
      ),
      ['1', 'one', 'one.txt'],
      ['2', '', 'quote".txt'],
    ])
    // The file at two paths is one stream, which the first resolver reads.
    expect(body.data ?? body.errors).toBeTruthy()
    expect(JSON.parse(disk.requests[0]?.map ?? '')).toEqual({
      0: ['variables.album.pages.0'],
      1: ['variables.album.cover', 'variables.album.pages.1'],
    })
  })

  test('two files go to two subgraphs, one after the other or at the same time', async () => {
    const query = 'mutation ($a: Upload!, $b: Upload) { portrait(file: $a) { sha256 } store(file: $b) { sha256 } }'
    const inOrder = await send([
      ...operationParts({ query, variables: { a: null, b: null } }, { x: ['variables.a'], y: ['variables.b'] }),
      ['x', 'first', 'x'],
      ['y', 'second', 'y'],
    ])
    expect(inOrder.body).toEqual({ data: { portrait: { sha256: sha256('first') }, store: [{ sha256: sha256('second') }] } })
    const both = 'query ($a: Upload!, $b: Upload) { looksLike(file: $a) size(file: $b) }'
    const atOnce = await send([
      ...operationParts({ query: both, variables: { a: null, b: null } }, { y: ['variables.b'], x: ['variables.a'] }),
      ['y', 'yy'.repeat(200_000), 'y'],
      ['x', 'x'.repeat(300_000), 'x'],
    ])
    expect(atOnce.body).toEqual({ data: { looksLike: sha256('x'.repeat(300_000)), size: 400_000 } })
  })

  test('a list of operations runs in order', async () => {
    const { status, body } = await send([
      ...operationParts(
        [
          { query: STORE, variables: { file: null } },
          { query: STORE, variables: { file: null } },
        ],
        { 0: ['0.variables.file'], 1: ['1.variables.file'] },
      ),
      ['0', 'zero', '0.txt'],
      ['1', 'one', '1.txt'],
    ])
    expect(status).toBe(200)
    expect(body.map((each: { data: { store: { sha256: string }[] } }) => each.data.store[0]?.sha256)).toEqual([
      sha256('zero'),
      sha256('one'),
    ])
  })

  test('an equal query with another file is neither joined, cached, shadowed nor sent by its hash', async () => {
    const query = 'query ($a: Upload, $b: Upload) { one: size(file: $a) two: size(file: $b) }'
    const ask = (a: string, b: string) =>
      send([
        ...operationParts({ query, variables: { a: null, b: null } }, { a: ['variables.a'], b: ['variables.b'] }),
        ['a', a, 'a'],
        ['b', b, 'b'],
      ])
    expect((await ask('1', '22')).body).toEqual({ data: { one: 1, two: 2 } })
    expect((await ask('333', '4444')).body).toEqual({ data: { one: 3, two: 4 } })
    expect(disk.requests).toHaveLength(2)
    expect(disk.requests.every(({ operations }) => operations?.includes('query'))).toBe(true)
    expect(gateway.shadowReport()?.verdicts).toMatchObject({ same: 0, different: 0, failed: 0, refused: 0 })
  })

  test('a file that no fetch takes is read past', async () => {
    const query = `query ($id: ID!, $a: Upload, $b: Upload!) { album(id: $id) { matches(file: $a) } looksLike(file: $b) }`
    const { body } = await send([
      ...operationParts({ query, variables: { id: 'none', a: null, b: null } }, { a: ['variables.a'], b: ['variables.b'] }),
      ['a', 'a'.repeat(3 * MEGABYTE), 'a'],
      ['b', 'bb', 'b'],
    ])
    expect(body).toEqual({ data: { album: null, looksLike: sha256('bb') } })
  })

  test('a client that wants the cost alone gets it, and its file goes nowhere', async () => {
    const { status, body } = await send(store(), { ...PREFLIGHT, 'graphql-cost': 'validate' })
    expect([status, body]).toMatchObject([200, { data: null, extensions: { cost: { requested: expect.any(Number) } } }])
    expect(disk.requests).toEqual([])
    await stillServes()
  })

  test('the handler of the Fetch API takes the same request', async () => {
    const request = new Request('http://localhost/graphql', {
      method: 'POST',
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, ...PREFLIGHT },
      body: new Uint8Array(bodyOf(store('fetched'))),
    })
    const response = await gateway.fetch(request)
    expect([response.status, storedIn(await response.json())[0]?.sha256]).toEqual([200, sha256('fetched')])
  })

  test('resolvers of a subgraph in this process get a promise of the file', async () => {
    const local = await createGateway({
      supergraph,
      log,
      uploads: { maxFileBytes: 1000 },
      subgraphs: { disk: { schema: uploadSchema('disk') } },
    })
    const response = await local.fetch(
      new Request('http://localhost/graphql', {
        method: 'POST',
        headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, ...PREFLIGHT },
        body: new Uint8Array(bodyOf(store('local'))),
      }),
    )
    expect(storedIn(await response.json())).toMatchObject([{ name: 'a.txt', sha256: sha256('local') }])
    await local.close()
  })
})

describe('hooks', () => {
  test('see null for a file, which variables that they change still have', async () => {
    const seen: unknown[] = []
    const hooked = await createGateway({
      supergraph,
      log,
      uploads: { maxFileBytes: 1000 },
      hooks: {
        request: ({ variables }) => void seen.push(variables),
        operation: ({ variables }) => ({ variables: { ...variables, title: 'of a hook' } }),
        subgraphRequest: async ({ variables }) => void seen.push(variables),
      },
    })
    const query = 'mutation ($file: Upload!, $title: String) { portrait(file: $file) { sha256 } note(text: $title) }'
    const response = await hooked.fetch(
      new Request('http://localhost/graphql', {
        method: 'POST',
        headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, ...PREFLIGHT },
        body: new Uint8Array(
          bodyOf([...operationParts({ query, variables: { file: null } }, { a: ['variables.file'] }), ['a', 'hooked', 'a.txt']]),
        ),
      }),
    )
    expect(await response.json()).toEqual({ data: { portrait: { sha256: sha256('hooked') }, note: 'of a hook' } })
    expect(seen).toEqual([{ file: null }, { file: null }, { title: 'of a hook' }])
    await hooked.close()
  })
})

describe('memory', () => {
  test('a subgraph that reads slowly holds the client back, and 50 MB arrive with their digest', async () => {
    const release = Promise.withResolvers<void>()
    onTestFinished(() => release.resolve())
    disk.hold = release.promise
    const chunk = Buffer.alloc(100_000, 'atrium')
    const digest = createHash('sha256')
    async function* chunks() {
      yield bodyOf(operationParts({ query: STORE, variables: { file: null } }, { a: ['variables.file'] }), true)
      yield bodyOf([['a', '', 'big.bin']], true).subarray(0, -2)
      for (let count = 0; count < 500; count++) {
        digest.update(chunk)
        yield chunk
      }
      yield Buffer.from(`\r\n--${BOUNDARY}--\r\n`)
    }
    collectGarbage()
    const before = process.memoryUsage().arrayBuffers
    const { answer, sent } = sendChunks(server.url, chunks())
    let last = -1
    while (sent() === 0 || sent() !== last) {
      last = sent()
      await pause(300)
    }
    collectGarbage()
    // Of this process, with the client and the subgraph; what was sent is in buffers of the kernel.
    expect(sent()).toBeGreaterThan(0)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10 * MEGABYTE)
    release.resolve()
    const { body } = await answer
    expect(body.data.store).toMatchObject([{ bytes: 50 * MEGABYTE, sha256: digest.digest('hex') }])
  })
})

describe('off, or sent in a way that another site could', () => {
  test('a request without a header that needs a preflight is refused', async () => {
    const { status, body } = await send(store(), {})
    expect([status, body.errors[0].message]).toEqual([400, expect.stringContaining('apollo-require-preflight')])
    expect(disk.requests).toEqual([])
  })

  test('a gateway without the option takes no multipart requests', async () => {
    const off = await createGateway({ supergraph, log })
    const running = await serveGateway(off, { port: 0, log })
    const { status, body } = await sendChunks(running.url, [bodyOf(store())]).answer
    expect([status, codesOf({ body })]).toEqual([415, ['UNSUPPORTED_MEDIA_TYPE']])
    await running.close()
    await off.close()
  })

  test('GET, and a client that wants events, are refused', async () => {
    const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, ...PREFLIGHT }
    const got = await fetch(`${server.url}?query={text}`, { headers })
    expect([got.status, errorsIn(await got.json())[0]?.message]).toEqual([
      405,
      'Expected POST for a request with files, got GET.',
    ])
    const events = await send(store(), { ...PREFLIGHT, accept: 'text/event-stream' })
    expect([events.status, codesOf(events)]).toEqual([406, ['NOT_ACCEPTABLE']])
  })
})

describe('what is not by the specification is refused by name', () => {
  const OPERATIONS: Part = ['operations', JSON.stringify({ query: STORE, variables: { file: null, other: 1 } })]
  const MAP: Part = ['map', '{"a":["variables.file"]}']
  const DEEP: Part = ['operations', `{"query":"{ a }","variables":{"file":null,"x":${'['.repeat(48_000)}${']'.repeat(48_000)}}}`]
  const FILE: Part = ['a', 'hello', 'a.txt']
  const mapOf = (map: unknown): Part[] => [OPERATIONS, ['map', typeof map === 'string' ? map : JSON.stringify(map)], FILE]

  test.each<readonly [what: string, parts: readonly Part[], message: RegExp, status: number]>([
    ['no parts', [], /cut short|"operations"/, 400],
    ['no map', [OPERATIONS], /the field "map", got none/, 400],
    ['no operations', [MAP, FILE], /"operations" next, as text, got "map"/, 400],
    ['a file before the map', [OPERATIONS, FILE, MAP], /"map" next, as text, got "a"/, 400],
    ['the map as a file', [OPERATIONS, ['map', '{}', 'map.json'], FILE], /"map" next, as text/, 400],
    ['operations that are no JSON', [['operations', '{'], MAP], /"operations" to be JSON/, 400],
    ['operations that are a number', [['operations', '1'], MAP], /"operations" to be the JSON of one operation/, 400],
    ['a map that is no JSON', mapOf('{'), /"map" to be JSON/, 400],
    ['a map that is a list', mapOf([]), /"map" to be a JSON object/, 400],
    ['a map without a list', mapOf({ a: 'variables.file' }), /a list of paths for "a"/, 400],
    ['a map with an empty list', mapOf({ a: [] }), /a list of paths for "a"/, 400],
    ['a path outside of variables', mapOf({ a: ['query'] }), /paths in "map" such as "variables.file", got "query"/, 400],
    ['a path to nothing', mapOf({ a: ['variables.nothing'] }), /null in "operations" at "variables.nothing"/, 400],
    ['a path to another value', mapOf({ a: ['variables.other'] }), /null in "operations" at "variables.other"/, 400],
    ['a path into what objects inherit', mapOf({ a: ['variables.__proto__.polluted'] }), /null in "operations"/, 400],
    ['a path that two files have', mapOf({ a: ['variables.file'], b: ['variables.file'] }), /null in "operations"/, 400],
    ['a path with an index', mapOf({ a: ['0.variables.file'] }), /paths in "map" such as/, 400],
    ['too many files in the map', mapOf({ a: ['variables.file'], b: [''], c: [''], d: [''] }), /at most 3 files/, 413],
    ['variables nested so deep that a walk over them would end the stack', [DEEP, MAP, FILE], /nested at most 30 deep/, 400],
    ['fields that are too large', [['operations', 'x'.repeat(100_001)], MAP], /"operations" of at most 100000 bytes/, 413],
  ])('%s', async (_, parts, message, expected) => {
    const { status, body } = await send(parts)
    expect(body.errors[0].message).toMatch(message)
    expect([status, body.errors.length, /^UPLOAD_(MALFORMED|TOO_LARGE)$/.test(body.errors[0].extensions.code)]).toEqual([
      expected,
      1,
      true,
    ])
    expect(disk.requests).toEqual([])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test('a body without a boundary', async () => {
    const { status, body } = await send(store(), { ...PREFLIGHT, 'content-type': 'multipart/form-data' })
    expect([status, body.errors[0].message]).toEqual([400, 'Expected content-type multipart/form-data with a boundary.'])
  })

  test('a file that the map names does not come', async () => {
    const answer = await send(store().slice(0, 2))
    expect(answer.body).toMatchObject({
      data: null,
      errors: [{ message: 'Expected the file "a", which "map" names, got none.', extensions: { code: 'UPLOAD_MALFORMED' } }],
    })
    await stillServes()
  })

  test('a field comes where files are expected', async () => {
    const answer = await send([...store().slice(0, 2), ['x', 'y']])
    expect(answer.body.errors[0].message).toBe('Expected files after "map", got the field "x".')
    await stillServes()
  })

  test('a file comes that the map does not name', async () => {
    const answer = await send([...store().slice(0, 2), ['b', 'x', 'b.txt']])
    expect(answer.body.errors[0].message).toBe('Expected "map" to have the file "b", got a file that it does not name.')
    await stillServes()
  })

  test.each(['mutation ($file: String) { note(text: $file) }', 'query ($file: String) { text(value: $file) }'])(
    'a file for another type than Upload: %s',
    async (query) => {
      const answer = await send([
        ...operationParts({ query, variables: { file: null } }, { a: ['variables.file'] }),
        ['a', 'x', 'a.txt'],
      ])
      expect([answer.status, answer.body.errors[0].message, codesOf(answer)]).toEqual([
        400,
        'Expected a variable of the scalar Upload at "variables.file", where "map" sends the file "a", got String.',
        ['BAD_USER_INPUT'],
      ])
    },
  )

  test('a file for a variable that the operation does not have', async () => {
    const answer = await send([
      ...operationParts({ query: '{ text }', variables: { file: null } }, { a: ['variables.file'] }),
      ['a', 'x', 'a.txt'],
    ])
    expect([answer.status, answer.body.errors[0].message]).toEqual([
      400,
      'Expected the operation to have a variable "$file", where "map" sends a file.',
    ])
  })
})

describe('what cannot be done with a stream is refused before anything runs', () => {
  const two = (query: string, map: Record<string, string[]>, variables: object): Part[] => [
    ...operationParts({ query, variables }, map),
    ...Object.keys(map).map((key) => [key, `file ${key}`, key] as Part),
  ]

  test('one file for two subgraphs', async () => {
    const query = 'mutation ($a: Upload!) { portrait(file: $a) { sha256 } store(file: $a) { sha256 } }'
    const answer = await send(two(query, { x: ['variables.a'] }, { a: null }))
    expect([answer.status, codesOf(answer)]).toEqual([400, ['UPLOAD_CONFLICT']])
    expect(answer.body.errors[0].message).toMatch(/^Expected the file "x" \(variables\.a\) to be for one request/)
    expect([disk.requests, media.requests]).toEqual([[], []])
  })

  test('files in another order than mutations run', async () => {
    const query = 'mutation ($a: Upload!, $b: Upload) { portrait(file: $a) { sha256 } store(file: $b) { sha256 } }'
    const answer = await send(two(query, { x: ['variables.b'], y: ['variables.a'] }, { a: null, b: null }))
    expect([answer.status, codesOf(answer)]).toEqual([400, ['UPLOAD_CONFLICT']])
    expect(answer.body.errors[0].message).toContain('others are needed before "x" (variables.b): send it after them')
    expect([disk.requests, media.requests]).toEqual([[], []])
  })

  test('parts in another order than the map, of mutations: the late one has an error, and nothing waits', async () => {
    const query = 'mutation ($a: Upload!, $b: Upload) { portrait(file: $a) { sha256 } store(file: $b) { sha256 } }'
    const parts = operationParts({ query, variables: { a: null, b: null } }, { x: ['variables.a'], y: ['variables.b'] })
    const { body } = await send([...parts, ['y', 'y'.repeat(MEGABYTE), 'y'], ['x', 'first', 'x']])
    expect(body.data).toBe(null)
    expect(codesOf({ body })).toEqual(['UPLOAD_CONFLICT'])
    expect(media.requests).toHaveLength(1)
  })

  test('a subgraph whose requests are signed', async () => {
    const signing = { kind: 'hmac', secret: 'a-secret-of-the-test', header: 'x-signature' } as const
    const signed = await createGateway({ supergraph, log, uploads: { maxFileBytes: 1000 }, allSubgraphs: { signing } })
    const running = await serveGateway(signed, { port: 0, log })
    const answer = await sendChunks(running.url, [bodyOf(store())]).answer
    expect(codesOf(answer)).toEqual(['UPLOAD_NOT_SUPPORTED'])
    expect(disk.requests).toEqual([])
    await running.close()
    await signed.close()
  })
})

describe('faults', () => {
  test('a file that is too large ends its request to the subgraph', async () => {
    const small = await createGateway({ supergraph, log, uploads: { maxFileBytes: 200_000 } })
    const running = await serveGateway(small, { port: 0, log })
    const exact = await sendChunks(running.url, [bodyOf(store('x'.repeat(200_000)))]).answer
    expect(exact.body.data.store[0].bytes).toBe(200_000)
    const cut = disk.cutShort()
    const answer = await sendChunks(running.url, [bodyOf(store('x'.repeat(200_001)))]).answer
    expect([answer.body.data, codesOf(answer)]).toEqual([null, ['UPLOAD_TOO_LARGE']])
    expect(answer.body.errors[0].message).toBe('Expected files of at most 200000 bytes, got more in "a".')
    await expect.poll(() => disk.cutShort()).toBe(cut + 1)
    await running.close()
    await small.close()
  })

  test.each([
    ['in the file', (body: Buffer) => body.subarray(0, body.length - 60)],
    ['before the closing boundary', (body: Buffer) => body.subarray(0, body.length - 6)],
    ['in the map', (body: Buffer) => body.subarray(0, body.indexOf('variables.file'))],
  ])('a body that is cut short %s', async (_, cut) => {
    const answer = await sendChunks(server.url, [cut(bodyOf(store('hello'.repeat(100))))]).answer
    expect(codesOf(answer)).toEqual(['UPLOAD_MALFORMED'])
    await stillServes()
  })

  test('a client that leaves ends the request to the subgraph', async () => {
    const cut = disk.cutShort()
    async function* endless() {
      yield bodyOf([...operationParts({ query: STORE, variables: { file: null } }, { a: ['variables.file'] })], true)
      yield bodyOf([['a', 'x'.repeat(300_000), 'a.txt']], true).subarray(0, -2)
      await new Promise(() => {})
    }
    const { answer, leave } = sendChunks(server.url, endless())
    await expect.poll(() => disk.requests).toHaveLength(1)
    leave()
    await expect(answer).rejects.toThrow()
    await expect.poll(() => disk.cutShort()).toBe(cut + 1)
    await stillServes()
  })

  test('a client that is too slow gets a time limit, which is not that of other requests', async () => {
    const slow = await createGateway({ supergraph, log, uploads: { maxFileBytes: 1000, timeoutSeconds: 1 } })
    const running = await serveGateway(slow, { port: 0, log })
    async function* stalled() {
      yield bodyOf(store().slice(0, 2), true)
      await new Promise(() => {})
    }
    const late = sendChunks(running.url, stalled())
    const answer = await late.answer
    expect(answer.body).toMatchObject({ errors: [{ extensions: { code: 'TIMEOUT' } }] })
    async function* unfinished() {
      yield Buffer.from(`--${BOUNDARY}\r\n`)
      await new Promise(() => {})
    }
    const none = sendChunks(running.url, unfinished())
    const refused = await none.answer
    expect([refused.status, refused.body.errors[0].message]).toEqual([408, 'Expected the whole upload within 1 seconds.'])
    for (const each of [late, none]) each.leave()
    await running.close()
    await slow.close()
  })

  test('a subgraph that answers before it reads the file', async () => {
    disk.instead = (_, response) => void response.setHeader('content-type', 'application/json').end('{"data":{"store":[]}}')
    const answer = await send(store('x'.repeat(5 * MEGABYTE)))
    expect([answer.status, answer.body]).toEqual([200, { data: { store: [] } }])
    disk.instead = null
    await stillServes()
  })

  test('a subgraph that closes the connection is unavailable for this client alone', async () => {
    disk.instead = (request) => request.socket.resetAndDestroy()
    for (let count = 0; count < 12; count++) {
      const answer = await send(store('x'.repeat(300_000)))
      expect(codesOf(answer)).toEqual(['SUBGRAPH_UNAVAILABLE'])
    }
    disk.instead = null
    // What files cause does not open the circuit.
    await stillServes()
    expect(JSON.stringify(lines)).not.toContain('uncaught')
  })

  test('more uploads at once than there may be are refused', async () => {
    const release = Promise.withResolvers<void>()
    onTestFinished(() => release.resolve())
    disk.hold = release.promise
    const held = [1, 2, 3].map((each) => send(store(`held ${each}`)))
    await expect.poll(() => disk.requests).toHaveLength(3)
    const answer = await send(store())
    expect([answer.status, codesOf(answer)]).toEqual([503, ['UNAVAILABLE']])
    release.resolve()
    for (const each of await Promise.all(held)) expect(each.status).toBe(200)
  })
})
