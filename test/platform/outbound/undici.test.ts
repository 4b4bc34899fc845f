import { execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { Agent, ConnectionPool, request } from '../../../platform/outbound/undici.ts'

/** A server that answers with the method and the URL of a request, and its origin. */
async function echo(): Promise<string> {
  const server = createServer((incoming, response) => response.end(`${incoming.method} ${incoming.url}`))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  // Of a server that listens on TCP.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('connections load neither the fetch, cache and mocks of undici nor the copy of Node', () => {
  const module = new URL('../../../platform/outbound/undici.ts', import.meta.url).href
  const script = `await import(${JSON.stringify(module)})
    const { createRequire } = await import('node:module')
    const files = Object.keys(createRequire(${JSON.stringify(module)}).cache).filter((file) => file.includes('/undici/'))
    console.log(JSON.stringify([...files, ...process.moduleLoadList.filter((name) => name.includes('undici'))]))`
  const loaded: string[] = JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }))
  expect(loaded.length).toBeGreaterThan(15)
  expect(loaded.filter((name) => /undici\/(?:index\.js|lib\/(?:web|cache|mock))|NativeModule/.test(name))).toEqual([])
})

test('a request sends its query and method, and rejects a URL that cannot be parsed', async () => {
  const origin = await echo()
  const dispatcher = new Agent()
  onTestFinished(() => dispatcher.destroy())
  const textOf = async (answer: ReturnType<typeof request>) => (await answer).body.text()
  expect(await textOf(request(`${origin}/a?b=1`, { dispatcher }))).toBe('GET /a?b=1')
  expect(await textOf(request(new URL('/', origin), { dispatcher, method: 'POST', body: 'x' }))).toBe('POST /')
  await expect(request('nowhere', { dispatcher })).rejects.toThrow('Invalid URL')
})

test('a pool has the methods of its base class', async () => {
  const pool = new ConnectionPool(await echo())
  onTestFinished(() => pool.destroy())
  expect(await (await pool.request({ path: '/c', method: 'GET' })).body.text()).toBe('GET /c')
})
