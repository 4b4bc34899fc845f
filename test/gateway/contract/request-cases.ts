import { createHash } from 'node:crypto'
import { type ContractCase, get, post } from './contract-case.ts'

const NAME = 'query One($id: ID!) { product(id: $id) { name } }'
const NAMED = { product: { name: 'Product a' } }
const RENAME = 'mutation { rename(id: "a", name: "b") { name } }'
const JSON_BODY = { 'content-type': 'application/json' }
const GRAPHQL_TYPE = 'application/graphql-response+json; charset=utf-8'
const persisted = (query: string) => ({
  persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') },
})
const times = (count: number, part: (index: number) => string) => Array.from({ length: count }, (_, at) => part(at)).join(' ')
const typed = (contentType: string): ContractCase['request'] => ({
  body: '{"query":"{ __typename }"}',
  headers: { 'content-type': contentType },
})

/** How a request may be sent: methods, media types, parameters, persisted queries, batches. */
const FORMS: readonly ContractCase[] = [
  { what: 'POST', request: post('{ __typename }'), data: { __typename: 'Query' } },
  { what: 'POST with variables', request: post(NAME, { variables: { id: 'a' }, operationName: 'One' }), data: NAMED },
  { what: 'GET', request: get({ query: '{ __typename }' }), data: { __typename: 'Query' } },
  {
    what: 'GET with variables',
    request: get({ query: NAME, variables: '{"id":"a"}', operationName: 'One' }),
    data: NAMED,
  },
  { what: 'GET with broken variables', request: get({ query: NAME, variables: '{' }), status: 400, codes: ['BAD_REQUEST'] },
  { what: 'GET without a query', request: get({}), status: 400, codes: ['BAD_REQUEST'] },
  { what: 'GET of a mutation', request: get({ query: RENAME }), status: 405, codes: ['METHOD_NOT_ALLOWED'] },
  { what: 'GET of a syntax error', request: get({ query: '{' }), status: 400, codes: ['GRAPHQL_PARSE_FAILED'] },
  { what: 'GET as a form sends it', request: get({ query: '{ caller }' }, {}), status: 400, codes: ['BAD_REQUEST'] },
  {
    what: 'GET with x-apollo-operation-name',
    request: get({ query: '{ __typename }' }, { 'x-apollo-operation-name': 'One' }),
  },
  {
    what: 'GET of a page of the same origin',
    request: get({ query: '{ __typename }' }, { 'sec-fetch-site': 'same-origin' }),
  },
  {
    what: 'GET of a page of another site',
    request: get({ query: '{ caller }' }, { 'sec-fetch-site': 'cross-site' }),
    status: 400,
    codes: ['BAD_REQUEST'],
  },
  { what: 'PUT', request: { method: 'PUT', body: {}, headers: JSON_BODY }, status: 405, codes: ['METHOD_NOT_ALLOWED'] },
  { what: 'DELETE', request: { method: 'DELETE' }, status: 405, codes: ['METHOD_NOT_ALLOWED'] },
  {
    what: 'a CORS preflight',
    contentType: null,
    request: {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example', 'access-control-request-method': 'POST' },
    },
    status: 204,
    data: null,
    compares: ['access-control-allow-origin'],
  },
  {
    what: 'a page of another origin',
    request: post('{ __typename }', {}, { origin: 'https://a.example' }),
    compares: ['access-control-allow-origin'],
  },
  { what: 'an answer for no cache', request: post('{ __typename }'), compares: ['cache-control'] },

  { what: 'accept */*', request: post('{ __typename }', {}, { accept: '*/*' }) },
  { what: 'accept application/json', request: post('{ __typename }', {}, { accept: 'application/json' }) },
  {
    what: 'accept application/graphql-response+json',
    contentType: GRAPHQL_TYPE,
    request: post('{ __typename }', {}, { accept: 'application/graphql-response+json' }),
  },
  {
    what: 'accept both, the media type of GraphQL first',
    contentType: GRAPHQL_TYPE,
    request: post('{ __typename }', {}, { accept: 'application/graphql-response+json, application/json;q=0.9' }),
  },
  {
    what: 'accept an image',
    request: post('{ __typename }', {}, { accept: 'image/png' }),
    status: 406,
    codes: ['NOT_ACCEPTABLE'],
  },
  {
    what: 'an unknown field for application/json',
    request: post('{ nope }', {}, { accept: 'application/json' }),
    codes: ['GRAPHQL_VALIDATION_FAILED'],
  },
  {
    what: 'an unknown field for application/graphql-response+json',
    contentType: GRAPHQL_TYPE,
    request: post('{ nope }', {}, { accept: 'application/graphql-response+json' }),
    status: 400,
    codes: ['GRAPHQL_VALIDATION_FAILED'],
  },
  { what: 'application/json; charset=utf-8', request: typed('application/json; charset=utf-8') },
  {
    what: 'application/json; charset=utf-16',
    request: typed('application/json; charset=utf-16'),
    status: 415,
    codes: ['UNSUPPORTED_MEDIA_TYPE'],
  },
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/graphql', 'nonsense'].map(
    (contentType): ContractCase => ({
      what: contentType,
      request: typed(contentType),
      status: 415,
      codes: ['UNSUPPORTED_MEDIA_TYPE'],
    }),
  ),

  { what: 'no query', request: { body: { variables: {} } }, status: 400, codes: ['BAD_REQUEST'] },
  { what: 'an empty query', request: post(''), status: 400, codes: ['BAD_REQUEST'] },
  { what: 'a query that is a number', request: { body: { query: 7 } }, status: 400, codes: ['BAD_REQUEST'] },
  { what: 'variables as text', request: post('{ caller }', { variables: '{}' }), status: 400, codes: ['BAD_REQUEST'] },
  { what: 'variables as a list', request: post('{ caller }', { variables: [] }), status: 400, codes: ['BAD_REQUEST'] },
  { what: 'variables null', request: post('{ __typename }', { variables: null }) },
  {
    what: 'an operationName that is a number',
    request: post('{ caller }', { operationName: 7 }),
    status: 400,
    codes: ['BAD_REQUEST'],
  },
  { what: 'extensions as text', request: post('{ caller }', { extensions: 'x' }), status: 400, codes: ['BAD_REQUEST'] },
  { what: 'a parameter that nobody knows', request: post('{ __typename }', { id: 'x' }) },
  { what: 'broken JSON', request: { body: '{"query": "{ caller }"' }, status: 400, codes: ['BAD_REQUEST'] },
  {
    what: 'JSON with a poisoned key',
    request: { body: '{"query": "{ caller }", "__proto__": {"x": 1}}' },
    status: 400,
    codes: ['BAD_REQUEST'],
  },
  { what: 'no body', request: { body: '' }, status: 400, codes: ['BAD_REQUEST'] },
  { what: 'a body that is null', request: { body: 'null' }, status: 400, codes: ['BAD_REQUEST'] },
  { what: 'a body that is text', request: { body: '"x"' }, status: 400, codes: ['BAD_REQUEST'] },
  {
    what: '20 MB',
    request: post(`{ caller } #${'x'.repeat(20_000_000)}`),
    status: 413,
    codes: ['PAYLOAD_TOO_LARGE'],
  },
  {
    what: 'deep variables',
    request: {
      body: `{"query": "query($m: [[Int]]) { echo(matrix: $m) }", "variables": {"m": ${'['.repeat(40_000)}${']'.repeat(40_000)}}}`,
    },
    status: 400,
    codes: ['BAD_USER_INPUT'],
  },

  {
    what: 'a persisted query that nobody registered',
    request: { body: { extensions: persisted('{ never }') } },
    codes: ['PERSISTED_QUERY_NOT_FOUND'],
  },
  {
    what: 'a persisted query is registered',
    request: post('{ product(id: "a") { name } }', { extensions: persisted('{ product(id: "a") { name } }') }),
    data: NAMED,
  },
  {
    what: 'a persisted query is found',
    request: { body: { extensions: persisted('{ product(id: "a") { name } }') } },
    data: NAMED,
  },
  {
    what: 'a persisted query over GET',
    request: get({ extensions: JSON.stringify(persisted('{ product(id: "a") { name } }')) }),
    data: NAMED,
  },
  {
    what: 'an invalid query is not persisted',
    request: post('{ nope }', { extensions: persisted('{ nope }') }),
    status: 400,
    codes: ['GRAPHQL_VALIDATION_FAILED'],
  },
  {
    what: 'an invalid query was not persisted',
    request: { body: { extensions: persisted('{ nope }') } },
    codes: ['PERSISTED_QUERY_NOT_FOUND'],
  },
  {
    what: 'a persisted query with the hash of another',
    request: post('{ caller }', { extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } }),
    status: 400,
    codes: ['PERSISTED_QUERY_HASH_MISMATCH'],
  },
  {
    what: 'a persisted query of the future',
    request: post('{ caller }', { extensions: { persistedQuery: { version: 9, sha256Hash: 'x' } } }),
    status: 400,
    codes: ['PERSISTED_QUERY_VERSION_NOT_SUPPORTED'],
  },

  {
    what: 'a batch',
    request: { body: [{ query: '{ __typename }' }, { query: NAME, variables: { id: 'a' } }] },
    data: [{ __typename: 'Query' }, NAMED],
  },
  {
    what: 'a batch with a faulty operation',
    request: { body: [{ query: '{ nope }' }, { query: '{ __typename }' }] },
    data: [null, { __typename: 'Query' }],
    codes: ['GRAPHQL_VALIDATION_FAILED'],
  },
  {
    what: 'a batch of mutations',
    request: { body: [{ query: RENAME }, { query: RENAME }] },
    data: [{ rename: { name: 'b' } }, { rename: { name: 'b' } }],
  },
  { what: 'an empty batch', request: { body: [] }, status: 400, codes: ['BAD_REQUEST'] },
  { what: 'a batch of a null', request: { body: [null] }, status: 400, codes: ['BAD_REQUEST'] },
  {
    what: 'a batch of 4 where 3 are allowed',
    request: { body: Array.from({ length: 4 }, () => ({ query: '{ __typename }' })) },
    status: 400,
    codes: ['BAD_REQUEST'],
  },
]

/** Documents, variables and answers. */
const EXECUTION: readonly ContractCase[] = [
  { what: 'aliases', request: post('{ a: product(id: "a") { n: name } b: product(id: "b") { name again: name } }') },
  {
    what: 'fragments',
    request: post(
      '{ things { __typename ...N ... on Product { id ...P } } } fragment N on Note { text } fragment P on Product { rating }',
    ),
  },
  {
    what: 'entities of another subgraph',
    request: post('{ products(first: 3) { edges { node { name rating reviews { text } } } } }'),
  },
  { what: 'there and back', request: post('{ latestReview { text about { name parent { name reviews { text } } } } }') },
  {
    what: 'skip and include',
    request: post(
      'query ($y: Boolean!, $n: Boolean = false) { product(id: "a") { id @include(if: $y) name @skip(if: $y) rating @include(if: $n) } }',
      { variables: { y: true } },
    ),
    data: { product: { id: 'a' } },
  },
  { what: 'a null', request: post('{ product(id: "nobody") { name rating } }'), data: { product: null } },
  {
    what: 'a default of the schema',
    request: post('query ($flag: Boolean) { echo(flag: $flag) }'),
    data: { echo: '{"flag":true}' },
  },
  {
    what: 'an explicit null',
    request: post('query ($flag: Boolean) { echo(flag: $flag) }', { variables: { flag: null } }),
    data: { echo: '{"flag":null}' },
  },
  {
    what: 'one value for a list',
    request: post('query ($m: [[Int]]) { echo(matrix: $m) }', { variables: { m: 3 } }),
    data: { echo: '{"flag":true,"matrix":[[3]]}' },
  },
  { what: 'variables that no operation has', request: post('{ __typename }', { variables: { other: 1 } }) },
  {
    what: 'one of several operations',
    request: post('query A { product(id: "a") { name } } query B { product(id: "b") { name } }', { operationName: 'B' }),
    data: { product: { name: 'Product b' } },
  },
  { what: 'a mutation', request: post(RENAME), data: { rename: { name: 'b' } } },
  {
    what: 'two mutations in a row',
    request: post('mutation { a: rename(id: "a", name: "x") { name rating } b: rename(id: "b", name: "y") { name } }'),
    data: { a: { name: 'x', rating: 4.5 }, b: { name: 'y' } },
  },
  {
    what: 'introspection of a type',
    request: post('{ __type(name: "Product") { kind name fields { name type { kind name ofType { name } } } } }'),
  },
  { what: 'introspection beside a field', request: post('{ __schema { queryType { name } } product(id: "a") { name } }') },
  { what: 'a fault', request: post('{ broken product(id: "a") { name } }'), codes: ['INTERNAL_SERVER_ERROR broken'] },
  { what: 'an error with a code', request: post('{ refused }'), codes: ['NOT_NICE refused'], data: { refused: null } },
  { what: 'two errors', request: post('{ a: refused b: refused }'), codes: ['NOT_NICE a', 'NOT_NICE b'] },
  {
    what: 'a null that the schema forbids',
    request: post('{ promised }'),
    codes: ['INTERNAL_SERVER_ERROR promised'],
    data: null,
  },
  {
    what: 'what is asked too often',
    request: post('{ a: tooOften(seconds: 3) b: tooOften(seconds: 7) }'),
    codes: ['RATE_LIMITED a', 'RATE_LIMITED b'],
  },
  {
    what: 'a variable called representations',
    request: post('query ($representations: String) { product(id: "a") { reviews(contains: $representations) { text } } }', {
      variables: { representations: 'Bad' },
    }),
    data: { product: { reviews: [{ text: 'Bad a' }] } },
  },

  { what: 'a syntax error', request: post('{'), status: 400, codes: ['GRAPHQL_PARSE_FAILED'] },
  { what: 'an unknown field', request: post('{ nope }'), status: 400, codes: ['GRAPHQL_VALIDATION_FAILED'] },
  {
    what: 'two unknown fields',
    request: post('{ nope nor }'),
    status: 400,
    codes: ['GRAPHQL_VALIDATION_FAILED', 'GRAPHQL_VALIDATION_FAILED'],
  },
  { what: 'an unknown fragment', request: post('{ ...nope }'), status: 400, codes: ['GRAPHQL_VALIDATION_FAILED'] },
  {
    what: 'a fragment that nothing uses',
    request: post('{ caller } fragment F on Product { id }'),
    status: 400,
    codes: ['GRAPHQL_VALIDATION_FAILED'],
  },
  {
    what: 'a cycle of fragments',
    request: post('{ product(id: "a") { ...A } } fragment A on Product { parent { ...A } }'),
    status: 400,
    codes: ['GRAPHQL_VALIDATION_FAILED'],
  },
  {
    what: 'no argument where one is required',
    request: post('{ product { name } }'),
    status: 400,
    codes: ['GRAPHQL_VALIDATION_FAILED'],
  },
  { what: 'a missing variable', request: post(NAME), status: 400, codes: ['BAD_USER_INPUT'] },
  {
    what: 'a null for a required variable',
    request: post(NAME, { variables: { id: null } }),
    status: 400,
    codes: ['BAD_USER_INPUT'],
  },
  {
    what: 'a variable of another type',
    request: post('query ($n: Int) { things(limit: $n) { __typename } }', { variables: { n: 'x' } }),
    status: 400,
    codes: ['BAD_USER_INPUT'],
  },
  {
    what: 'a number beyond 32 bits',
    request: post('query ($n: Int) { things(limit: $n) { __typename } }', { variables: { n: 2 ** 40 } }),
    status: 400,
    codes: ['BAD_USER_INPUT'],
  },
  {
    what: 'an unknown operationName',
    request: post('query A { caller }', { operationName: 'B' }),
    status: 400,
    codes: ['OPERATION_RESOLUTION_FAILURE'],
  },
  {
    what: 'an empty operationName',
    request: post('query A { caller }', { operationName: '' }),
    status: 400,
    codes: ['OPERATION_RESOLUTION_FAILURE'],
  },
  {
    what: 'a missing operationName',
    request: post('query A { caller } query B { caller }'),
    status: 400,
    codes: ['OPERATION_RESOLUTION_FAILURE'],
  },
  {
    what: 'a subscription that no graph has',
    request: post('subscription { x }'),
    status: 400,
    codes: ['SUBSCRIPTIONS_NOT_SUPPORTED'],
  },
]

const nested = (levels: number) => `{ product(id: "a") { ${'parent { '.repeat(levels - 1)} id ${'} '.repeat(levels - 1)} } }`

/** Limits before any work; the graph has depth 10 and cost 1000. */
const LIMITS: readonly ContractCase[] = [
  { what: '10 levels', request: post(nested(10)) },
  { what: '11 levels', request: post(nested(11)), status: 400, codes: ['DEPTH_LIMIT_EXCEEDED'] },
  { what: 'a cost below the limit', request: post('{ wholes { children(first: 24) { id name } } }') },
  {
    what: 'a cost above the limit',
    request: post('{ wholes { children(first: 25) { id name } } }'),
    status: 400,
    codes: ['COST_LIMIT_EXCEEDED'],
  },
  {
    what: 'a cost by a variable',
    request: post('query ($n: Int) { dear(first: $n) { id } }', { variables: { n: 500 } }),
    status: 400,
    codes: ['COST_LIMIT_EXCEEDED'],
  },
  {
    what: 'a page below 0',
    request: post('{ products(first: -1) { totalCount } }'),
    status: 400,
    codes: ['PAGE_SIZE_OUT_OF_RANGE'],
  },
  {
    what: 'a page of a million',
    request: post('{ products(first: 1000000) { totalCount } }'),
    status: 400,
    codes: ['PAGE_SIZE_OUT_OF_RANGE'],
  },
  { what: '200 aliases', request: post(`{ product(id: "a") { ${times(200, (at) => `a${at}: id`)} } }`) },
  {
    what: '201 aliases',
    request: post(`{ product(id: "a") { ${times(201, (at) => `a${at}: id`)} } }`),
    status: 400,
    codes: ['OPERATION_TOO_LARGE'],
  },
  {
    what: '51 fields at the root',
    request: post(`{ ${times(51, (at) => `a${at}: __typename`)} }`),
    status: 400,
    codes: ['OPERATION_TOO_LARGE'],
  },
  {
    what: 'one field 301 times',
    request: post(`{ ${times(301, () => '__typename')} }`),
    status: 400,
    codes: ['OPERATION_TOO_LARGE'],
  },
  {
    what: '5,001 tokens',
    request: post(`{ product(id: "a") { ${times(5_000, () => 'id')} } }`),
    status: 400,
    codes: ['OPERATION_TOO_LARGE'],
  },
  {
    what: 'fragments that double',
    request: post(
      `{ product(id: "a") { ...f0 } } ${times(8, (at) => `fragment f${at} on Product { ${at < 7 ? `a: parent { ...f${at + 1} } b: parent { ...f${at + 1} }` : 'id'} }`)}`,
    ),
    status: 400,
    codes: ['OPERATION_TOO_LARGE'],
  },
  {
    what: 'five times __schema',
    request: post(`{ ${times(5, (at) => `a${at}: __schema { queryType { name } }`)} }`),
    status: 400,
    codes: ['OPERATION_TOO_LARGE'],
  },
]

/** The contract of `/graphql`, on the graph of test/gateway/support/graph.ts. */
export const REQUEST_CASES: readonly ContractCase[] = [...FORMS, ...EXECUTION, ...LIMITS]
