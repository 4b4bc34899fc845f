import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { runAtrium, runProcess } from '../../support/command-line.ts'
import { type FreshDatabase, freshDatabase } from '../../support/database.ts'
import { COMPILED, startMain } from '../../support/program.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
type Data = any

/**
 * A database and a folder that several processes and commands use, one after the other or at the
 * same time.
 */
export type Installation = {
  readonly database: FreshDatabase
  readonly folder: string
  readonly sql: (text: string, values?: unknown[]) => Promise<Record<string, Data>[]>
  /** Runs `npx atrium …` to its end. */
  readonly command: (
    words: readonly string[],
    env?: NodeJS.ProcessEnv,
    input?: string,
  ) => Promise<{ readonly out: string; readonly err: string; readonly code: number | null }>
  /** Starts `main.ts`; it is ended with the installation, or by `kill`. */
  readonly start: (env?: NodeJS.ProcessEnv) => Promise<Copy>
  readonly end: () => Promise<void>
}

/** A process of Atrium. */
export type Copy = {
  readonly base: string
  readonly said: () => string
  readonly kill: () => Promise<void>
  readonly graph: (query: string, variables?: object, headers?: Record<string, string>) => Promise<Data>
}

/** `hasStore` false: the first process sets up a demo store. */
export async function installation({ hasStore = true } = {}): Promise<Installation> {
  const database = await freshDatabase({ hasStore })
  const { connectionString } = database.connection as { connectionString: string }
  const folder = mkdtempSync(join(tmpdir(), 'atrium-secrets-'))
  const pool = new pg.Pool({ connectionString, max: 2 })
  pool.on('error', () => {})
  const running = new Set<() => Promise<void>>()
  const environment = {
    ...COMPILED,
    PATH: process.env.PATH,
    DATABASE_URL: connectionString,
    DATA_DIR: folder,
    TRUST_LISTS: 'none',
    TRUST_DNS_SERVERS: '127.0.0.1:9',
    WEBHOOK_PRIVATE_NETWORKS: '127.0.0.0/8',
  }

  return {
    database,
    folder,
    sql: async (statement, values) => (await pool.query(statement, values)).rows,
    command(words, env = {}, input) {
      const surroundings = { ...environment, LOG_LEVEL: 'silent', ...env }
      return input === undefined ? runAtrium(words, surroundings) : runProcess(words, surroundings, input)
    },
    async start(env = {}) {
      const { base, said, kill } = await startMain({ ...environment, ...env })
      const end = async (): Promise<void> => {
        if (running.delete(end)) await kill()
      }
      running.add(end)
      return {
        base,
        said,
        kill: end,
        async graph(query, variables = {}, headers = {}) {
          const answer = await fetch(`${base}/graphql`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...headers },
            body: JSON.stringify({ query, variables }),
          })
          return answer.json()
        },
      }
    },
    async end() {
      await Promise.all([...running].map((end) => end()))
      await pool.end()
      await database.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
