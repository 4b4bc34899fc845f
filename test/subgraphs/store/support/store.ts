import { type ExecutionResult, graphql } from 'graphql'
import type { JWTVerifyGetKey } from 'jose'
import pino from 'pino'
import { type Database, openDatabase } from '../../../../platform/database/database.ts'
import type { Caller } from '../../../../platform/http/caller.ts'
import type { MailServer } from '../../../../platform/mail/variables.ts'
import { PLAIN_SECRETS } from '../../../../platform/secrets/cipher.ts'
import type { JobClock } from '../../../../subgraphs/store/job-queue.ts'
import type { PaymentNetwork } from '../../../../subgraphs/store/payment/gateway.ts'
import { DEFAULT_STORE_QUOTAS, type StoreQuotas } from '../../../../subgraphs/store/quota/quota.ts'
import type { ShippingNetwork } from '../../../../subgraphs/store/shipping-method/service.ts'
import { paidByOperator, setUpStore } from '../../../../subgraphs/store/store/set-up.ts'
import { type StoreSubgraph, storeSubgraph } from '../../../../subgraphs/store/subgraph.ts'
import type { Tables } from '../../../../subgraphs/store/tables.ts'
import type { SessionCheck } from '../../../../subgraphs/toolkit/user-token.ts'
import type { WebhookNetwork } from '../../../../subgraphs/toolkit/webhook-sender.ts'
import { type FreshDatabase, freshDatabase } from '../../../support/database.ts'
import { temporaryFiles } from '../../../support/files.ts'

/** A store that a test set up; `caller` has its authtoken. */
export type TestStore = {
  readonly storeId: number
  readonly code: string
  readonly login: string
  readonly authtoken: string
  readonly caller: Caller
}

export const ANONYMOUS: Caller = { requestId: 'test', address: '127.0.0.1', credentials: {} }

export const PUBLIC_URL = 'https://atrium.example'

/**
 * The answer as a client sees it: no prototypes, nothing undefined. Fields are what the test says
 * they are.
 */
export type Answered = {
  // biome-ignore lint/suspicious/noExplicitAny: every test asks for something else
  data: any
  errors?: { message: string; path?: unknown[]; extensions: Record<string, unknown> }[]
}

export type StoreStack = {
  readonly subgraph: StoreSubgraph
  readonly database: FreshDatabase
  readonly files: Awaited<ReturnType<typeof temporaryFiles>>
  /** SQL in the schema `store`, for what no operation can arrange or show. */
  readonly sql: (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>
  /** Asks as a caller, or as the owner of a store. */
  readonly ask: (who: TestStore | Caller, query: string, variables?: Record<string, unknown>) => Promise<Answered>
  readonly aStore: (store?: { name?: string; country?: string; isPaid?: boolean }) => Promise<TestStore>
  readonly close: () => Promise<void>
}

/** A caller with an authtoken. */
export const withToken = (login: string, authtoken: string): Caller => ({
  ...ANONYMOUS,
  credentials: { authorization: `Basic ${Buffer.from(`${login}:${authtoken}`).toString('base64')}` },
})

/** What only tests can choose of webhooks: who may be reached, and the clock of jobs. */
export type WebhookOptions = { readonly webhookNetwork?: WebhookNetwork; readonly jobClock?: JobClock }

/** Sets up stores in a database of that subgraph. */
export function setterUp(query: Database<Tables>['query'], now: () => Date = () => new Date()): StoreStack['aStore'] {
  return async ({ name = 'Test shop', country = 'PT', isPaid = true } = {}) => {
    const at = now()
    const paidSince = isPaid ? paidByOperator(at) : null
    const wanted = { name, country, theme: null, paidSince, createdBy: null, at }
    const made = await query.transaction().execute((transaction) => setUpStore(transaction, wanted, PLAIN_SECRETS))
    return { ...made, caller: withToken(made.login, made.authtoken) }
  }
}

/**
 * The real subgraph over a database of its own. `now` moves its clock; without `userKeys` no user
 * is known.
 */
export async function startStore(
  now: () => Date = () => new Date(),
  {
    shippingNetwork,
    paymentNetwork,
    userKeys,
    isSessionOpen,
    webhooks = {},
    mailServer = null,
    publicUrl = PUBLIC_URL,
    log = pino({ level: 'silent' }),
    quotas = DEFAULT_STORE_QUOTAS,
  }: {
    readonly shippingNetwork?: ShippingNetwork | undefined
    readonly paymentNetwork?: PaymentNetwork | undefined
    readonly userKeys?: JWTVerifyGetKey | undefined
    readonly isSessionOpen?: SessionCheck | undefined
    readonly webhooks?: WebhookOptions | undefined
    readonly mailServer?: MailServer | null
    readonly publicUrl?: string
    readonly log?: pino.Logger
    readonly quotas?: StoreQuotas
  } = {},
): Promise<StoreStack> {
  const database = await freshDatabase()
  const { connection } = database
  const { pool, ...own } = openDatabase<Tables>(connection, { schema: 'store', max: 2, onError: () => {} })
  const files = await temporaryFiles(publicUrl)
  const subgraph = await storeSubgraph({
    connection,
    publicUrl,
    ...(userKeys && { userKeys }),
    ...(isSessionOpen && { isSessionOpen }),
    files,
    log,
    now,
    quotas,
    mailServer,
    ...(shippingNetwork && { shippingNetwork }),
    ...(paymentNetwork && { paymentNetwork }),
    ...webhooks,
  })

  return {
    subgraph,
    database,
    files,
    sql: async (text, values) => (await pool.query(text, values)).rows,
    ask: async (who, source, variableValues = {}) => {
      const caller = 'caller' in who ? who.caller : who
      const answer: ExecutionResult = await graphql({
        schema: subgraph.schema,
        source,
        variableValues,
        contextValue: subgraph.context(caller),
      })
      return JSON.parse(JSON.stringify(answer))
    },
    aStore: setterUp(own.query, now),
    close: async () => {
      await subgraph.close()
      await own.close()
      await database.drop()
    },
  }
}
