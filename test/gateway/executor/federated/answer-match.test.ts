import { type ExecutionResult, parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toUncachedResult } from '../../../../gateway/caching/response-cache.ts'
import { type Gateway, startGateway } from '../../../../gateway/gateway.ts'
import { serializedBytes, serializedResult } from '../../../../gateway/operations/serialized-result.ts'
import { compose } from '../../../../gateway/planning/composition.ts'
import { parseGraphQLResponse } from '../../../../gateway/subgraph-client/http-messages.ts'
import { randomOf } from '../../differential/random.ts'
import { requestContext } from '../../differential/subject.ts'
import { recordingLog } from '../../support/graph.ts'

const TYPES = parse(`extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@inaccessible"])
scalar Json
enum Genre { POEM NOVEL SECRET @inaccessible }
type Query { book: Book! books: [Book] work: Work any: [Any!] grid: [[Int!]!] numbers: [Float] meta: Json }
interface Work { title: String }
type Book implements Work { id: ID! title: String pages: Int! price: Float isNew: Boolean genre: Genre tags: [String!] meta: Json hidden: String @inaccessible }
type Film implements Work { title: String minutes: Int }
type Hidden implements Work @inaccessible { title: String }
union Any = Book | Film`)

const BOOK =
  '{"id":"b1","title":"A \\"quoted\\" \\u00e9 é 😀 \\\\ title that is longer than a few words","pages":12,"price":1.5,"isNew":true,"genre":"POEM","tags":["one","","three"],"meta":[1,"x",null,[true]]}'
const FIELDS = '{ id title pages price isNew genre tags meta }'

/** Operations with a response that is the answer. */
const ANSWERS: readonly (readonly [query: string, body: string])[] = [
  [`{ book ${FIELDS} }`, `{"data":{"book":${BOOK}}}`],
  [`{ books ${FIELDS} }`, `{"data":{"books":[${BOOK},null,${BOOK}]}}`],
  ['{ books { id } }', '{"data":{"books":[]}}'],
  ['{ books { id } }', '{"data":{"books":null}}\r\n'],
  ['{ work { __typename title } }', '{"data":{"work":{"__typename":"Film","title":null}}}'],
  [
    '{ any { __typename ... on Book { id } ... on Film { minutes } } }',
    '{"data":{"any":[{"__typename":"Film","minutes":-3},{"__typename":"Book","id":"1"}]}}',
  ],
  [
    '{ grid numbers meta }',
    '{"data":{"grid":[[1,-2,0],[],[2147483647,-2147483648]],"numbers":[0.1,1e-7,1e+21,-0.5,123456789.12345678,null],"meta":"{}"}}',
  ],
  ['{ book { a: id b: title __typename } }', '{"data":{"book":{"a":"1","b":"","__typename":"Book"}}}'],
]

/** Responses that are no answer to the first operation of a kind: the lie, and what it replaces. */
const LIES: readonly (readonly [why: string, from: string, to: string])[] = [
  ['a field more', '"pages":12', '"pages":12,"extra":1'],
  ['an inaccessible field more', '"pages":12', '"pages":12,"hidden":"secret"'],
  ['a field less', '"pages":12,', ''],
  ['another order', '"id":"b1","title"', '"title"'],
  ['the same key twice', '"pages":12', '"pages":12,"pages":13'],
  ['null where a value is promised', '"pages":12', '"pages":null'],
  ['null for a required id', '"id":"b1"', '"id":null'],
  ['a text for a number', '"pages":12', '"pages":"12"'],
  ['a number of more than 32 bits', '"pages":12', '"pages":2147483648'],
  ['a number with a fraction', '"pages":12', '"pages":12.5'],
  ['a number that JSON does not have', '"pages":12', '"pages":012'],
  ['a plus', '"pages":12', '"pages":+12'],
  ['a negative zero', '"pages":12', '"pages":-0'],
  ['a negative zero with a fraction', '"price":1.5', '"price":-0.0'],
  ['a number that is too large', '"price":1.5', '"price":1e999'],
  ['a number with too many digits', '"price":1.5', '"price":0.1000000000000000055511151231257827'],
  ['a number without its fraction', '"price":1.5', '"price":1.'],
  ['a word that is no value', '"price":1.5', '"price":NaN'],
  ['a number for an id', '"id":"b1"', '"id":17'],
  ['a number for a text', '"title":"', '"title":5,"x":"'],
  ['an object for a text', '"title":"A', '"title":{"a":1},"x":"A'],
  ['a text for true', '"isNew":true', '"isNew":"true"'],
  ['an unknown name of an enum', '"genre":"POEM"', '"genre":"ODE"'],
  ['an inaccessible name of an enum', '"genre":"POEM"', '"genre":"SECRET"'],
  ['an escaped name of an enum', '"genre":"POEM"', '"genre":"\\u0050OEM"'],
  ['null in a list that has none', '"tags":["one"', '"tags":[null'],
  ['a list in a list', '"tags":["one"', '"tags":[["one"]'],
  ['a text for a list', '"tags":["one","","three"]', '"tags":"one"'],
  ['a comma more', '"three"]', '"three",]'],
  ['an object with a key twice in a scalar', '"meta":[1', '"meta":[{"a":1,"a":2}'],
  ['another type', '"__typename":"Film"', '"__typename":"Query"'],
  ['an inaccessible type', '"__typename":"Film"', '"__typename":"Hidden"'],
  ['an unknown type', '"__typename":"Book"', '"__typename":"Bok"'],
  ['a raw line break in a text', 'longer than', 'longer\nthan'],
  ['a zero byte in a text', 'longer than', 'longer\0than'],
  ['an unknown escape', 'longer than', 'longer\\xthan'],
  ['half an escape', '\\u00e9', '\\u00e'],
  ['half a pair of surrogates', '\\u00e9', '\\ud83d'],
  ['no end of a text', '"title":"A', '"title":"A\\'],
  ['errors', '"data"', '"errors":[{"message":"It failed."}],"data"'],
  ['errors that are none', '"data"', '"errors":[],"data"'],
  ['extensions', '"data"', '"extensions":{"a":1},"data"'],
  ['data twice', '"data"', '"data":{"book":null},"data"'],
  ['a byte order mark', '{"data"', '\uFEFF{"data"'],
  ['spaces', '{"data":', '{ "data" : '],
  ['no object', '{"data":{', '{"data":[{'],
  ['more text behind it', '}}', '}}}'],
  ['a key that objects inherit', '"pages":12', '"__proto__":{"a":1},"pages":12'],
]

let gateway: Gateway
let body: Buffer = Buffer.alloc(0)
let isReadInBytes = false
let wasReadInBytes = false

beforeAll(async () => {
  gateway = await startGateway({
    supergraphSdl: compose([{ name: 'shelf', typeDefs: TYPES }]),
    links: [
      {
        name: 'shelf',
        async execute({ readBody }): Promise<ExecutionResult> {
          const read = isReadInBytes ? readBody?.(body) : null
          wasReadInBytes = read !== null && read !== undefined
          if (read) return read
          const parsed = parseGraphQLResponse(body.toString().replace(/^\uFEFF/, ''))
          if (!parsed) throw new Error('Expected a GraphQL response.')
          return parsed
        },
      },
    ],
    limits: { depth: 0, cost: 0 },
    log: recordingLog().log,
  })
})
afterAll(() => gateway?.close())

/** The result of an operation whose subgraph responds with these bytes. */
async function answerOf(query: string, response: Buffer, inBytes: boolean) {
  body = response
  isReadInBytes = inBytes
  const prepared = gateway.prepareText(query, undefined)
  if (prepared.kind === 'rejected') throw new Error(JSON.stringify(prepared.errors))
  return prepared.run({}, requestContext())
}

/** Compares both ways to an answer; whether the bytes were it. `valid` lets the reader try again. */
async function compared(query: string, valid: string, response: Buffer): Promise<boolean> {
  await answerOf(query, Buffer.from(valid), true)
  expect(wasReadInBytes).toBe(true)
  const answer = await answerOf(query, response, true)
  const wasRead = wasReadInBytes
  const right = await answerOf(query, response, false)
  expect(JSON.stringify(answer), `${query}\n${response.toString('latin1')}`).toBe(JSON.stringify(right))
  if (!wasRead) return false
  expect(right.errors).toBeUndefined()
  expect(JSON.stringify(JSON.parse(String(serializedBytes(answer))))).toBe(JSON.stringify(right))
  return true
}

describe('a response that is the answer already', () => {
  test.each(ANSWERS)('%s: its bytes are passed on, and say what the parsed response says', async (query, valid) => {
    expect(await compared(query, valid, Buffer.from(valid))).toBe(true)
  })

  test('data of a result in bytes is there for code that reads or copies it', async () => {
    const [[query, valid] = ['', '']] = ANSWERS
    const answer = await answerOf(query, Buffer.from(valid), true)
    expect({ ...answer }).toEqual(JSON.parse(valid))
    expect(structuredClone({ ...answer })).toEqual(JSON.parse(valid))
    expect(answer.data).not.toBe(answer.data)
  })

  test('in a cache it does not keep the larger buffer of its connection', async () => {
    const connection = Buffer.alloc(65_536, '{"data":{"a":1}}')
    const cached = toUncachedResult(serializedResult(connection.subarray(0, 16)))
    if (!('bytes' in cached)) throw new Error('Expected bytes.')
    const { bytes } = await cached.bytes.encoded(null)
    expect([String(bytes), bytes.buffer === connection.buffer]).toEqual(['{"data":{"a":1}}', false])
  })

  test.each(LIES)('%s: as if no bytes were read', async (_, from, to) => {
    const lied = ANSWERS.filter(([, valid]) => valid.includes(from))
    expect(lied).not.toEqual([])
    for (const [query, valid] of lied) {
      const isSame = from === '\\u00e9' && to === '\\ud83d'
      expect(await compared(query, valid, Buffer.from(valid.replace(from, to)))).toBe(isSame)
    }
  })

  test('bytes that are not UTF-8: as if no bytes were read', async () => {
    for (const [query, valid] of ANSWERS) {
      const quote = valid.indexOf('":"') + 3
      if (quote < 3) continue
      for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf]]) {
        const response = Buffer.concat([Buffer.from(valid.slice(0, quote)), Buffer.from(bytes), Buffer.from(valid.slice(quote))])
        expect(await compared(query, valid, response)).toBe(false)
      }
    }
  })

  test('each part that a connection could lose, at the start and at the end: as if no bytes were read', async () => {
    for (const [query, valid] of ANSWERS) {
      const whole = Buffer.from(valid.trimEnd())
      for (let end = 0; end < whole.length; end += 3) expect(await compared(query, valid, whole.subarray(0, end))).toBe(false)
      for (let start = 1; start < whole.length; start += 7)
        expect(await compared(query, valid, whole.subarray(start))).toBe(false)
    }
  })

  test('random changes of bytes never make another answer than the parsed response', async () => {
    const random = randomOf('bytes of answers')
    const counts = { passed: 0, parsed: 0 }
    for (let round = 0; round < Number(process.env.SEEDS ?? 3_000); round++) {
      const [query, valid] = random.pick(ANSWERS)
      const response = mutated(Buffer.from(valid), random)
      counts[(await compared(query, valid, response)) ? 'passed' : 'parsed']++
    }
    expect(Math.min(counts.passed, counts.parsed)).toBeGreaterThan(100)
  })
})

/** Bytes that mean something in JSON. */
const BYTES = Buffer.from('{}[]":,\\\n \t0123456789-+.eEntfu\0\x7f\xff')

function mutated(valid: Buffer, { whole, pick, chance }: ReturnType<typeof randomOf>): Buffer {
  let bytes = valid
  do {
    const [at, length] = [whole(bytes.length + 1), whole(8)]
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at + (chance(0.5) ? length : 0))]
    const from = whole(bytes.length)
    const inserted = chance(0.4)
      ? bytes.subarray(from, from + length)
      : Buffer.from(Array.from({ length: whole(3) }, () => (chance(0.7) ? pick([...BYTES]) : whole(256))))
    bytes = Buffer.concat([before, inserted, after])
  } while (chance(0.3))
  return bytes
}
