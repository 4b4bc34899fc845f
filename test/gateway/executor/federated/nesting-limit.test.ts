import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parse } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../../../../gateway/gateway.ts'
import { compose } from '../../../../gateway/planning/composition.ts'
import { createRemoteLink, type RemoteLink } from '../../../../gateway/subgraph-client/remote-subgraph.ts'
import { ask, recordingLog } from '../../support/graph.ts'

const TYPES = parse('scalar Json type Query { json: Json sure: Json! listed: [Json] motto: String }')
/** JSON.parse reads this, JSON.stringify does not write it. */
const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
const LEGITIMATE = `${'{"below":'.repeat(400)}1${'}'.repeat(400)}`

let answer = ''
let server: Server
let link: RemoteLink
let gateway: Gateway
beforeAll(async () => {
  server = createServer((_, response) => response.setHeader('content-type', 'application/json').end(answer))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  link = createRemoteLink({ name: 'deep', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql` })
  const supergraphSdl = compose([{ name: 'deep', typeDefs: TYPES }])
  gateway = await startGateway({ supergraphSdl, links: [link], limits: { depth: 10, cost: 1000 }, log: recordingLog().log })
})
afterAll(async () => {
  await link.close()
  server.close().closeAllConnections()
})

test('a value too deep for JSON.stringify is null with an error, and the rest is returned', async () => {
  answer = `{"data":{"json":${DEEP},"listed":[1,${DEEP},${LEGITIMATE}],"motto":"Fine."}}`
  const { data, errors } = await ask(gateway, '{ json listed motto }')
  expect(data).toEqual({ json: null, listed: [1, null, JSON.parse(LEGITIMATE)], motto: 'Fine.' })
  expect(errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual([
    [['json'], 'INVALID_SUBGRAPH_ANSWER'],
    [['listed', 1], 'INVALID_SUBGRAPH_ANSWER'],
  ])
})

test('where it may not be null it takes what is around it along', async () => {
  answer = `{"data":{"sure":${DEEP},"motto":"Fine."}}`
  expect((await ask(gateway, '{ sure motto }')).data).toBeNull()
})

test('extensions too deep for JSON.stringify are dropped, and their error stays', async () => {
  answer = `{"data":{"motto":null},"errors":[{"message":"No.","path":["motto"],"extensions":{"code":"GONE","why":${DEEP}}}]}`
  const { errors } = await ask(gateway, '{ motto }')
  expect(errors?.map(({ message, extensions }) => [message, extensions.code, extensions.why])).toEqual([
    ['No.', 'GONE', undefined],
  ])
})

test('an invalid code or path of an error is dropped, and the error stays', async () => {
  answer = '{"data":{"motto":null},"errors":[{"message":"No.","path":[null,{"a":1}],"extensions":{"code":42,"why":7}}]}'
  const { errors } = await ask(gateway, '{ motto }')
  expect(errors?.map(({ path, extensions }) => [path, extensions.code, extensions.why])).toEqual([
    [undefined, 'DOWNSTREAM_SERVICE_ERROR', 7],
  ])
})
