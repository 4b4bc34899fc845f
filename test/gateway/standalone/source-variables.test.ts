import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { sourceVariables, supergraphOriginFromConfig } from '../../../gateway/standalone/source-variables.ts'
import { readConfig } from '../../../platform/config/config.ts'
import { shopSubgraph, supergraphSdl } from '../support/graph.ts'
import { startProgram } from '../support/program.ts'
import { type Remote, serveRemote } from '../support/remote.ts'
import { sdlWithEtag, startSourceServer, status } from '../support/source-server.ts'

const KEY = 'hunter2-hunter2'

let shop: Remote
beforeAll(async () => {
  shop = await serveRemote(shopSubgraph())
})
afterAll(() => void shop.server.close().closeAllConnections())

const originOf = (env: Readonly<Record<string, string>>) => supergraphOriginFromConfig(readConfig(sourceVariables, env))
const AWS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: KEY }

test.each<{ env: Readonly<Record<string, string>>; options: object }>([
  { env: { SUPERGRAPH_FOLDER: 'subgraphs' }, options: { type: 'folder', path: 'subgraphs', pollSeconds: 10 } },
  {
    env: { SUPERGRAPH_URL: 'https://x/y', SUPERGRAPH_AUTHORIZATION: `Bearer ${KEY}`, SUPERGRAPH_LAST_GOOD_FILE: 'kept.graphql' },
    options: {
      type: 'http',
      url: 'https://x/y',
      headers: { authorization: `Bearer ${KEY}` },
      pollSeconds: 10,
      lastGoodFile: 'kept.graphql',
    },
  },
  {
    env: { SUPERGRAPH_URL: 's3://graphs/a/b.graphql', ...AWS, AWS_REGION: 'eu-west-1', SUPERGRAPH_POLL_SECONDS: '60' },
    options: {
      type: 's3',
      bucket: 'graphs',
      key: 'a/b.graphql',
      accessKeyId: 'id',
      secretAccessKey: KEY,
      region: 'eu-west-1',
      pollSeconds: 60,
    },
  },
  {
    env: { HIVE_CDN_ENDPOINT: 'https://cdn/v1/t', HIVE_CDN_KEY: KEY },
    options: { type: 'hive', endpoint: 'https://cdn/v1/t', key: KEY, pollSeconds: 10 },
  },
  {
    env: { APOLLO_GRAPH_REF: 'a@b', APOLLO_KEY: KEY, APOLLO_UPLINK_ENDPOINTS: 'https://one/, https://two/' },
    options: { type: 'uplink', graphRef: 'a@b', apiKey: KEY, urls: ['https://one/', 'https://two/'], pollSeconds: 10 },
  },
])('settings choose a source: $options.type', ({ env, options }) => {
  expect(originOf(env)).toEqual({ kind: 'source', options })
})

test.each<{ env: Readonly<Record<string, string>>; says: RegExp }>([
  { env: {}, says: /^Expected SUPERGRAPH_FILE to name a file .*, or another source: SUPERGRAPH_FOLDER, SUPERGRAPH_URL,/ },
  {
    env: { SUPERGRAPH_FILE: 'a', APOLLO_GRAPH_REF: 'b' },
    says: /^Expected one source .*, got SUPERGRAPH_FILE and APOLLO_GRAPH_REF\.$/,
  },
  { env: { HIVE_CDN_ENDPOINT: 'https://x' }, says: /^Expected HIVE_CDN_KEY to be set: HIVE_CDN_ENDPOINT needs it\.$/ },
  { env: { APOLLO_GRAPH_REF: 'a@b' }, says: /^Expected APOLLO_KEY to be set/ },
  {
    env: { APOLLO_GRAPH_REF: 'a@b', APOLLO_KEY: KEY, APOLLO_UPLINK_ENDPOINTS: 'x' },
    says: /^Expected "urls\[0\]" to be an http or https URL/,
  },
  { env: { SUPERGRAPH_URL: 's3://graphs' }, says: /^Expected SUPERGRAPH_URL to be s3:\/\/bucket\/key\.$/ },
  { env: { SUPERGRAPH_URL: 's3://graphs/x' }, says: /^Expected AWS_ACCESS_KEY_ID to be set: an s3:\/\/ URL needs it\.$/ },
  {
    env: { SUPERGRAPH_URL: `https://a:${KEY}@x/` },
    says: /^Expected "url" to be an http or https URL without a user name and a password/,
  },
  { env: { SUPERGRAPH_URL: 'file:///x' }, says: /^Expected SUPERGRAPH_URL to be an http or https URL, or s3:\/\/bucket\/key/ },
  {
    env: { HIVE_CDN_ENDPOINT: 'https://x', HIVE_CDN_KEY: `${KEY}\n` },
    says: /^Expected HIVE_CDN_KEY to be visible ASCII characters\.$/,
  },
])('$env ends the start with a sentence', ({ env, says }) => {
  expect(() => originOf(env)).toThrow(says)
  expect(() => originOf(env)).not.toThrow(KEY)
})

test('the program follows the CDN of Hive, looks at once on SIGHUP, and never says the key', async () => {
  const source = await startSourceServer((exchange) => {
    const isAllowed = exchange.request.headers['x-hive-cdn-key'] === KEY
    if (isAllowed) sdlWithEtag(supergraphSdl({ shop: shop.url, review: shop.url }), '"1"')(exchange)
    else status(403)(exchange)
  })
  onTestFinished(source.close)
  const settings = { HIVE_CDN_ENDPOINT: `${source.url}/artifacts/v1/t`, SUPERGRAPH_POLL_SECONDS: '3600' }
  const program = await startProgram({ ...settings, HIVE_CDN_KEY: KEY })
  onTestFinished(program.stop)
  const response = await fetch(`${program.base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ product(id: "a") { name } }' }),
  })
  expect(await response.json()).toEqual({ data: { product: { name: 'Product a' } } })
  source.answer = status(500, KEY)
  program.child.kill('SIGHUP')
  await expect
    .poll(() => program.said('the source gave no supergraph'))
    .toMatchObject([{ reason: expect.stringMatching(/status 500\.$/) }])
  expect(JSON.stringify(program.said('"msg"'))).not.toContain(KEY)
})
