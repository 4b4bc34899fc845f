import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { buildSchema, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { compileRoute } from '../../../rest-facade/store/compiled-route.ts'
import { operationsOf } from '../../../rest-facade/store/contract.ts'
import { route, type StoreRoute } from '../../../rest-facade/store/route.ts'

/** A graph and a contract that are small and have every form which a noun can meet. */
const schema = buildSchema(`
  scalar Decimal
  scalar DateTime
  scalar JSON
  type Query {
    thing(id: ID!, locale: String): Thing
    things(first: Int, offset: Int, status: Status, ids: [ID!], since: DateTime): [Thing!]!
  }
  type Mutation { change(id: ID!, input: ChangeInput!): ChangePayload! move(id: ID!, position: Int): ChangePayload! }
  enum Status { AVAILABLE NOT_AVAILABLE }
  enum Kind { CREDIT_NOTE INVOICE }
  type Thing {
    number: Int! name: String price: Decimal status: Status! kind: Kind! createdAt: DateTime! endsAt: DateTime
    isOpen: Boolean! parts: [Part!]! main: Part codes: [String!]! log: JSON
  }
  type Part { number: Int! label: String }
  input ChangeInput {
    name: String price: Decimal! = "0" status: Status kind: Kind endsAt: DateTime stock: Int weight: Float partIds: [ID!] parts: [PartInput!]
    ownerId: ID log: JSON isOpen: Boolean expectedVersion: Int idempotencyKey: String
  }
  input PartInput { label: String! amount: Decimal }
  union ChangePayload = ChangeSuccess | ValidationError | Forbidden
  type ChangeSuccess { thing: Thing! }
  type ValidationError { message: String! errors: [Error!]! }
  type Forbidden { message: String! isRecent: Boolean! }
  type Error { field: String! message: String! }
`)

const part = { type: 'object', properties: { id: { type: 'integer' }, label: { type: 'string' } } }
const fields = {
  id: { type: 'integer' },
  name: { type: 'string' },
  price: { type: 'number' },
  status: { type: 'string', enum: ['available', 'not-available'], 'x-aliases': { unavailable: 'not-available' } },
  kind: { type: 'integer', enum: [0, 1], 'x-words': { CREDIT_NOTE: 0, INVOICE: 1 } },
  created_at: { type: 'string' },
  ends_at: { type: 'string', 'x-format': 'iso8601' },
  open: { type: 'boolean' },
  parts: { type: 'array', items: { type: 'object', properties: { part } } },
  part_ids: { type: 'array', items: { type: 'integer' } },
  main_id: { type: 'integer' },
  codes: { type: 'string' },
  log: { type: 'object' },
}
const thing = { type: 'object', properties: { thing: { type: 'object', properties: fields } } }
const answers = (schemaOfAnswer: object) => ({ 200: { content: { 'application/json': { schema: schemaOfAnswer } } } })
const idParameter = { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } }
const operations = operationsOf({
  paths: {
    '/things/{id}.json': {
      get: { operationId: 'getThing', parameters: [idParameter], responses: answers(thing) },
      put: {
        operationId: 'changeThing',
        parameters: [idParameter],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                'x-bare': true,
                properties: {
                  thing: {
                    type: 'object',
                    properties: {
                      name: { type: 'string' },
                      status: fields.status,
                      kind: fields.kind,
                      open: { type: 'boolean', 'x-input': 'isOpen' },
                      Parts: { type: 'array', 'x-input': 'partIds', items: { type: 'object', properties: { id: {} } } },
                      lines: {
                        type: 'array',
                        'x-input': 'parts',
                        items: { type: 'object', properties: { title: { 'x-input': 'label' } } },
                      },
                    },
                  },
                },
              },
            },
          },
        },
        responses: answers(thing),
      },
    },
    '/things.json': {
      get: {
        operationId: 'listThings',
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 } },
          { name: 'page', in: 'query', schema: { type: 'integer', minimum: 1, default: 1 } },
          { name: 'status', in: 'query', schema: fields.status },
          { name: 'ids', in: 'query', schema: { type: 'array', maxItems: 3, items: { type: 'integer', minimum: 1 } } },
          { name: 'since', in: 'query', schema: { type: 'string' } },
        ],
        responses: answers({ type: 'array', items: thing }),
      },
    },
    '/things/{id}/position.json': {
      put: {
        operationId: 'moveThing',
        parameters: [idParameter, { name: 'position', in: 'query', schema: { type: 'integer' } }],
        requestBody: {
          content: { 'application/json': { schema: { type: 'object', properties: { position: { type: 'integer' } } } } },
        },
        responses: answers({ type: 'object', properties: { message: { type: 'string', enum: ['Moved'] } } }),
      },
    },
    '/things/{id}/parts.json': {
      get: {
        operationId: 'listParts',
        parameters: [
          idParameter,
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1 } },
          { name: 'page', in: 'query', schema: { type: 'integer', minimum: 1, default: 1 } },
        ],
        responses: answers({ type: 'array', items: part }),
      },
    },
    '/things/{id}/list.json': {
      get: { operationId: 'listThing', parameters: [idParameter], responses: answers({ type: 'array', items: thing }) },
    },
  },
})

type Document = TypedDocumentNode<Record<string, unknown>, Record<string, unknown>>
const compiled = (operationId: string, text: string, row: object = {}) => {
  const operation = operations.get(operationId)
  if (!operation) throw new Error(operationId)
  return compileRoute(route({ run: parse(text) as Document, ...row }) as StoreRoute, operation, schema)
}

const SELECTED = `
  id: number name price status kind created_at: createdAt ends_at: endsAt open: isOpen
  parts { id: number label } part_ids: parts { number } main_id: main { number } codes log`
const GET = `query ($id: ID!) { thing(id: $id) { ${SELECTED} } }`
const DATA = {
  id: 7,
  name: 'A "quoted" \u2028 name',
  price: '1234567890.1234',
  status: 'NOT_AVAILABLE',
  kind: 'INVOICE',
  created_at: '2026-11-20T09:30:00.123Z',
  ends_at: '2026-12-01T00:00:00.000Z',
  open: false,
  parts: [
    { id: 1, label: null },
    { id: 2, label: 'two' },
  ],
  part_ids: [{ number: 1 }, { number: 2 }],
  main_id: null,
  codes: ['A', 'B'],
  log: { deep: [1, null] },
}
const WIRE =
  '{"thing":{"id":7,"name":"A \\"quoted\\" \u2028 name","price":1234567890.1234,"status":"not-available","kind":1,"created_at":"2026-11-20 09:30:00 UTC",' +
  '"ends_at":"2026-12-01T00:00:00Z","open":false,"parts":[{"part":{"id":1,"label":null}},{"part":{"id":2,"label":"two"}}],"part_ids":[1,2],"main_id":null,' +
  '"codes":"A,B","log":{"deep":[1,null]}}}'

describe('an answer', () => {
  test('is written with envelopes, exact numbers, words and times of the contract, in its order', () => {
    const { write, gaps } = compiled('getThing', GET, { answer: 'thing' })
    expect(write({ thing: DATA })).toEqual({ text: WIRE })
    expect(gaps).toEqual([])
  })

  test('has null for what is empty, and is 404 where there is nothing at all', () => {
    const { write } = compiled('getThing', GET, { answer: 'thing' })
    const written = write({ thing: { ...DATA, name: null, price: null, ends_at: null, codes: [], log: null, parts: [] } })
    expect(written).toMatchObject({
      text: expect.stringMatching(/"name":null,"price":null.*"ends_at":null.*"parts":\[\].*"codes":null,"log":null/),
    })
    expect(write({ thing: null })).toMatchObject({ failure: { status: 404 } })
  })

  test('is a list of envelopes, or a list of one where the contract says so', () => {
    const list = compiled('listThings', `query { things { ${SELECTED} } }`, { answer: 'things' })
    expect(list.write({ things: [DATA, DATA] })).toEqual({ text: `[${WIRE},${WIRE}]` })
    expect(list.write({ things: [] })).toEqual({ text: '[]' })
    const one = compiled('listThing', GET, { answer: 'thing' })
    expect(one.write({ thing: DATA })).toEqual({ text: `[${WIRE}]` })
    expect(one.write({ thing: null })).toMatchObject({ failure: { status: 404 } })
  })

  test('has every documented key, also those without a selection, which are reported', () => {
    const { write, gaps } = compiled('getThing', 'query ($id: ID!) { thing(id: $id) { name } }', { answer: 'thing' })
    expect(write({ thing: { name: 'x' } })).toEqual({
      text: '{"thing":{"id":null,"name":"x","price":null,"status":null,"kind":null,"created_at":null,"ends_at":null,"open":null,"parts":[],"part_ids":[],"main_id":null,"codes":null,"log":null}}',
    })
    expect(gaps).toContain('getThing $.thing.price')
  })
})

describe('a start is refused', () => {
  const CASES: readonly [why: string, operationId: string, text: string, row: object, message: RegExp][] = [
    [
      'what is not documented',
      'getThing',
      'query ($id: ID!) { thing(id: $id) { colour: name } }',
      { answer: 'thing' },
      /"colour" is selected and not documented/,
    ],
    [
      'an opaque id for a number',
      'getThing',
      'query ($id: ID!) { thing(id: $id) { id: name } }',
      { answer: 'thing' },
      /\$\.thing\.id: the graph has String, the contract has integer/,
    ],
    ['a way that leads nowhere', 'getThing', GET, { answer: 'thing.nothing' }, /nothing is selected at "nothing"/],
    ['no way at all', 'getThing', GET, {}, /declare its body/],
    [
      'a variable that nothing fills',
      'getThing',
      'query ($key: ID!) { thing(id: $key) { name } }',
      { answer: 'thing' },
      /nothing fills \$key/,
    ],
    [
      'a list where the contract has none',
      'getThing',
      'query { things { name } }',
      { answer: 'things' },
      /the graph has a list, the contract has none/,
    ],
    [
      'a mutation that does not say how it went',
      'changeThing',
      'mutation ($id: ID!, $input: ChangeInput!) { result: change(id: $id, input: $input) { ... on ChangeSuccess { thing { name } } } }',
      { answer: 'result.thing' },
      /select its __typename/,
    ],
    [
      'a failure without its message',
      'changeThing',
      'mutation ($id: ID!, $input: ChangeInput!) { result: change(id: $id, input: $input) { __typename ... on ChangeSuccess { thing { name } } } }',
      { answer: 'result.thing' },
      /can be ValidationError, so select its message/,
    ],
  ]
  test.each(CASES)('for %s', (_, operationId, text, row, message) => {
    expect(() => compiled(operationId, text, row)).toThrow(message)
  })
})

const CHANGE = `mutation ($id: ID!, $input: ChangeInput!) {
  result: change(id: $id, input: $input) {
    __typename
    ... on ChangeSuccess { thing { ${SELECTED} } }
    ... on ValidationError { message errors { field message } }
    ... on Forbidden { message isRecent }
  }
}`
const changing = compiled('changeThing', CHANGE, {
  answer: 'result.thing',
  failures: { Forbidden: ({ isRecent }: Readonly<Record<string, unknown>>) => (isRecent ? 403 : 402) },
})
const read = (body: string, headers: Record<string, string> = {}) =>
  changing.read({ path: { id: '7' }, query: '', headers, body: Buffer.from(body) })
const inputOf = (fieldsOfThing: string) => {
  const given = read(`{"thing":${fieldsOfThing}}`)
  return 'variables' in given ? given.variables.input : given.failure.faults?.map(({ field }) => field)
}

describe('a body', () => {
  test.each([
    ['0.1', '0.1'],
    ['12.50', '12.5'],
    ['-0', '0'],
    ['-3.0', '-3'],
    ['1e2', '100'],
    ['1.5E-3', '0.0015'],
    ['1E+2', '100'],
    ['9999999999.9999', '9999999999.9999'],
    ['0.00010', '0.0001'],
    ['"12.50"', '12.5'],
    ['"007"', '7'],
  ])('has the number %s, which is exactly %s', (given, exact) => {
    expect(inputOf(`{"price":${given}}`)).toEqual({ price: exact })
  })

  test.each([
    '1e400',
    '1e-400',
    '12345678901',
    '0.00001',
    '12345678901234567890',
    '"1,5"',
    '"abc"',
    '""',
    'true',
    '{}',
    '[]',
    'null',
    '1e999999999999',
  ])('with the number %s is refused', (given) => expect(inputOf(`{"price":${given}}`)).toEqual(['thing.price']))

  test('is read under the names and words of the contract, and of the graph where that has none', () => {
    expect(
      inputOf(`{"name":null,"status":"Not Available","kind":"invoice","ends_at":"2026-11-20 09:30:00 UTC","stock":"5","weight":1e2,"open":true,
        "Parts":[1,"2",{"id":3}],"lines":[{"title":"x","amount":1.50}],"owner_id":9,"log":{"a":[1.50,12345678901234567890]},"other":1}`),
    ).toEqual({
      name: null,
      status: 'NOT_AVAILABLE',
      kind: 'INVOICE',
      endsAt: '2026-11-20T09:30:00.000Z',
      stock: 5,
      weight: 100,
      isOpen: true,
      partIds: ['1', '2', '3'],
      parts: [{ label: 'x', amount: '1.5' }],
      ownerId: '9',
      log: { a: [1.5, 12345678901234567000] },
    })
    for (const word of ['not-available', 'not_available', 'NOT_AVAILABLE', 'unavailable']) {
      expect(inputOf(`{"status":"${word}"}`)).toEqual({ status: 'NOT_AVAILABLE' })
    }
    expect(inputOf('{"kind":0,"part_ids":[1]}')).toEqual({ kind: 'CREDIT_NOTE', partIds: ['1'] })
  })

  test('names the path of every invalid value', () => {
    expect(
      inputOf(`{"status":"gone","kind":2,"ends_at":"tomorrow","stock":1.5,"weight":"1","open":"true","Parts":[1,0],"lines":[{},{"title":5},7],
        "log":{"a":"\\u0000"}}`)
        ?.toString()
        .split(',')
        .sort(),
    ).toEqual(
      'Parts.1 ends_at kind lines.0.title lines.1.title lines.2 log open status stock weight'
        .split(' ')
        .map((field) => `thing.${field}`)
        .sort(),
    )
  })

  test('holds no text that a database cannot keep', () => {
    for (const text of ['\\u0000', 'a\\ud800', '\\udc00b']) expect(inputOf(`{"name":"${text}"}`)).toEqual(['thing.name'])
    expect(inputOf('{"name":"\\ud83d\\ude00"}')).toEqual({ name: '\u{1f600}' })
  })

  test('may be sent without its envelope where the contract allows that', () => {
    expect(read('{"name":"bare"}')).toMatchObject({ variables: { id: '7', input: { name: 'bare' } } })
  })

  test('takes its version and key from headers, and not from itself', () => {
    const headers = { 'if-match': 'W/"3"', 'idempotency-key': 'k' }
    expect(read('{"thing":{"expected_version":9}}', headers)).toMatchObject({
      variables: { input: { expectedVersion: 3, idempotencyKey: 'k' } },
    })
    expect(read('{"thing":{}}', { 'if-match': '*' })).toEqual({ variables: { id: '7', input: {} } })
  })

  test('without $input fills the variables of its names, and so does the query', () => {
    const MOVE =
      'mutation ($id: ID!, $position: Int) { result: move(id: $id, position: $position) { __typename ... on ValidationError { message } ... on Forbidden { message } } }'
    const { read: reading, write } = compiled('moveThing', MOVE, { failures: { Forbidden: 403 } })
    const variables = (query: string, body?: string) =>
      reading({ path: { id: '7' }, query, headers: {}, body: body === undefined ? undefined : Buffer.from(body) })
    expect(variables('position=4')).toEqual({ variables: { id: '7', position: 4 } })
    expect(variables('', '{"position":5}')).toEqual({ variables: { id: '7', position: 5 } })
    expect(variables('')).toEqual({ variables: { id: '7' } })
    expect(write({ result: { __typename: 'ChangeSuccess' } })).toEqual({ text: '{"message":"Moved"}' })
  })
})

describe('a failure', () => {
  test('has the status of its type, and its fields as the wire spells them', () => {
    const errors = [{ field: 'parts.0.label', message: 'Expected "parts.0.label" to be short, got "long".' }]
    expect(changing.write({ result: { __typename: 'ValidationError', message: 'x', errors } })).toMatchObject({
      failure: {
        status: 400,
        faults: [{ field: 'thing.lines.0.title', message: 'Expected `thing.lines.0.title` to be short, got "long".' }],
      },
    })
    expect(changing.write({ result: { __typename: 'Forbidden', message: 'x', isRecent: true } })).toMatchObject({
      failure: { status: 403 },
    })
    expect(changing.write({ result: { __typename: 'Forbidden', message: 'x', isRecent: false } })).toMatchObject({
      failure: { status: 402 },
    })
  })
})

describe('a query', () => {
  const LIST =
    'query ($first: Int, $offset: Int, $status: Status, $ids: [ID!], $since: DateTime) { things(first: $first, offset: $offset, status: $status, ids: $ids, since: $since) { name } }'
  const { read: reading } = compiled('listThings', LIST, { answer: 'things' })
  const variables = (query: string) => {
    const given = reading({ path: {}, query, headers: {}, body: undefined })
    return 'variables' in given ? given.variables : given.failure.faults?.map(({ field }) => field)
  }

  test('becomes what the variables of the document want', () => {
    expect(variables('')).toEqual({ first: 50, offset: 0 })
    expect(variables('limit=1000&page=3')).toEqual({ first: 100, offset: 200 })
    expect(variables('status=Not%20Available&ids=1,2&ids=3&since=2026-11-20')).toEqual({
      first: 50,
      offset: 0,
      status: 'NOT_AVAILABLE',
      ids: ['1', '2', '3'],
      since: '2026-11-20T00:00:00.000Z',
    })
    expect(variables('ids=')).toEqual({ first: 50, offset: 0 })
  })

  test('cuts its page out of a list that the graph gives as a whole; without a limit it is all of it', () => {
    const { read: readList, write } = compiled('listParts', 'query ($id: ID!) { thing(id: $id) { parts { label } } }', {
      answer: 'thing.parts',
    })
    const data = { thing: { parts: ['a', 'b', 'c'].map((label) => ({ label })) } }
    const names = (query: string) => {
      const given = readList({ path: { id: '7' }, query, headers: {}, body: undefined })
      const answer = 'variables' in given ? write(data, given.slice) : { text: null }
      return (
        'text' in answer &&
        JSON.parse(answer.text ?? '')
          .map(({ label }: { label: string }) => label)
          .join('')
      )
    }
    expect(['', 'page=1', 'page=2', 'limit=2', 'limit=2&page=2', 'limit=2&page=3'].map(names)).toEqual([
      'abc',
      'abc',
      '',
      'ab',
      'c',
      '',
    ])
  })

  test('names every parameter that is wrong', () => {
    expect(variables('limit=-1&page=x&status=gone&ids=1,2,3,4&since=soon')).toEqual(['limit', 'page', 'status', 'ids', 'since'])
  })
})
