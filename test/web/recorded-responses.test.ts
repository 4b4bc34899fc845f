import { expect, test } from 'vitest'
import { textOf } from '../../web/frame/html.ts'
import { contracts } from '../../web/reference/contract.ts'
import { operationShown, sampleRequest } from '../../web/reference/operation.ts'
import { RECORDED_ORIGIN, recordedResponses } from '../../web/reference/recorded-responses.ts'
import { breaches as directoryBreaches } from '../rest-facade/contract.ts'
import { operations, breaches as storeBreaches } from '../rest-facade/store/contract.ts'
import { breaches as trustBreaches } from '../rest-facade/trust-contract.ts'

const recorded = recordedResponses()
const placed = contracts().flatMap(({ name, base, contract }) =>
  Object.entries(contract.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name, base, contract, path, method, operation })),
  ),
)
const SITE = { publicUrl: 'https://shop.test', at: String, asset: String, navigation: [], readerOf: () => null }

/** Every way in which a recorded body breaks what its contract says today. */
function breachesOf(facade: string, id: string, body: unknown): readonly string[] {
  const text = JSON.stringify(body)
  const found = placed.find(({ name, operation }) => name === facade && operation.operationId === id)
  if (!found) return [`${facade} has no operation ${id}`]
  if (facade === 'directory') return directoryBreaches(found.path, 200, body)
  const headers = { 'content-type': 'application/json' }
  if (facade === 'trust')
    return trustBreaches(`${found.method.toUpperCase()} ${found.path}`, {
      status: 200,
      headers,
      bytes: Buffer.from(text),
      text,
      json: body,
    })
  const operation = operations.get(id)
  if (!operation) return [`no operation ${id}`]
  const limits = ['minute', 'second'].flatMap((span) => [
    [`jumpseller-per${span}ratelimit-limit`, '1'],
    [`jumpseller-per${span}ratelimit-remaining`, '1'],
  ])
  return storeBreaches(operation, {
    status: operation.status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...Object.fromEntries(limits) },
    bytes: Buffer.from(text),
    text,
    json: body,
  })
}

test('responses that the reference shows are what the contracts promise today', () => {
  const all = Object.entries(recorded).flatMap(([facade, bodies]) =>
    Object.entries(bodies).map(([id, body]) => ({ facade, id, body })),
  )
  expect(all.length).toBeGreaterThan(80)
  expect(
    all.flatMap(({ facade, id, body }) => breachesOf(facade, id, body).map((breach) => `${facade} ${id} ${breach}`)),
  ).toEqual([])
})

test('no recorded response has the signing secret of a store', () => {
  expect(JSON.stringify(recorded)).toContain('"hooks_token":"')
  expect(JSON.stringify(recorded)).not.toMatch(/"hooks_token":"(?!c0ffee00c0ffee00")/)
})

test('an operation shows the recorded response, with the address of this product in place of the recorded one', () => {
  const search = placed.find(({ operation }) => operation.operationId === 'searchDirectory')
  if (!search) throw new Error('Expected the directory to have a search.')
  const shown = textOf(operationShown(search, search.contract, SITE))
  expect(shown).toContain('Postgres MCP Pro')
  expect(shown).toContain('https://shop.test/mcp/')
  expect(shown).not.toContain(RECORDED_ORIGIN)
})

test('operations that share a response show what one of them answered', () => {
  const create = placed.find(({ operation }) => operation.operationId === 'createCustomer')
  if (!create) throw new Error('Expected the store to make customers.')
  expect(textOf(operationShown(create, create.contract, SITE))).toContain('Aoife Brennan')
})

test('samples of requests filter by one thing: all filters at once find nothing', () => {
  const list = placed.find(({ operation }) => operation.operationId === 'listMcpServers')
  if (!list) throw new Error('Expected the directory to list servers.')
  const { address } = sampleRequest({ method: list.method, path: list.path, operation: list.operation }, list.contract, SITE)
  expect(address).toBe('https://shop.test/api/mcp?q=postgres')
})
