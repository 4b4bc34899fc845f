import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Kind, parse, validate } from 'graphql'
import { getComplexity } from 'graphql-query-complexity'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { complexityEstimator } from '../../composition/apollo-cost.ts'
import { builtInSupergraph } from '../../composition/built-in-supergraph.ts'
import { compileCostModel } from '../../gateway/limits/cost-limit.ts'
import { readCostWeights } from '../../gateway/limits/cost-weights.ts'
import { readSupergraph } from '../../gateway/planning/supergraph.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { startMain } from '../support/program.ts'

const ROOT = join(import.meta.dirname, '../..')

type Engine = 'atrium' | 'apollo'
type Main = Awaited<ReturnType<typeof startMain>>
let database: FreshDatabase
const mains = new Map<Engine, Main>()
beforeAll(async () => {
  database = await freshDatabase()
  const { connectionString: DATABASE_URL } = database.connection as { connectionString: string }
  const environment = { ...process.env, DATABASE_URL, LOG_LEVEL: 'silent' }
  mains.set('atrium', await startMain(environment))
  mains.set('apollo', await startMain({ ...environment, ENGINE: 'apollo' }))
})
afterAll(async () => {
  for (const main of mains.values()) await main.kill()
  await database?.drop()
})

/** One request, in the terms of `fetch`. */
type Asked = {
  readonly method?: string
  readonly search?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** What a client acts on: status, data, and the codes of errors. */
async function answerOf(engine: Engine, { method = 'POST', search = '', body, headers = {} }: Asked) {
  const answer = await fetch(`${mains.get(engine)?.base}/graphql${search}`, {
    method,
    headers: { ...(method === 'POST' && { 'content-type': 'application/json' }), ...headers },
    ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  try {
    const { data = null, errors = [] } = JSON.parse(text)
    const codes = errors.map(({ extensions }: { extensions?: { code?: string } }) => extensions?.code ?? 'no code')
    return { status: answer.status, data, codes, text }
  } catch {
    return { status: answer.status, data: null, codes: [`not JSON: ${text.slice(0, 40)}`], text }
  }
}

const SEARCH = '{ search(query: "postgres", first: 2) { totalCount edges { node { id name } } } }'
const PREFLIGHT = { 'apollo-require-preflight': '1' }
const withNumber = (variables: object) => ({
  query: 'query ($n: Int!) { search(query: "a", first: $n) { totalCount } }',
  variables,
})
const unknownHash = { persistedQuery: { version: 1, sha256Hash: 'x' } }
const get = (query: string): Asked => ({ method: 'GET', search: `?query=${encodeURIComponent(query)}`, headers: PREFLIGHT })
const post = (query: string, more: object = {}): Asked => ({ body: { query, ...more } })

/** What both answer alike: status, data and codes. */
const SAME: readonly { readonly what: string; readonly asked: Asked; readonly codes?: readonly string[] }[] = [
  { what: '__typename', asked: post('{ __typename }') },
  { what: 'a search', asked: post(SEARCH) },
  { what: 'variables', asked: { body: withNumber({ n: 1 }) } },
  {
    what: 'an alias and a fragment',
    asked: post('query { found: search(query: "a", first: 1) { ...F } } fragment F on SearchConnection { totalCount }'),
  },
  {
    what: 'entities across subgraphs',
    asked: post(
      '{ search(query: "postgres", first: 2) { edges { node { id __typename ... on McpServer { posts(first: 1) { totalCount } } } } } }',
    ),
  },
  { what: 'a query over GET', asked: get('{ __typename }') },
  { what: 'introspection', asked: post('{ __type(name: "Query") { kind name } }') },
  { what: 'a syntax error', asked: post('{'), codes: ['GRAPHQL_PARSE_FAILED'] },
  { what: 'an unknown field', asked: post('{ nope }'), codes: ['GRAPHQL_VALIDATION_FAILED'] },
  { what: 'a missing variable', asked: { body: withNumber({}) }, codes: ['BAD_USER_INPUT'] },
  { what: 'a variable of another type', asked: { body: withNumber({ n: 'x' }) }, codes: ['BAD_USER_INPUT'] },
  { what: 'a list where batches are off', asked: { body: [{ query: '{ __typename }' }] }, codes: ['BAD_REQUEST'] },
  { what: 'a field of a store without credentials', asked: post('{ store { id } }'), codes: ['UNAUTHENTICATED'] },
]

type Difference = {
  readonly what: string
  readonly asked: Asked
  readonly apollo: string
  readonly atrium: string
  readonly why: string
}

/** What they answer differently: `status codes` of each, and why. */
const DIFFERENT: readonly Difference[] = [
  {
    what: 'nested 11 deep',
    asked: post(`{ post(id: "a") { ${'author { posts(limit: 0) { '.repeat(5)} id ${'} } '.repeat(5)} } }`),
    apollo: '400 GRAPHQL_VALIDATION_FAILED',
    atrium: '400 DEPTH_LIMIT_EXCEEDED',
    why: 'graphql-depth-limit is a validation rule, without a code of its own',
  },
  {
    what: 'an unknown operationName',
    asked: post('query A { __typename }', { operationName: 'B' }),
    apollo: '500 INVALID_GRAPHQL',
    atrium: '400 OPERATION_RESOLUTION_FAILURE',
    why: 'Apollo Gateway throws',
  },
  {
    what: 'an empty operationName',
    asked: post('query A { __typename }', { operationName: '' }),
    apollo: '500 INTERNAL_SERVER_ERROR',
    atrium: '400 OPERATION_RESOLUTION_FAILURE',
    why: 'Apollo Server expects errors of the gateway',
  },
  {
    what: 'a mutation over GET',
    asked: get('mutation { __typename }'),
    apollo: '405 BAD_REQUEST',
    atrium: '405 METHOD_NOT_ALLOWED',
    why: 'a code that says the status',
  },
  {
    what: 'a subscription over POST',
    asked: post('subscription { roomInvitationReceived { __typename } }'),
    apollo: '500 INTERNAL_SERVER_ERROR',
    atrium: '400 SUBSCRIPTIONS_NOT_SUPPORTED',
    why: 'Apollo Gateway has no subscriptions',
  },
  {
    what: 'a conditional subscription',
    asked: post('subscription ($s: Boolean!) { roomInvitationReceived @skip(if: $s) { __typename } }', {
      variables: { s: true },
    }),
    apollo: '500 INTERNAL_SERVER_ERROR',
    atrium: '400 SUBSCRIPTIONS_NOT_SUPPORTED',
    why: 'graphql-js throws in validation',
  },
  {
    what: 'text/plain',
    asked: { body: 'x', headers: { 'content-type': 'text/plain' } },
    apollo: '400 BAD_REQUEST',
    atrium: '415 UNSUPPORTED_MEDIA_TYPE',
    why: 'the media type is refused first',
  },
  {
    what: 'a negative page size',
    asked: post('{ search(query: "a", first: -5) { totalCount } }'),
    apollo: '200 BAD_USER_INPUT',
    atrium: '400 PAGE_SIZE_OUT_OF_RANGE',
    why: 'refused before any fetch: it would buy points',
  },
  {
    what: 'a hash of another text',
    asked: post('{ __typename }', { extensions: unknownHash }),
    apollo: '400 INTERNAL_SERVER_ERROR',
    atrium: '400 PERSISTED_QUERY_HASH_MISMATCH',
    why: 'the fault is the client’s',
  },
  {
    what: '201 aliases',
    asked: post(`{ ${Array.from({ length: 201 }, (_, at) => `a${at}: __typename`).join(' ')} }`),
    apollo: '200',
    atrium: '400 OPERATION_TOO_LARGE,OPERATION_TOO_LARGE',
    why: 'bounds of size, which stock Apollo lacks',
  },
  {
    what: 'one field 301 times',
    asked: post(`{ ${'__typename '.repeat(301)} }`),
    apollo: '200',
    atrium: '400 OPERATION_TOO_LARGE',
    why: 'validation compares equal names pair by pair',
  },
]

test.each(SAME)('both engines answer the same to $what', async ({ asked, codes = [] }) => {
  const [{ text: _, ...apollo }, { text: __, ...atrium }] = [await answerOf('apollo', asked), await answerOf('atrium', asked)]
  expect(apollo.codes).toEqual(codes)
  expect(atrium).toEqual(apollo)
})

test('where the engines differ is known, with the reason', async () => {
  const rows: string[][] = []
  for (const { what, asked, why, apollo, atrium } of DIFFERENT) {
    const [theirs, ours] = [await answerOf('apollo', asked), await answerOf('atrium', asked)]
    const said = [theirs, ours].map(({ status, codes }) => `${status} ${codes.join()}`.trim())
    rows.push([what, ...said, why])
    expect.soft([what, ...said]).toEqual([what, apollo, atrium])
  }
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = [['request', 'Apollo', 'Atrium', 'why'], ...rows].map((row) =>
    row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | '),
  )
  console.log(lines.join('\n'))
})

test('ENGINE=apollo is refused in production, and for what is no engine, by a sentence', async () => {
  const started = (env: NodeJS.ProcessEnv) =>
    promisify(execFile)(process.execPath, ['main.ts'], { cwd: ROOT, env: { PATH: process.env.PATH, ...env } }).then(
      () => '',
      ({ stderr }: { stderr: string }) => stderr,
    )
  expect(await started({ ENGINE: 'apollo', NODE_ENV: 'production' })).toMatch(
    /^ENGINE=apollo is refused in production: it is for comparison, .*\n$/,
  )
  expect(await started({ ENGINE: 'stock' })).toMatch(/^Expected ENGINE to be one of atrium, apollo, got "stock"\.\n$/)
})

describe('graphql-query-complexity with the gateway’s weights', () => {
  const { supergraphSdl } = builtInSupergraph()
  const weights = readCostWeights(parse(supergraphSdl, { noLocation: true }))
  const schema = readSupergraph(parse(supergraphSdl, { noLocation: true })).api
  const estimators = [complexityEstimator(weights)]

  test.each([
    '{ __typename }',
    '{ post(id: "a") { id title author { id name } } }',
    '{ post(id: "a") { author { id } other: author { name __typename } } room(id: "b") { id name } }',
    'query ($with: Boolean!) { post(id: "a") { id title @include(if: $with) author @skip(if: $with) { id } } }',
    'mutation { login(email: "a", password: "b") { __typename } }',
    'mutation { login(email: "a", password: "b") { ... on LoginSuccess { token user { id name } } ... on AccountLocked { message } } }',
  ])('counts what the gateway counts: %s', (text) => {
    const document = parse(text)
    expect(validate(schema, document)).toEqual([])
    const variables = { with: true }
    const [operation] = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION)
    if (!operation) throw new Error(text)
    const ours = compileCostModel(schema, weights, document, operation).cost(variables)
    expect(getComplexity({ schema, query: document, variables, estimators })).toBe(ours)
  })
})
