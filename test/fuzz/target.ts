import { type ChildProcess, spawn } from 'node:child_process'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { wireText } from './hostile.ts'
import type { FuzzedOperation } from './operations.ts'
import type { Sent } from './requests.ts'
import type { Served } from './server.ts'
import { STOCK } from './stock.ts'

/** A hang is no answer within this time: an operation has ten seconds. */
const TIMEOUT_MS = 20_000
/** Tokens of users end after 15 minutes. */
const SIGNED_IN_FOR = 5 * 60_000

export type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
}

/** The server that is asked: a process of its own. */
export type Target = {
  readonly ask: (operation: FuzzedOperation, id: string) => Promise<Reply>
  readonly send: (sent: Sent, id: string) => Promise<Reply>
  /**
   * Faults that its log or its standard error told, by the id of the request where they name one.
   */
  readonly faults: () => readonly { readonly id: string | null; readonly line: string }[]
  readonly stop: () => Promise<void>
}

/** Starts the server over a database that nobody else uses. */
export async function startTarget(databaseUrl: string): Promise<Target> {
  const faults: { id: string | null; line: string }[] = []
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, 'server.ts')], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  if (!child.stdout || !child.stderr) throw new Error('Expected the output of the server.')
  const served = Promise.withResolvers<Served>()
  child.once('exit', (code, signal) => {
    faults.push({ id: null, line: `the process has ended: ${code ?? signal}` })
    served.reject(new Error(faults.map(({ line }) => line).join('\n')))
  })
  createInterface(child.stdout).on('line', (line) => {
    const entry = JSON.parse(line)
    if (entry.stores) served.resolve(entry)
    // What was stopped for its time is judged by its answer.
    else if (entry.level >= 50 && !line.includes('"code":"TIMEOUT"')) faults.push({ id: entry.requestId ?? null, line })
  })
  createInterface(child.stderr).on('line', (line) => faults.push({ id: null, line }))
  const { url, stores, key } = await served.promise
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })

  const [first, second] = stores
  if (!first || !second) throw new Error('Expected two stores.')
  const basic = ({ login, authtoken }: Served['stores'][number]) => ({
    authorization: `Basic ${Buffer.from(`${login}:${authtoken}`).toString('base64')}`,
  })
  const tokens = new Map<string, Promise<{ readonly token: string; readonly until: number }>>()
  let people = 0
  const credentials = {
    nobody: async () => ({}),
    store: async () => basic(first),
    'other store': async () => basic(second),
    key: async () => ({ 'x-api-key': key }),
    user: async () => ({ authorization: `Bearer ${await tokenOf('user')}` }),
    all: async () => ({
      authorization: `Bearer ${await tokenOf('user')}`,
      'x-login-key': first.login,
      'x-auth-token': first.authtoken,
      'x-api-key': key,
    }),
  }

  const refused: string[] = []
  for (const as of ['store', 'other store'] as const) {
    for (const { method, path, body } of STOCK) {
      const headers = { 'content-type': 'application/json', ...(await credentials[as]()) }
      const { status, text } = await exchange(method, path, headers, JSON.stringify(body), 'stock')
      // Ids in it are the first store's.
      if (status >= 300 && as === 'store') refused.push(`${method} ${path} ${status} ${text}`)
    }
  }
  if (refused.length > 0) throw new Error(`Expected to fill the store, got:\n${refused.join('\n')}`)

  return {
    async ask({ as, ...body }, id) {
      const headers = { 'content-type': 'application/json', ...(await credentials[as]()) }
      return exchange('POST', '/graphql', headers, wireText(body), id)
    },
    async send({ as, method, path, headers, body, text }, id) {
      const content = text ?? (body === undefined ? undefined : wireText(body))
      const type = content === undefined ? {} : { 'content-type': 'application/json' }
      return exchange(method, path, { ...type, ...(await credentials[as]()), ...headers }, content, id)
    },
    faults: () => faults,
    async stop() {
      agent.destroy()
      child.removeAllListeners('exit')
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await gone
    },
  }

  /** A token that has some time left: those who ask with it may sign out. */
  async function tokenOf(who: string): Promise<string> {
    const known = await tokens.get(who)
    if (known && known.until > Date.now()) return known.token
    const made = signUp(`${who}${people++}@fuzz.example`)
    tokens.set(who, made)
    return (await made).token
  }

  async function signUp(email: string): Promise<{ readonly token: string; readonly until: number }> {
    const password = 'correct horse battery staple'
    const query = `mutation ($email: String!, $password: String!) {
      createUser(input: { email: $email, name: "Somebody", password: $password }) { user { id } }
      login(email: $email, password: $password) { ... on LoginSuccess { token } }
    }`
    const body = JSON.stringify({ query, variables: { email, password } })
    const { text } = await exchange('POST', '/graphql', { 'content-type': 'application/json' }, body, 'sign-up')
    const token: unknown = JSON.parse(text).data?.login?.token
    if (typeof token !== 'string') throw new Error(`Expected to be signed in, got ${text}`)
    return { token, until: Date.now() + SIGNED_IN_FOR }
  }

  function exchange(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
    id: string,
  ): Promise<Reply> {
    // Limits count addresses: each request comes from another one.
    const address = `10.${[0, 0, 0].map(() => Math.floor(Math.random() * 256)).join('.')}`
    return new Promise((resolve, reject) => {
      const outgoing = request(
        url + path,
        {
          agent,
          method,
          headers: { 'x-forwarded-for': address, 'x-request-id': id, ...headers, ...lengthOf(body) },
          signal: AbortSignal.timeout(TIMEOUT_MS),
        },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            const bytes = Buffer.concat(chunks)
            const unpack = CODINGS[response.headers['content-encoding'] ?? '']
            const text = String(unpack && bytes.length > 0 ? unpack(bytes) : bytes)
            resolve({ status: response.statusCode ?? 0, headers: response.headers as Reply['headers'], text })
          })
        },
      )
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  }
}

const CODINGS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
  deflate: inflateSync,
}

const lengthOf = (body: string | undefined) => (body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) })
