import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { balancerConfig, parseServerStates } from '../../composition/cluster/balancer.ts'
import { type HttpServer, startHttpServer } from '../support/http-server.ts'
import { type Program, startProgram, unusedPort } from '../support/program.ts'
import { hasCluster } from './support.ts'

describe.skipIf(!hasCluster)('a balancer of two copies', () => {
  const isReady = { one: true, two: true }
  const copies: HttpServer[] = []
  let balancer: Program
  let statusPort: number
  let url: string
  const folder = mkdtempSync(join(tmpdir(), 'atrium-balancer-'))

  beforeAll(async () => {
    for (const name of ['one', 'two'] as const)
      copies.push(
        await startHttpServer({
          '/ready': (_, response: ServerResponse) => response.writeHead(isReady[name] ? 200 : 503).end(),
          '/': (_, response: ServerResponse) => response.end(name),
        }),
      )
    const servers = ['one', 'two'].map((name, index) => ({ name, port: copies[index]?.port ?? 0 }))
    const file = join(folder, 'haproxy.cfg')
    balancer = await startProgram(
      async (port) => {
        statusPort = await unusedPort()
        url = `http://127.0.0.1:${port}/`
        writeFileSync(
          file,
          balancerConfig([{ name: 'pool', port, isPublic: false, servers }], null, { host: '127.0.0.1', statusPort }),
        )
        return ['haproxy', ['-db', '-f', file]]
      },
      async () => (await fetch(url)).status === 200,
    )
  })
  afterAll(async () => {
    await balancer?.kill()
    for (const copy of copies) await copy.close()
    rmSync(folder, { recursive: true })
  })

  const states = async () => {
    const all = parseServerStates(await (await fetch(`http://127.0.0.1:${statusPort}/;csv`)).text())
    return { one: all.get('one'), two: all.get('two') }
  }
  /** Who answers 20 requests, once the balancer knows which copies are ready. */
  async function answering(ready: { readonly one: boolean; readonly two: boolean }): Promise<string[]> {
    Object.assign(isReady, ready)
    await expect.poll(states).toEqual(ready)
    const names = new Set<string>()
    for (let count = 0; count < 20; count++) {
      const answer = await fetch(url)
      expect(answer.status).toBe(200)
      names.add(await answer.text())
    }
    return [...names].sort()
  }

  test('sends requests to those that are ready', async () => {
    expect(await answering({ one: false, two: true })).toEqual(['two'])
    expect(await answering({ one: true, two: false })).toEqual(['one'])
  })

  test('sends requests to both when neither is ready', async () => {
    expect(await answering({ one: false, two: false })).toEqual(['one', 'two'])
    expect(await answering({ one: false, two: true })).toEqual(['two'])
  })
})
