import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { textOf } from '../../web/frame/html.ts'
import { contracts } from '../../web/reference/contract.ts'
import { operationShown } from '../../web/reference/operation.ts'
import { type SampleRequest, samplesOf } from '../../web/reference/samples.ts'

const run = promisify(execFile)
const env = { PATH: process.env.PATH, LOGIN: 'a login', TOKEN: 'a "token"', API_KEY: 'a key' }

let folder: string
let seen: { readonly method: string; readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: string }[]
const server = createServer(async (request, response) => {
  seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body: await text(request) })
  response.end('{"answered": true}')
})
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'samples-'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

const BODY = { text: `it's "quoted" \\ é\n`, yes: true, no: false, nothing: null, list: [1, 2.5, []], inner: { empty: {} } }

test.each<[why: string, request: Omit<SampleRequest, 'address'>, expected: object]>([
  ['a read of everybody', { method: 'get', credentials: [], body: null }, { method: 'GET', body: '' }],
  [
    'a write with a key in a header',
    {
      method: 'post',
      credentials: [{ kind: 'header', name: 'x-api-key', variable: 'API_KEY' }],
      body: { type: 'application/json', value: BODY },
    },
    { method: 'POST', headers: expect.objectContaining({ 'x-api-key': 'a key', 'content-type': 'application/json' }) },
  ],
  [
    'a change with login and token',
    { method: 'put', credentials: [{ kind: 'basic' }], body: { type: 'application/json', value: { id: 1 } } },
    {
      method: 'PUT',
      headers: expect.objectContaining({ authorization: `Basic ${Buffer.from('a login:a "token"').toString('base64')}` }),
    },
  ],
  [
    'a deletion with a token',
    { method: 'delete', credentials: [{ kind: 'bearer' }], body: null },
    { method: 'DELETE', headers: expect.objectContaining({ authorization: 'Bearer a "token"' }), body: '' },
  ],
])('%s is the same request in every language', async (_, request, expected) => {
  seen = []
  // Listening: its address is one of a network.
  const { port } = server.address() as AddressInfo
  const blocks = samplesOf('sample', { ...request, address: `http://127.0.0.1:${port}/path?q=a%20b` })
  for (const { language = '', text: code } of blocks) {
    const file = join(folder, `sample.${language === 'ts' ? 'mts' : language}`)
    writeFileSync(file, code)
    const command = { sh: 'bash', ts: process.execPath, py: 'python3' }[language] ?? ''
    const { stdout } = await run(command, [file], { cwd: folder, env })
    expect(stdout).toContain('{"answered": true}')
  }
  expect(blocks.map(({ language }) => language)).toEqual(['sh', 'ts', 'py'])
  expect(seen).toEqual([1, 2, 3].map(() => expect.objectContaining({ url: '/path?q=a%20b', ...expected })))
  const bodies = seen.map(({ body }) => (body === '' ? null : JSON.parse(body)))
  expect(bodies).toEqual([1, 2, 3].map(() => request.body?.value ?? null))
})

const SITE = { publicUrl: 'http://localhost:4000', at: String, asset: String, navigation: [], readerOf: () => null }
const METHODS = ['get', 'post', 'put', 'patch', 'delete']
const operations = contracts().flatMap(({ name, contract }) =>
  Object.entries(contract.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({ name, contract, placed: { method, path, operation } })),
  ),
)

test('samples of requests and responses have values in every place, none with dots to fill in', () => {
  expect(operations.length).toBeGreaterThan(200)
  const unfilled = operations.filter(({ contract, placed }) =>
    [...textOf(operationShown(placed, contract, SITE)).matchAll(/<pre[^>]*>([\s\S]*?)<\/pre>/g)].some(([, code = '']) =>
      code.includes('…'),
    ),
  )
  expect(unfilled.map(({ name, placed }) => `${name} ${placed.method} ${placed.path}`)).toEqual([])
})
