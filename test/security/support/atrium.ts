import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type Connection, openDatabase } from '../../../platform/database/database.ts'
import { localUrl } from '../../../platform/http/listen.ts'
import type { Tables as StoreTables } from '../../../subgraphs/store/tables.ts'
import { keyRepository } from '../../../subgraphs/trust/key/repository.ts'
import { newSecret } from '../../../subgraphs/trust/key/secret.ts'
import type { Tables as TrustTables } from '../../../subgraphs/trust/tables.ts'
import { setterUp, type TestStore } from '../../subgraphs/store/support/store.ts'
import { freshDatabase } from '../../support/database.ts'
import { startMain } from '../../support/program.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
export type Data = any

export const OPERATIONS_TOKEN = 'operations-password-of-this-test'

export type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  /** As they came, one line each. */
  readonly rawHeaders: readonly string[]
  readonly text: string
  readonly json: Data
}

export type RequestOptions = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; a text as it is. */
  readonly body?: unknown
  /**
   * The address of this machine that it comes from, to be somebody else to limits: 127.0.0.1 when
   * absent.
   */
  readonly from?: string
}

/** `main.ts` in a process of its own, over a database of its own, with every door open. */
export type Atrium = {
  readonly base: string
  readonly port: number
  readonly connection: Connection
  readonly ask: (path: string, options?: RequestOptions) => Promise<Reply>
  readonly graph: (
    query: string,
    variables?: object,
    options?: RequestOptions,
  ) => Promise<{ data: Data; errors?: Data[] } & Pick<Reply, 'status' | 'headers'>>
  /**
   * Sends bytes as they are; resolves with all that came back when the server ended the connection
   * or has been silent for a second. For its first byte it has `patience` milliseconds.
   */
  readonly raw: (text: string, timeoutMs?: number) => Promise<string>
  /** Everything that it wrote to standard output and standard error. */
  readonly log: () => string
  readonly sql: (text: string, values?: unknown[]) => Promise<Record<string, Data>[]>
  readonly aStore: (name?: string) => Promise<TestStore>
  readonly aKey: (plan?: 'free' | 'unlimited') => Promise<string>
  /** Signs somebody up and in. */
  readonly aUser: (
    name: string,
  ) => Promise<{ readonly id: string; readonly token: string; readonly refreshToken: string; readonly password: string }>
  readonly stop: () => Promise<void>
}

export const basic = ({ login, authtoken }: Pick<TestStore, 'login' | 'authtoken'>): { readonly authorization: string } => ({
  authorization: `Basic ${Buffer.from(`${login}:${authtoken}`).toString('base64')}`,
})

export async function startAtrium(settings: Readonly<Record<string, string>> = {}): Promise<Atrium> {
  const database = await freshDatabase()
  const { connectionString } = database.connection as { connectionString: string }
  const stores = openDatabase<StoreTables>(database.connection, { schema: 'store', max: 1, onError: () => {} })
  // Where there is a store, no demo is made beside the tests.
  await setterUp(stores.query)({ name: 'Before all' })
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-security-'))
  const { port, said, kill } = await startMain({
    PATH: process.env.PATH,
    DATABASE_URL: connectionString,
    DATA_DIR: dataDir,
    OPERATIONS_TOKEN,
    // Nothing outside of this machine is asked.
    TRUST_LISTS: 'none',
    TRUST_DNS_SERVERS: '127.0.0.1:9',
    ...settings,
  })
  const base = localUrl('127.0.0.1', port)
  const pool = new pg.Pool({ connectionString, max: 2 })
  pool.on('error', () => {})
  const trust = openDatabase<TrustTables>(database.connection, { schema: 'trust', max: 1, onError: () => {} })

  const ask: Atrium['ask'] = (path, { method, headers = {}, body, from } = {}) =>
    new Promise((resolve, reject) => {
      const content = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
      const outgoing = request(
        {
          host: '127.0.0.1',
          port,
          path,
          method: method ?? (body === undefined ? 'GET' : 'POST'),
          ...(from !== undefined && { localAddress: from }),
          headers: {
            ...(content !== undefined && {
              'content-type': 'application/json',
              'content-length': String(Buffer.byteLength(content)),
            }),
            ...headers,
          },
        },
        (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => {
            text += chunk
          })
          response.on('error', reject)
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers as Reply['headers'],
              rawHeaders: response.rawHeaders,
              text,
              get json() {
                return JSON.parse(text)
              },
            }),
          )
        },
      )
      outgoing.on('error', reject)
      outgoing.end(content)
    })
  const graph: Atrium['graph'] = async (query, variables = {}, options = {}) => {
    const reply = await ask('/graphql', { ...options, method: 'POST', body: { query, variables } })
    return { ...reply.json, status: reply.status, headers: reply.headers }
  }

  return {
    base,
    port,
    connection: database.connection,
    ask,
    graph,
    raw: (text, timeoutMs = 15_000) =>
      new Promise((resolve, reject) => {
        let answer = ''
        const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'))
        socket.setEncoding('latin1').setTimeout(timeoutMs, () => socket.destroy())
        socket.on('data', (chunk) => {
          answer += chunk
          socket.setTimeout(1_000)
        })
        socket.on('error', reject)
        socket.on('close', () => resolve(answer))
      }),
    log: said,
    sql: async (text, values) => (await pool.query(text, values)).rows,
    aStore: (name = 'A shop') => setterUp(stores.query)({ name }),
    async aKey(plan = 'unlimited') {
      const secret = newSecret()
      await keyRepository(trust.query).create({ name: 'test', plan, secret, at: new Date() })
      return secret.text
    },
    async aUser(name) {
      const [email, password] = [`${name}@example.org`, `the long password of ${name}`]
      const { data } = await graph(
        `mutation ($email: String!, $name: String!, $password: String!) {
          createUser(input: { email: $email, name: $name, password: $password }) { user { id } }
          login(email: $email, password: $password) { ... on LoginSuccess { token refreshToken } }
        }`,
        { email, name, password },
      )
      return { id: data.createUser.user.id, ...data.login, password }
    },
    async stop() {
      await kill()
      await pool.end()
      await stores.close()
      await trust.close()
      await database.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
