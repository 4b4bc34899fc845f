import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { type Program, startMain, startProgram } from '../support/program.ts'

const GUIDE = readFileSync(join(import.meta.dirname, '../../docs/guides/deploy-behind-a-proxy.md'), 'utf8')
const blockOf = (file: string): string => new RegExp(`^\`\`\`\\w+ file=${file}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(GUIDE)?.[1] ?? ''

/** A client of the proxy that is not the proxy itself: another address of this machine. */
const CLIENT = '127.0.0.2'

const PROXIES: Readonly<
  Record<string, (folder: string, port: number, upstream: number) => readonly [string, readonly string[]]>
> = {
  nginx: (folder, port, upstream) => {
    const server = blockOf('atrium.conf')
      .replace('listen 443', `listen ${port}`)
      .replaceAll(/\/etc\/letsencrypt\/live\/atrium\.example/g, folder)
      .replaceAll('127.0.0.1:4000', `127.0.0.1:${upstream}`)
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`)
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${paths.join(' ')}\n${server}}`,
    )
    return ['nginx', ['-c', join(folder, 'nginx.conf'), '-p', folder]]
  },
  caddy: (folder, port, upstream) => {
    const site = blockOf('Caddyfile')
      .replace('atrium.example {', `https://localhost:${port} {\n  tls ${folder}/fullchain.pem ${folder}/privkey.pem`)
      .replaceAll('127.0.0.1:4000', `127.0.0.1:${upstream}`)
    writeFileSync(join(folder, 'Caddyfile'), `{\n  admin off\n  auto_https disable_redirects\n}\n${site}`)
    return ['caddy', ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile']]
  },
}

/** Whether this program can run here; where REQUIRE_PROXIES is set it runs, and fails without. */
const hasProgram = (name: string): boolean => {
  if (process.env.REQUIRE_PROXIES) return true
  try {
    execFileSync('sh', ['-c', `command -v ${name}`])
    return true
  } catch {
    return false
  }
}

let database: FreshDatabase
let server: Awaited<ReturnType<typeof startMain>>
let folder: string
beforeAll(async () => {
  if (!Object.keys(PROXIES).some(hasProgram)) return
  folder = mkdtempSync(join(tmpdir(), 'atrium-proxies-'))
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const files = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')]
  await promisify(execFile)('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files])
  database = await freshDatabase({ hasStore: true })
  const { connectionString } = database.connection as { connectionString: string }
  server = await startMain({
    ...process.env,
    DATABASE_URL: connectionString,
    TRUST_LISTS: 'none',
    TRUSTED_PROXIES: '127.0.0.1',
    DATA_DIR: join(folder, 'data'),
  })
})
afterAll(async () => {
  await server?.kill()
  await database?.drop()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

describe.each(Object.entries(PROXIES))('%s as the guide configures it', (name, commandOf) => {
  const isMissing = !hasProgram(name)
  let proxy: Program
  beforeAll(async () => {
    if (isMissing) return
    const isReady = async ({ port }: Program) => (await get(port, '/health').catch(() => null))?.status === 200
    proxy = await startProgram((port) => commandOf(folder, port, server.port), isReady)
  })
  afterAll(() => proxy?.kill())

  const options = (port: number) =>
    ({ host: 'localhost', port, localAddress: CLIENT, family: 4, rejectUnauthorized: false }) as const
  const get = (port: number, path: string, headers: Readonly<Record<string, string>> = {}) =>
    new Promise<{ readonly status: number | undefined; readonly text: string }>((resolve, reject) => {
      https
        .get({ ...options(port), path, headers }, (response) => {
          let text = ''
          response.on('data', (chunk) => {
            text += chunk
          })
          response.on('end', () => resolve({ status: response.statusCode, text }))
        })
        .on('error', reject)
    })

  test.skipIf(isMissing)('forwards pages with the address of the client, and serves no metrics', async () => {
    expect((await get(proxy.port, '/ready')).status).toBe(200)
    expect(await get(proxy.port, '/metrics')).toMatchObject({ status: 404, text: expect.not.stringContaining('atrium_') })
    const id = `through-${name}`
    expect((await get(proxy.port, '/api/stats', { 'x-request-id': id })).status).toBe(200)
    await expect
      .poll(
        () =>
          server
            .said()
            .split('\n')
            .find((line) => line.includes(id)) ?? '',
      )
      .toContain(`"address":"${CLIENT}"`)
  })

  test.skipIf(isMissing)('forwards WebSockets', async () => {
    const socket = new WebSocket(`wss://localhost:${proxy.port}/graphql`, 'graphql-transport-ws', options(proxy.port))
    const answer = new Promise((resolve, reject) => {
      socket.on('message', (message) => resolve(JSON.parse(String(message))))
      socket.on('error', reject)
    })
    socket.on('open', () => socket.send('{"type":"connection_init"}'))
    expect(await answer).toMatchObject({ type: 'connection_ack' })
    socket.close()
  })

  test.skipIf(isMissing)('sends events at once', async () => {
    let seen = ''
    const body = JSON.stringify({ query: 'subscription { userCreated { name } }' })
    const headers = { accept: 'text/event-stream', 'content-type': 'application/json' }
    const request = https.request({ ...options(proxy.port), path: '/graphql', method: 'POST', headers }, (response) =>
      response.on('data', (chunk) => {
        seen += chunk
      }),
    )
    request.on('error', () => {})
    request.end(body)
    for (let index = 0; !seen.includes(`Reader of ${name}`); index++) {
      const query = `mutation { createUser(input: { email: "${name}${index}@example.org", name: "Reader of ${name}" }) { user { id } } }`
      await fetch(`${server.base}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      })
      await sleep(100)
    }
    request.destroy()
  })
})
