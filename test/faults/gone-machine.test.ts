import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { balancerConfig, parseServerStates } from '../../composition/cluster/balancer.ts'
import { childProgram, type Program } from '../../composition/cluster/child-program.ts'
import { hostsMissing, type Network, startNetwork } from './support/hosts/network.ts'

const [PORT, STATUS_PORT] = [4000, 4100]
/** Longer than the balancer may take for a machine that is gone, also where others are busy. */
const CLIENT_TIMEOUT_MS = 20_000

/** Answers `/ready` and `/`, and never what `/slow` asks for. */
const SERVER = `require('node:http').createServer(({ url }, response) => url === '/slow' ? console.log('asked') : response.end('here'))
  .listen({ port: ${PORT}, host: process.argv[1], keepAliveTimeout: 60_000 })`

describe.skipIf(hostsMissing)('a request that waits for a machine that is gone is answered by the balancer', () => {
  let folder: string
  let network: Network
  let url: string
  const programs: Program[] = []
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'atrium-gone-'))
    network = startNetwork(['edge', 'server-1', 'server-2'])
    const address = (name: string) => network.host(name).address
    const begin = async (name: string, line: readonly string[], isReady: () => Promise<boolean>) => {
      const [command, env] = [network.host(name).command(line), { PATH: process.env.PATH }]
      programs.push(childProgram({ name, command, cwd: folder, env, logFile: join(folder, `${name}.log`), isReady }))
      await programs.at(-1)?.start()
    }
    const servers = ['server-1', 'server-2'].map((name) => ({ name, host: address(name), port: PORT }))
    for (const { name, host } of servers)
      await begin(name, [process.execPath, '-e', SERVER, host], async () => (await fetch(`http://${host}:${PORT}/`)).ok)
    const pools = servers.map((server, index) => ({ name: server.name, port: PORT + index, isPublic: false, servers: [server] }))
    const config = join(folder, 'haproxy.cfg')
    writeFileSync(config, balancerConfig(pools, null, { host: address('edge'), statusPort: STATUS_PORT }))
    const states = async () => parseServerStates(await (await fetch(`http://${address('edge')}:${STATUS_PORT}/;csv`)).text())
    await begin('edge', ['haproxy', '-db', '-f', config], async () => {
      const found = await states()
      return servers.every(({ name }) => found.get(name) === true)
    })
    url = `http://${address('edge')}`
  })
  afterAll(async () => {
    await Promise.all(programs.map((each) => each.stop()))
    network?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Status of the answer, or why there is none. */
  const ask = (port: number, path: string) =>
    fetch(`${url}:${port}${path}`, { method: 'POST', signal: AbortSignal.timeout(CLIENT_TIMEOUT_MS) }).then(
      ({ status }) => status,
      (error: Error) => error.name,
    )

  test('where the machine had received it', async () => {
    const answers = Array.from({ length: 3 }, () => ask(PORT, '/slow'))
    await expect.poll(async () => (await fetch(`${url}:${PORT}/`)).status).toBe(200)
    network.cut(['edge'], ['server-1'])
    expect(await Promise.all(answers)).toEqual([502, 502, 502])
  })

  test('where it went out over an open connection that leads nowhere any more', async () => {
    expect(await ask(PORT + 1, '/')).toBe(200)
    // The balancer takes the machine for well until its next check.
    network.cut(['edge'], ['server-2'])
    expect(await ask(PORT + 1, '/')).toBe(502)
  })
})
