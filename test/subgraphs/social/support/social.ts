import { randomUUID } from 'node:crypto'
import { type ExecutionResult, graphql } from 'graphql'
import pino from 'pino'
import { openDatabase } from '../../../../platform/database/database.ts'
import type { Subgraph } from '../../../../platform/graphql/subgraph.ts'
import type { Caller } from '../../../../platform/http/caller.ts'
import { PLAIN_SECRETS } from '../../../../platform/secrets/cipher.ts'
import { DEFAULT_WRITE_QUOTAS, type WriteQuotas } from '../../../../subgraphs/social/quota/quota.ts'
import { keyRepository } from '../../../../subgraphs/social/session/key-repository.ts'
import { keyRing } from '../../../../subgraphs/social/session/key-ring.ts'
import { signToken } from '../../../../subgraphs/social/session/token.ts'
import { socialSubgraph } from '../../../../subgraphs/social/subgraph.ts'
import type { Tables } from '../../../../subgraphs/social/tables.ts'
import { emailKey, nameKey, type Role } from '../../../../subgraphs/social/user/user.ts'
import { encodeId } from '../../../../subgraphs/toolkit/ids.ts'
import { type FreshDatabase, freshDatabase } from '../../../support/database.ts'

/**
 * A user that a test made: `id` is what clients see, `row` is what tables hold, `caller` is signed
 * in.
 */
export type TestUser = { readonly id: string; readonly row: string; readonly email: string; readonly caller: Caller }

export const ANONYMOUS: Caller = { requestId: 'test', address: '127.0.0.1', credentials: {} }

/** The answer as a client sees it: no prototypes, nothing undefined. */
export type Answered = {
  data?: Record<string, unknown> | null
  errors?: { message: string; path?: unknown[]; extensions: Record<string, unknown> }[]
}

export type Social = {
  readonly subgraph: Subgraph
  readonly database: FreshDatabase
  /** SQL in the schema `social`, for what no operation can arrange. */
  readonly sql: (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>
  readonly ask: (query: string, variables?: Record<string, unknown>, caller?: Caller) => Promise<Answered>
  readonly aUser: (user?: { name?: string; email?: string; role?: Role; phoneNumber?: string | null }) => Promise<TestUser>
  /** Makes these users members of a room that they are invited into. */
  readonly join: (room: string, users: readonly (TestUser | undefined)[]) => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * The real subgraph over a database of its own. `now` moves its clock, but not that of the
 * database.
 */
export async function startSocial(
  now: () => Date = () => new Date(),
  quotas: WriteQuotas = DEFAULT_WRITE_QUOTAS,
): Promise<Social> {
  const database = await freshDatabase()
  const { connection } = database
  const { pool, ...own } = openDatabase<Tables>(connection, { schema: 'social', max: 2, onError: () => {} })
  const keys = keyRing(keyRepository(own.query, PLAIN_SECRETS))
  const subgraph = await socialSubgraph({ connection, log: pino({ level: 'silent' }), now, quotas })
  let users = 0

  return {
    subgraph,
    database,
    sql: async (text, values) => (await pool.query(text, values)).rows,
    ask: async (source, variableValues = {}, caller = ANONYMOUS) => {
      const answer: ExecutionResult = await graphql({
        schema: subgraph.schema,
        source,
        variableValues,
        contextValue: subgraph.context(caller),
      })
      return JSON.parse(JSON.stringify(answer))
    },
    async aUser({ name = `User ${++users}`, email = `user${++users}@example.org`, role = 'USER', phoneNumber = null } = {}) {
      const { rows } = await pool.query(
        'INSERT INTO "user" (email, email_key, name, name_key, role, phone_number) VALUES ($1, $2, $3, $4, $5, $6) RETURNING id',
        [email, emailKey(email), name, nameKey(name), role, phoneNumber],
      )
      const row: string = rows[0].id
      const sessionId = randomUUID()
      const at = now()
      await pool.query('INSERT INTO session (id, user_id, created_at, expires_at) VALUES ($1, $2, $3, $4)', [
        sessionId,
        row,
        at,
        new Date(at.getTime() + 86_400_000),
      ])
      const { token } = await signToken({ userId: row, sessionId, signedInAt: null }, keys, at)
      const credentials = { authorization: `Bearer ${token}` }
      return { id: encodeId('User', row), row, email, caller: { ...ANONYMOUS, credentials } }
    },
    async join(room, users) {
      for (const user of users) {
        const accept = 'mutation ($room: ID!) { r: acceptRoomInvitation(roomId: $room) { __typename } }'
        const contextValue = subgraph.context(user?.caller ?? ANONYMOUS)
        const { data } = await graphql({ schema: subgraph.schema, source: accept, variableValues: { room }, contextValue })
        const answer = (data?.r as { __typename: string } | undefined)?.__typename
        if (answer !== 'AcceptRoomInvitationSuccess') throw new Error(`Expected ${user?.email} to be invited.`)
      }
    },
    close: async () => {
      await subgraph.close()
      await own.close()
      await database.drop()
    },
  }
}
