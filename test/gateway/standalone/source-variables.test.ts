import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { mergeSettings, readConfigObject } from '../../../gateway/standalone/config-file.ts'
import type { GatewayConfig } from '../../../gateway/standalone/define-config.ts'
import { sourceVariables, supergraphOriginFromConfig } from '../../../gateway/standalone/source-variables.ts'
import { readConfig } from '../../../platform/config/config.ts'
import { unusedPort } from '../../support/program.ts'
import { SHOP_SDL, shopSubgraph, supergraphSdl } from '../support/graph.ts'
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
  expect(originOf(env)).toEqual({ subject: 'The supergraph of the source', options })
})

/** Sources as options of a configuration file, and as settings. */
const SAME: readonly {
  readonly supergraph: NonNullable<GatewayConfig['supergraph']>
  readonly env: Readonly<Record<string, string>>
}[] = [
  { supergraph: { type: 'folder', path: 'subgraphs' }, env: { SUPERGRAPH_FOLDER: 'subgraphs' } },
  {
    supergraph: { type: 'http', url: 'https://x/y', headers: { authorization: KEY }, pollSeconds: 60, lastGoodFile: 'kept' },
    env: {
      SUPERGRAPH_URL: 'https://x/y',
      SUPERGRAPH_AUTHORIZATION: KEY,
      SUPERGRAPH_POLL_SECONDS: '60',
      SUPERGRAPH_LAST_GOOD_FILE: 'kept',
    },
  },
  {
    supergraph: { type: 's3', bucket: 'graphs', key: 'a/b', accessKeyId: 'id', secretAccessKey: KEY, endpoint: 'http://minio' },
    env: { SUPERGRAPH_URL: 's3://graphs/a/b', ...AWS, AWS_ENDPOINT_URL_S3: 'http://minio' },
  },
  {
    supergraph: { type: 'hive', endpoint: 'https://cdn/v1/t', key: KEY },
    env: { HIVE_CDN_ENDPOINT: 'https://cdn/v1/t', HIVE_CDN_KEY: KEY },
  },
  {
    supergraph: { type: 'uplink', graphRef: 'a@b', apiKey: KEY, urls: ['https://one/'] },
    env: { APOLLO_GRAPH_REF: 'a@b', APOLLO_KEY: KEY, APOLLO_UPLINK_ENDPOINTS: 'https://one/' },
  },
]
const ofFile = (config: unknown, env: Readonly<Record<string, string>> = {}) => {
  const file = readConfigObject(config, 'c.ts')
  return supergraphOriginFromConfig(readConfig(sourceVariables, mergeSettings(file.env, env, {})), file.supergraph ?? undefined)
}

test.each(SAME)(
  'a configuration file has the source as an object, equal to settings: $supergraph.type',
  ({ supergraph, env }) => {
    expect(ofFile({ supergraph })).toEqual(originOf(env))
  },
)

test('a file as an object, like SUPERGRAPH_FILE but for its name in messages', () => {
  const options = { type: 'file', path: 'a.graphql' }
  expect(ofFile({ supergraph: options })).toEqual({ subject: 'The supergraph file a.graphql', options })
  expect(originOf({ SUPERGRAPH_FILE: 'a.graphql' })).toEqual({ subject: 'SUPERGRAPH_FILE a.graphql', options })
})

test('variables win over the source of a configuration file', () => {
  const supergraph = { type: 'folder', path: 'subgraphs', pollSeconds: 60 }
  expect(ofFile({ supergraph }, { SUPERGRAPH_FILE: 'a.graphql' }).options).toEqual({ type: 'file', path: 'a.graphql' })
  const settings = { SUPERGRAPH_POLL_SECONDS: '5', SUPERGRAPH_LAST_GOOD_FILE: 'kept' }
  const other = { SUPERGRAPH_URL: 'https://x/y' }
  expect(ofFile({ supergraph: { ...supergraph, lastGoodFile: 'first' } }, other).options).not.toHaveProperty('lastGoodFile')
  const withFile = { ...other, ...settings }
  expect(ofFile({ supergraph: { ...supergraph, lastGoodFile: 'first' } }, withFile).options).toHaveProperty(
    'lastGoodFile',
    'kept',
  )
  expect(ofFile({ supergraph }, settings).options).toEqual({ ...supergraph, pollSeconds: 5, lastGoodFile: 'kept' })
})

test.each<{ config: object; says: RegExp }>([
  {
    config: { supergraph: 'supergraph.graphql' },
    says: /^Expected "supergraph.*" to be an object whose "type" is file, folder, http, s3, hive or uplink, got .* in c\.ts\.$/,
  },
  { config: { supergraph: { type: 'git' } }, says: /^Expected "supergraph.*" to be an object whose "type" is file, folder/ },
  {
    config: { supergraph: { type: 'file' } },
    says: /^Expected "supergraph\.path" to be the path of a file, got nothing in c\.ts\.$/,
  },
  {
    config: { supergraph: { type: 's3', bucket: 'b', key: 'k', accessKeyId: 'id' } },
    says: /^Expected "supergraph\.secretAccessKey" to be a secret access key, got nothing in c\.ts\.$/,
  },
  {
    config: { supergraph: { type: 'hive', endpoint: KEY, key: KEY } },
    says: /^Expected "supergraph\.endpoint" to be an http or https URL/,
  },
  {
    config: { supergraph: { type: 'http', url: 'http://x', etag: 'y' } },
    says: /^Unknown option "supergraph\.etag" in c\.ts\.$/,
  },
  {
    config: { supergraph: { type: 'file', path: 'a' }, supergraphFile: 'a', hiveCdnKey: KEY },
    says: /^Expected "supergraphFile" to be absent beside "supergraph", .*\nExpected "hiveCdnKey" to be absent beside "supergraph"/,
  },
])('a configuration file with $config is refused by the name of the field', ({ config, says }) => {
  expect(() => ofFile(config)).toThrow(says)
  expect(() => ofFile(config)).not.toThrow(KEY)
})

test('the program serves a folder that the configuration file names, and says what does not compose', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-source-object-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'shop.graphql'), SHOP_SDL)
  const config = join(folder, 'atrium.config.mjs')
  const settings = {
    supergraph: { type: 'folder', path: folder, pollSeconds: 3600 },
    port: await unusedPort(),
    explorer: false,
    subgraphs: { shop: { url: shop.url } },
  }
  writeFileSync(config, `export default ${JSON.stringify(settings)}`)
  const program = await runConfigured(config)
  onTestFinished(program.stop)
  const ask = (query: string) =>
    fetch(`http://127.0.0.1:${settings.port}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    }).then((response) => response.json())
  expect(await ask('{ product(id: "a") { name } }')).toEqual({ data: { product: { name: 'Product a' } } })
  writeFileSync(join(folder, 'shop.graphql'), 'type Query {')
  program.child.kill('SIGHUP')
  await expect.poll(program.out).toContain('SDL of \\"shop\\"')
  expect(await ask('{ product(id: "b") { name } }')).toEqual({ data: { product: { name: 'Product b' } } })
})

/** Runs the program with a configuration file until it is ready. */
async function runConfigured(config: string) {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../gateway/main.ts'), '--config', config], {
    env: { PATH: process.env.PATH },
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const ended = once(child, 'close')
  await expect.poll(() => err, { timeout: 30_000 }).toContain('ready')
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { child, out: () => out, stop }
}

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
