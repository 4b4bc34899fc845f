import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createSecureServer, type Http2SecureServer } from 'node:http2'
import { createServer, type Server, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createGateway } from '../../../gateway/library/create-gateway.ts'
import type { GatewayOptions } from '../../../gateway/options/gateway-options.ts'
import { type Authority, aCertificate, anAuthority } from '../../subgraphs/trust/collectors/support/certificates.ts'
import { recordingLog, shopSubgraph, supergraphSdl } from '../support/graph.ts'
import { answerOf } from '../support/remote.ts'

const folder = mkdtempSync(join(tmpdir(), 'atrium-tls-'))
const written = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
let authority: Authority
let other: Authority
let ca = ''
beforeAll(async () => {
  authority = await anAuthority('Tests')
  other = await anAuthority('Others')
  ca = written('ca.pem', authority.pem)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The shop over TLS; says who its clients were. */
async function aShop(options: ServerOptions = {}, certificate = aCertificate({ names: ['shop.internal'], authority })) {
  const clients: (string | undefined)[] = []
  const server: Server = createServer({ ...(await certificate), ...options }, async (request, response) => {
    clients.push((request.socket as TLSSocket).getPeerCertificate().subject?.CN as string | undefined)
    let body = ''
    for await (const chunk of request) body += chunk
    response.setHeader('content-type', 'application/json').end(await answerOf(shopSubgraph(), body))
  })
  return { clients, url: await listening(server) }
}

async function listening(server: Server | Http2SecureServer): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    if ('closeAllConnections' in server) server.closeAllConnections()
  })
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`
}

async function aGateway(url: string, options: NonNullable<GatewayOptions['allSubgraphs']>) {
  const { log, lines } = recordingLog()
  const supergraph = supergraphSdl({ shop: url, review: 'http://127.0.0.1:1/' })
  const gateway = await createGateway({ supergraph, log, subgraphs: { shop: options } })
  onTestFinished(gateway.close)
  return { lines, ask: () => gateway.execute({ query: '{ product(id: "a") { name } }' }) }
}

const NAMED = { data: { product: { name: 'Product a' } } }
const REFUSED = { data: { product: null }, errors: [{ extensions: { code: 'SUBGRAPH_UNAVAILABLE' } }] }
const TRUSTED = () => ({ caFile: ca, servername: 'shop.internal' })

test('a private certificate authority and the name of the certificate', async () => {
  const { url } = await aShop()
  expect(await (await aGateway(url, { tls: TRUSTED() })).ask()).toEqual(NAMED)
})

test.each<[why: string, () => Promise<{ url: string; tls: object | undefined }>]>([
  ['no authority', async () => ({ ...(await aShop()), tls: undefined })],
  [
    'another authority',
    async () => ({ ...(await aShop({}, aCertificate({ names: ['shop.internal'], authority: other }))), tls: TRUSTED() }),
  ],
  ['another name', async () => ({ ...(await aShop()), tls: { caFile: ca, servername: 'other.internal' } })],
  [
    'an expired certificate',
    async () => ({
      ...(await aShop({}, aCertificate({ names: ['shop.internal'], authority, from: -30, to: -1 }))),
      tls: TRUSTED(),
    }),
  ],
  ['no client certificate', async () => ({ ...(await aShop({ requestCert: true, ca: authority.pem })), tls: TRUSTED() })],
  [
    'an older version',
    async () => ({ ...(await aShop({ maxVersion: 'TLSv1.2' })), tls: { ...TRUSTED(), minVersion: 'TLSv1.3' } }),
  ],
])('%s: a typed error, in which nothing leaks', async (_, given) => {
  const { url, tls } = await given()
  const { ask } = await aGateway(url, tls ? { tls } : {})
  const result = await ask()
  expect(result).toMatchObject(REFUSED)
  expect(result.errors?.[0]?.message).toBe('The shop service did not answer this part of the operation.')
})

test('mTLS: the subgraph sees the certificate of the gateway, and the next one when the files change', async () => {
  const { url, clients } = await aShop({ requestCert: true, ca: authority.pem })
  const first = await aCertificate({ commonName: 'gateway-1', authority })
  const [certFile, keyFile] = [written('cert.pem', first.cert), written('key.pem', first.key)]
  const tls = { ...TRUSTED(), certFile, keyFile }
  const { ask, lines } = await aGateway(url, { tls, connections: { keepAliveMilliseconds: 1 } })
  expect(await ask()).toEqual(NAMED)
  const said = (msg: string) => lines.filter((line) => line.msg === msg).length
  written('cert.pem', 'no certificate')
  await expect.poll(() => said('new TLS files of a subgraph were refused; those before stay')).toBeGreaterThan(0)
  expect(await ask()).toEqual(NAMED)
  const second = await aCertificate({ commonName: 'gateway-2', authority })
  written('key.pem', second.key)
  written('cert.pem', second.cert)
  await expect.poll(() => said('the TLS files of a subgraph were read again')).toBeGreaterThan(0)
  await expect.poll(async () => (await ask()) && clients.at(-1)).toBe('gateway-2')
  expect(clients.slice(0, 2)).toEqual(['gateway-1', 'gateway-1'])
})

test('HTTP/2 where the server offers it and the configuration allows it', async () => {
  const versions: string[] = []
  const server = createSecureServer(
    { ...(await aCertificate({ names: ['shop.internal'], authority })), allowHTTP1: true },
    async (request, response) => {
      versions.push(request.httpVersion)
      let body = ''
      for await (const chunk of request) body += chunk
      response.setHeader('content-type', 'application/json')
      response.end(await answerOf(shopSubgraph(), body))
    },
  )
  const url = await listening(server)
  expect(await (await aGateway(url, { tls: TRUSTED(), connections: { http2: true } })).ask()).toEqual(NAMED)
  expect(await (await aGateway(url, { tls: TRUSTED() })).ask()).toEqual(NAMED)
  expect(versions).toEqual(['2.0', '1.1'])
})

test.each<[why: string, () => object, RegExp]>([
  [
    'a file that is not there',
    () => ({ caFile: '/none/ca.pem' }),
    /^The file of "tls\.caFile" of subgraph "shop" cannot be read: ENOENT/,
  ],
  [
    'a key without its certificate',
    () => ({ keyFile: ca }),
    /^Expected "subgraphs\.shop\.tls" to be an object with both "certFile" and "keyFile"/,
  ],
  [
    'files that do not fit',
    () => ({ certFile: ca, keyFile: ca }),
    /^The files of "tls" of subgraph "shop" do not fit together: /,
  ],
])('%s stops the start', async (_, tls, says) => {
  await expect(aGateway('https://127.0.0.1:1/', { tls: tls() })).rejects.toThrow(says)
})
