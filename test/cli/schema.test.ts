import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { buildSchema, findBreakingChanges, parse } from 'graphql'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { schemaCommand } from '../../cli/schema.ts'
import { checkSchema } from '../../composition/usage/schema-check.ts'
import { createUsageStore } from '../../composition/usage/usage-store.ts'
import { createGateway } from '../../gateway/library/create-gateway.ts'
import { serveGateway } from '../../gateway/library/serve-gateway.ts'
import { describeUsage } from '../../gateway/usage/signature.ts'
import { createLog } from '../../platform/process/log.ts'
import { REVIEW_SDL, reviewSubgraph, SHOP_SDL, shopSubgraph, supergraphSdl } from '../gateway/support/graph.ts'
import { emptyDatabase, type FreshDatabase, freshDatabase } from '../support/database.ts'

const ATRIUM = join(import.meta.dirname, '../../cli/atrium.ts')
const folder = mkdtempSync(join(tmpdir(), 'atrium-schema-'))
let database: FreshDatabase
const fileOf = (name: string, sdl: string): string => {
  writeFileSync(join(folder, name), sdl)
  return join(folder, name)
}
const current = join(folder, 'current.graphql')

/** `npx atrium schema …` on the database of this file. */
async function spawned(...words: string[]) {
  const { connectionString } = database.connection as { connectionString: string }
  const env = { ...process.env, DATABASE_URL: connectionString, LOG_LEVEL: 'silent' }
  const child = spawn(process.execPath, [ATRIUM, 'schema', ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ])
  return { out, err, code }
}

/** The same in this process, which takes a tenth of the time. */
async function schema(...words: string[]) {
  const lines = { out: '', err: '' }
  const [log, error] = (['log', 'error'] as const).map((name, index) =>
    vi.spyOn(console, name).mockImplementation((line) => {
      lines[index === 0 ? 'out' : 'err'] += `${line}\n`
    }),
  )
  try {
    await schemaCommand().parseAsync(words, { from: 'user' })
    return { ...lines, code: process.exitCode ?? 0 }
  } catch (fault) {
    return { ...lines, code: 1, err: String(fault) }
  } finally {
    process.exitCode = undefined
    log?.mockRestore()
    error?.mockRestore()
  }
}
/** Checks a supergraph whose subgraph `shop` has this SDL. */
const checkWords = (shopSdl: string, ...words: string[]): string[] => {
  const subgraph = fileOf('shop.graphql', shopSdl)
  const others = ['--subgraph', 'shop', '--subgraphs', join(folder, 'subgraphs'), '--current', current]
  return ['check', '--schema', subgraph, ...others, ...words]
}
const check = (shopSdl: string, ...words: string[]) => schema(...checkWords(shopSdl, ...words))
const dayNow = () => new Date().toISOString().slice(0, 10)
/** Of the last request. */
let today = dayNow()

beforeAll(async () => {
  database = await freshDatabase()
  const { connectionString } = database.connection as { connectionString: string }
  vi.stubEnv('DATABASE_URL', connectionString)
  vi.stubEnv('LOG_LEVEL', 'silent')
  mkdirSync(join(folder, 'subgraphs', 'review'), { recursive: true })
  writeFileSync(join(folder, 'subgraphs/review/review.graphql'), REVIEW_SDL)
  writeFileSync(join(folder, 'subgraphs/shop.graphql'), SHOP_SDL)
  writeFileSync(current, supergraphSdl({ shop: 'http://shop.invalid/', review: 'http://review.invalid/' }))
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.drop()
  rmSync(folder, { recursive: true })
})

/** Two clients over HTTP. */
async function request(): Promise<void> {
  const store = createUsageStore(database.connection, { retentionDays: 90, onError() {} })
  const log = createLog('silent')
  const gateway = await createGateway({
    supergraph: supergraphSdl({ shop: 'http://shop.invalid/', review: 'http://review.invalid/' }),
    subgraphs: { shop: { schema: shopSubgraph().schema }, review: { schema: reviewSubgraph().schema } },
    log,
    usage: { record: store.record },
  })
  const server = await serveGateway(gateway, { port: 0, log })
  const ask = (query: string, name: string, version: string) =>
    fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'graphql-client-name': name, 'graphql-client-version': version },
      body: JSON.stringify({ query, variables: { id: 'a' } }),
    })
  for (let times = 0; times < 3; times++)
    await ask('query GetProduct($id: ID!) { product(id: $id) { name parent { id } } }', 'web', '1.4')
  await ask('query Reviews { latestReview { text } }', 'ios', '2')
  today = dayNow()
  await server.close()
  await gateway.close()
  await store.close()
}

describe('without any record', () => {
  test('check does not say that a removed field is safe', async () => {
    const { out, code } = await check(SHOP_SDL.replace('slow: String', ''))
    expect(code).toBe(1)
    expect(out).toContain('No usage is recorded in these days.')
    expect(out).toContain('Query.slow was removed.\n  unknown: nothing is recorded')
  })

  test('nor when all that is recorded is older than the days that count', async () => {
    const store = createUsageStore(database.connection, { retentionDays: 90, onError: () => {} })
    const at = new Date(Date.now() - 60 * 86_400_000).toISOString()
    const use = { clientName: 'old', clientVersion: '1', requests: 1, errors: 0, milliseconds: 1, lastSeenAt: at }
    await store.record({
      id: randomUUID(),
      operations: [
        { hash: 'old', name: null, kind: 'query', signature: '{latestReview{id}}', coordinates: ['Query.latestReview'] },
      ],
      counts: [{ day: at.slice(0, 10), operation: 'old', ...use }],
    })
    const { out, code } = await check(SHOP_SDL.replace('slow: String', ''), '--days', '30')
    expect([code, out]).toEqual([1, expect.stringContaining('No usage is recorded in these days.')])
    const client = new pg.Client(database.connection)
    await client.connect()
    await client.query('DELETE FROM gateway.usage_count; DELETE FROM gateway.usage_operation')
    await client.end()
    await store.close()
  })
})

describe('with the requests of two clients', () => {
  beforeAll(request)

  test('check names who breaks by a removed field, and exits with 1', async () => {
    const { out, err, code } = await spawned(...checkWords(SHOP_SDL.replace('parent: Product', '')))
    expect([code, err]).toEqual([1, ''])
    expect(out).toContain(
      `Product.parent was removed.\n  breaks: client web 1.4 (3 requests, last seen ${today}), query GetProduct`,
    )
    expect(out).toContain('Would be invalid: query GetProduct\n  Cannot query field "parent" on type "Product".')
    expect(out).not.toContain('ios')
    const json = JSON.parse((await check(SHOP_SDL.replace('parent: Product', ''), '--json')).out)
    expect(json).toMatchObject({
      isSafe: false,
      changes: [
        { verdict: 'breaks', operations: [{ name: 'GetProduct', clients: [{ name: 'web', version: '1.4', requests: 3 }] }] },
      ],
      invalid: [{ name: 'GetProduct', messages: ['Cannot query field "parent" on type "Product".'] }],
    })
  })

  test('check accepts the removal of a field without uses, or with fewer requests than --min-requests', async () => {
    const { out, code } = await check(SHOP_SDL.replace('slow: String', ''))
    expect(code).toBe(0)
    expect(out).toContain('Query.slow was removed.\n  safe: nobody used it in 30 days\n')
    expect((await check(SHOP_SDL.replace('parent: Product', ''), '--min-requests', '4')).code).toBe(0)
    expect((await check(SHOP_SDL)).out).toBe('Safe: no change breaks clients.\n')
  })

  test('check takes a schema and a supergraph as well', async () => {
    const plain = fileOf('plain.graphql', 'type Query { product(id: ID!): Product } type Product { id: ID! name: String! }')
    const { out, code } = await schema('check', '--schema', plain, '--current', current)
    expect(code).toBe(1)
    expect(out).toContain('query Reviews')
    expect((await schema('check', '--schema', current, '--current', current)).code).toBe(0)
  })

  test('bad input is refused with 2 and a sentence', async () => {
    const conflict = await check(SHOP_SDL.replace('parent: Product', 'rating: String'))
    expect([conflict.code, conflict.out]).toEqual([2, ''])
    expect(conflict.err).toContain('The subgraphs do not compose:')
    expect(await check('type Query {')).toMatchObject({ code: 2, err: expect.stringContaining('shop.graphql" is no SDL') })
    const missing = await schema('check', '--schema', join(folder, 'none.graphql'))
    expect(missing).toMatchObject({ code: 2, err: expect.stringContaining('cannot be read') })
    expect((await spawned('check', '--schema', current, '--days', '0')).code).toBe(2)
  })

  test('usage lists who uses a coordinate', async () => {
    const line = `client web 1.4 (3 requests, last seen ${today}), query GetProduct\n`
    expect((await schema('usage', 'Product.name')).out).toContain(line)
    expect((await schema('usage', 'Query.product(id:)')).out).toContain(line)
    expect((await schema('usage', 'Product.name', '--client', 'ios')).out).toContain('Nobody used Product.name in 30 days.')
    const all = JSON.parse((await schema('usage', '--json', '--client', 'ios')).out)
    expect(all.operations).toMatchObject([{ name: 'Reviews', signature: 'query Reviews{latestReview{text}}', requests: 1 }])
    expect(await schema('usage', 'Product name')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Expected a coordinate'),
    })
  })

  test('unused lists what no operation used', async () => {
    const { unused } = JSON.parse((await schema('unused', '--json', '--current', current)).out)
    expect(unused).toContain('Query.slow')
    expect(unused).toContain('Product.children(first:)')
    expect(unused).not.toContain('Product.name')
    expect(unused).not.toContain('Query.product(id:)')
  })
})

test('a database without the tables is not migrated, but told of', async () => {
  const empty = await emptyDatabase()
  onTestFinished(empty.drop)
  const { connectionString } = empty.connection as { connectionString: string }
  vi.stubEnv('DATABASE_URL', connectionString)
  const { code, err } = await schema('check', '--schema', current, '--current', current)
  expect([code, err]).toEqual([2, expect.stringContaining('This database has no usage reports')])
})

/** An operation of one request; the text null where it was too long. */
const used = (coordinates: readonly string[], signature: string | null = null) => ({
  hash: String(coordinates),
  name: null,
  kind: 'query',
  signature,
  coordinates,
  uses: [{ clientName: '', clientVersion: '', requests: 1, errors: 0, milliseconds: 1, lastSeenAt: new Date() }],
})

/** Every kind of change that breaks a schema, with a coordinate that it affects and one that it does not. */
test('a change of each kind is traced to the coordinates that it affects', () => {
  const before = buildSchema(`
    directive @old on FIELD
    directive @kept(arg: Int) on FIELD
    interface Node { id: ID! }
    enum Color { RED GREEN }
    input Filter { color: Color, old: String, kind: Int }
    type Product implements Node { id: ID! old: String kind: Int arg(a: Int, b: Int): Int }
    type Gone { id: ID }
    type Turned { id: ID }
    type Other { id: ID }
    union Found = Product | Other
    type Query { node: Node product(filter: Filter): Product found: Found gone: Gone turned: Turned required: Int }`)
  const after = buildSchema(`
    directive @kept(must: Int!) on FIELD
    interface Node { id: ID! }
    enum Color { RED }
    input Filter { color: Color, kind: String, must: Int! }
    type Product { id: ID! kind: String arg(a: String): Int }
    input Turned { id: ID }
    type Other { id: ID }
    union Found = Product
    type Query { node: Node product(filter: Filter): Product found: Found required(a: Int!): Int }`)
  const affected: Readonly<Record<string, string>> = {
    'Gone was removed.': 'Gone.id',
    'Turned changed from an Object type to an Input type.': 'Turned.id',
    'Other was removed from union type Found.': 'Found',
    'GREEN was removed from enum type Color.': 'Color.GREEN',
    'A required field must on input type Filter was added.': 'Filter.*',
    'Filter.old was removed.': 'Filter.*',
    'Filter.kind changed type from Int to String.': 'Filter.kind',
    'Product no longer implements interface Node.': 'Node.id',
    'Product.old was removed.': 'Product.old',
    'Product.kind changed type from Int to String.': 'Product.kind',
    'Product.arg arg b was removed.': 'Product.arg(b:)',
    'Product.arg arg a has changed type from Int to String.': 'Product.arg(a:)',
    'A required arg a on Query.required was added.': 'Query.required',
    'Query.gone was removed.': 'Query.gone',
    'Query.turned was removed.': 'Query.turned',
    'old was removed.': '@old',
    'arg was removed from kept.': '@kept',
    'A required arg must on directive kept was added.': '@kept',
  }
  const judge = (coordinate: string, description: string) =>
    checkSchema(before, after, { operations: [used([coordinate])], firstDay: today }).changes.find(
      (change) => change.description === description,
    )?.verdict
  const descriptions = findBreakingChanges(before, after).map(({ description }) => description)
  expect(descriptions.toSorted()).toEqual(Object.keys(affected).toSorted())
  for (const [description, coordinate] of Object.entries(affected)) {
    expect([description, judge(coordinate, description)]).toEqual([description, 'breaks'])
    expect([description, judge('Query.unrelated', description)]).toEqual([description, 'safe'])
    // Of an operation that could not be described.
    expect([description, judge('*', description)]).toEqual([description, 'unknown'])
  }
})

describe('types of variables and of literals', () => {
  const sdl = 'scalar Code enum Color { RED } input Filter { code: Code } input Outer { codes: [Code!] }'
  const fields = 'find(filter: Filter): Int byCode(code: Code): Int outer(outer: Outer): Int code: Code plain: Int'
  const before = buildSchema(`directive @of(code: Code) on FIELD ${sdl} type Query { ${fields} }`)

  test.each([
    ['Code', 'Query.byCode(code:)'],
    ['Code', 'Query.code'],
    ['Code', 'Filter.code'],
    ['Code', 'Outer.*'],
    ['Code', '@of'],
    // Of a variable in a literal of another scalar.
    ['Code', 'Code'],
    // With the literal {}.
    ['Filter', 'Query.find(filter:)'],
  ])('a change of %s breaks who uses %s', (type, coordinate) => {
    const changed =
      type === 'Code'
        ? sdl.replace('scalar Code', 'enum Code { A }')
        : sdl.replace('input Filter { code: Code }', 'scalar Filter')
    const after = buildSchema(`directive @of(code: Code) on FIELD ${changed} type Query { ${fields} }`)
    const verdictOf = (coordinates: readonly string[]) =>
      checkSchema(before, after, { operations: [used(coordinates)], firstDay: today }).changes.map(({ verdict }) => verdict)
    expect(verdictOf([coordinate])).toEqual(['breaks'])
    expect(verdictOf(['Query.plain', 'Query.outer(outer:)'])).toEqual(['safe'])
  })

  test('variables of a custom scalar are recorded', () => {
    const text = 'query ($id: ID, $code: Code) { byCode(code: $code) }'
    const [operation] = parse(text).definitions
    if (operation?.kind !== 'OperationDefinition') throw new Error('Expected an operation.')
    const { coordinates } = describeUsage({ document: parse(text), operation, isIntrospection: false }, before)
    expect(coordinates).toEqual(['Code', 'Query.byCode', 'Query.byCode(code:)'])
  })
})

describe('what becomes required', () => {
  const before = buildSchema(`
    input Filter { name: String, size: Int! = 1 }
    type Query { find(filter: Filter, first: Int, max: Int! = 5): Int plain: Int }`)
  const sdlOf = (filter: string, args: string) =>
    buildSchema(`input Filter { ${filter} } type Query { find(${args}): Int plain: Int }`)
  const [FILTER, ARGS] = ['name: String, size: Int! = 1', 'filter: Filter, first: Int, max: Int! = 5']
  const find = ['Query.find']

  test.each([
    {
      why: 'an argument',
      args: ARGS.replace('first: Int', 'first: Int!'),
      uses: find,
      omits: '{find}',
      gives: '{find(first:0)}',
    },
    {
      why: 'an argument without its default',
      args: ARGS.replace(' = 5', ''),
      uses: find,
      omits: '{find}',
      gives: '{find(max:0)}',
    },
    {
      why: 'an input field',
      filter: FILTER.replace('String', 'String!'),
      uses: [...find, 'Query.find(filter:)', 'Filter.size'],
      omits: '{find(filter:{size:0})}',
      gives: '{find(filter:{name:"" size:0})}',
    },
    {
      why: 'an input field without its default',
      filter: FILTER.replace(' = 1', ''),
      uses: [...find, 'Query.find(filter:)'],
      omits: '{find(filter:{})}',
      gives: '{find(filter:{size:0})}',
    },
    {
      why: 'a new input field',
      filter: `${FILTER}, must: Int!`,
      uses: [...find, 'Query.find(filter:)'],
      omits: '{find(filter:{})}',
      gives: '{find}',
    },
  ])(
    '$why: breaks who leaves it out, and who is unknown where the text is not stored',
    ({ filter = FILTER, args = ARGS, uses, omits, gives }) => {
      const after = sdlOf(filter, args)
      const judge = (coordinates: readonly string[], signature: string | null) => {
        const { changes, isSafe } = checkSchema(before, after, { operations: [used(coordinates, signature)], firstDay: today })
        return [...changes.map(({ verdict }) => verdict), isSafe]
      }
      expect(judge(uses, null)).toEqual(['unknown', false])
      expect(judge(uses, omits)).toEqual(['breaks', false])
      expect(judge(find, gives)).toEqual(['safe', true])
      expect(judge(['Query.plain'], null)).toEqual(['safe', true])
    },
  )

  test('variables of an input type may leave out what lost its default', () => {
    const after = sdlOf('name: String, size: Int!', ARGS)
    const operations = [used(['Filter.*', 'Query.find', 'Query.find(filter:)'], 'query ($f:Filter){find(filter:$f)}')]
    expect(checkSchema(before, after, { operations, firstDay: today }).changes).toMatchObject([
      { verdict: 'breaks', description: 'Filter.size lost its default value and is required.' },
    ])
  })
})
