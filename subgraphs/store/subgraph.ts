import type { JWTVerifyGetKey } from 'jose'
import type { Logger } from 'pino'
import { once } from '../../platform/collections/once.ts'
import { type Connection, type Database, openDatabase, type ReplicaOptions } from '../../platform/database/database.ts'
import { eventFeed } from '../../platform/events/event-feed.ts'
import type { Subgraph } from '../../platform/graphql/subgraph.ts'
import { joinedRoutes } from '../../platform/http/subgraph-routes.ts'
import { createMailer } from '../../platform/mail/mailer.ts'
import type { MailServer } from '../../platform/mail/variables.ts'
import { addressRateLimit } from '../../platform/rate-limit/address-rate-limit.ts'
import { localRateLimitStore, type RateLimitStore } from '../../platform/rate-limit/rate-limit-store.ts'
import { PLAIN_SECRETS, type SecretCipher } from '../../platform/secrets/cipher.ts'
import { subgraphSchema } from '../toolkit/subgraph-schema.ts'
import { userAuthenticator } from '../toolkit/user-authenticator.ts'
import { publishedKeys, remoteSessionCheck, type SessionCheck } from '../toolkit/user-token.ts'
import { type WebhookNetwork, webhookSender } from '../toolkit/webhook-sender.ts'
import { accessJudge, type BanLookup } from './access/access.ts'
import { guardSchema } from './access/guard.ts'
import { internalCallers } from './access/internal-callers.ts'
import { accessRepository } from './access/repository.ts'
import { purgeAuditEntries } from './audit-entry/purge.ts'
import { DEFAULT_AUDIT_DAYS } from './audit-entry/variables.ts'
import { type CheckoutJobDeps, checkoutJobs, runCheckoutJobs } from './checkout/jobs.ts'
import { orderConfirmation } from './checkout/order-confirmation.ts'
import { type CheckoutTimes, DEFAULT_CHECKOUT_TIMES } from './checkout/variables.ts'
import { contextOf, type Parts } from './context.ts'
import { accountLimits } from './customer-account/limits.ts'
import { customerLinkMail, customerPasswordMail } from './customer-account/link-mail.ts'
import type { Files } from './file/files.ts'
import { sweepFiles } from './file/sweep.ts'
import { CODES_PER_MINUTE } from './gift-card/gift-card.ts'
import { type JobClock, type JobQueues, startJobQueues } from './job-queue.ts'
import { lowStockMail } from './low-stock-alert/alert-mail.ts'
import { type LowStockJobDeps, lowStockJobs, runLowStockJobs } from './low-stock-alert/jobs.ts'
import { type MailJobs, mailJobs } from './mail/jobs.ts'
import { mailLimits } from './mail/limits.ts'
import { sendMail } from './mail/send.ts'
import { startProtocol } from './oauth/protocol.ts'
import { oauthRepository } from './oauth/repository.ts'
import { oauthEndpoint } from './oauth/routes.ts'
import { returnMail } from './order-return/return-mail.ts'
import type { PaymentNetwork } from './payment/gateway.ts'
import { paymentGateways } from './payment/gateways.ts'
import { paymentRepository } from './payment/repository.ts'
import { paymentEndpoint } from './payment/routes.ts'
import type { PaymentDeps } from './payment/run.ts'
import { DEFAULT_STORE_QUOTAS, type StoreQuotas } from './quota/quota.ts'
import { storeRepositories } from './repositories.ts'
import { resolvers } from './resolvers.ts'
import { type ShippingNetwork, shippingServices } from './shipping-method/service.ts'
import { shopRepository } from './shop/repository.ts'
import { staffInvitationMail } from './staff-member/invitation-mail.ts'
import { sweepInvitations } from './staff-member/sweep.ts'
import { runStoreImports, type StoreImportDeps, storeImportJobs } from './store-import/worker.ts'
import type { Tables } from './tables.ts'
import { type Bodies, deliver } from './webhook-delivery/deliver.ts'
import { deliveryJobs } from './webhook-delivery/jobs.ts'
import { deliveryPlan } from './webhook-delivery/plan.ts'
import { purgeDeliveries } from './webhook-delivery/purge.ts'
import { write } from './write.ts'

/** The same for all subgraphs of a process: options are in contexts. */
const executableSchema = once(() => guardSchema(subgraphSchema('store', resolvers)))

/** The subgraph, and its part that speaks to the outside by itself. */
export type StoreSubgraph = Subgraph & {
  /**
   * Delivers webhooks from this process until the returned function is called; other processes may
   * do so at the same time. `bodies` renders what is sent.
   */
  readonly deliverWebhooks: (bodies: Bodies) => Promise<() => Promise<void>>
  /** Sends e-mails from this process until the returned function is called; several may. */
  readonly deliverMail: () => Promise<() => Promise<void>>
  /** Looks through carts and unpaid orders once, as this process does every minute. */
  readonly runCheckoutJobs: () => Promise<void>
  /** Requests the e-mails about low stock that are due, as this process does every minute. */
  readonly runLowStockJobs: () => Promise<void>
  /** Runs the imports that are due, as this process does every two seconds. */
  readonly runStoreImports: () => Promise<void>
}

/** Dependencies of the subgraph; absent ones have the default of their line. */
type StoreOptions = {
  readonly connection: Connection
  /** A pooler in transaction mode, for everything but LISTEN; absent: none. */
  readonly pooler?: Connection | undefined
  /** Answers queries that may be a second old; absent: the database does. */
  readonly replica?: ReplicaOptions | undefined
  /** A Redis that relays events between copies; absent: each copy reads the database. */
  readonly relayUrl?: string | undefined
  /** Where clients reach this installation, without a slash at the end. */
  readonly publicUrl: string
  /** What the tokens of users are checked by; fetched from `publicUrl` when absent. */
  readonly userKeys?: JWTVerifyGetKey
  /** Whether the session of a user's token is open; absent: checked over HTTP at `publicUrl`. */
  readonly isSessionOpen?: SessionCheck
  /** The bytes of pictures, attachments and digital goods; closed with the subgraph. */
  readonly files: Files
  readonly log: Logger
  /** The time by which everything is dated and judged. */
  readonly now?: () => Date
  /** Where limits of addresses are counted; absent: here. */
  readonly rateLimits?: RateLimitStore
  /** Which addresses the REST API has banned; absent: none. */
  readonly banEndsIn?: BanLookup | undefined
  /** What stored secrets are encrypted with; absent: nothing, which is for development. */
  readonly secrets?: SecretCipher
  /** What each store may have and add. */
  readonly quotas?: StoreQuotas
  /** How long carts and unpaid orders wait. */
  readonly checkoutTimes?: CheckoutTimes
  /** How long the audit logs of stores keep their entries. Days. */
  readonly auditDays?: number
  /** Server that e-mails are handed to; absent or null: none is sent. */
  readonly mailServer?: MailServer | null
  readonly shippingNetwork?: ShippingNetwork
  readonly paymentNetwork?: PaymentNetwork
  readonly webhookNetwork?: WebhookNetwork
  readonly jobClock?: JobClock
}

/**
 * As long as an operation may take. Mutations are not cancelled when their client leaves, so
 * nothing else ends one that waits for a lock.
 */
const STATEMENT_TIMEOUT_MS = 10_000

/** New carts of one address: a shop front of many shoppers may stand behind one. */
const CARTS_PER_MINUTE = 600

/**
 * Shops: their catalogues, stock, customers and orders. Rejects when the database cannot be read.
 */
export async function storeSubgraph({
  connection,
  pooler,
  replica,
  relayUrl,
  publicUrl,
  userKeys = publishedKeys(publicUrl),
  isSessionOpen = remoteSessionCheck(publicUrl),
  files,
  log,
  now = () => new Date(),
  rateLimits = localRateLimitStore(now),
  banEndsIn,
  secrets = PLAIN_SECRETS,
  quotas = DEFAULT_STORE_QUOTAS,
  checkoutTimes = DEFAULT_CHECKOUT_TIMES,
  auditDays = DEFAULT_AUDIT_DAYS,
  mailServer = null,
  shippingNetwork,
  paymentNetwork,
  webhookNetwork,
  jobClock,
}: StoreOptions): Promise<StoreSubgraph> {
  // Not the error itself: pg hangs the whole client on it.
  const onError = ({ message }: Error) => log.warn({ reason: message }, 'a connection to the database broke')
  const options = { schema: 'store', statementTimeoutMs: STATEMENT_TIMEOUT_MS, replica, pooler, onError }
  const database = openDatabase<Tables>(connection, options)
  const repositories = storeRepositories(database, quotas)
  const oauth = oauthRepository(database.query)
  const base = publicUrl.replace(/\/+$/, '')
  let starting: ReturnType<typeof startProtocol> | null = null
  // Its library takes a good part of a second to load, and most starts need it never.
  const protocol = () => (starting ??= startProtocol({ oauth, apps: repositories.apps, publicUrl: base, log, now }))
  const [events, queues] = await Promise.all([
    eventFeed({ connection, pooler, relayUrl, schema: 'store', log }),
    startJobQueues(connection, { log, pooler, ...(jobClock && { clock: jobClock }) }),
  ])
  const [jobs, mail] = await Promise.all([deliveryJobs(queues), mailServer && mailJobs(queues)])
  const refusals = addressRateLimit('wrong credentials', 60, rateLimits)
  const authenticateUser = userAuthenticator(userKeys, isSessionOpen, now)
  const inside = internalCallers(accessJudge(accessRepository(database.now), authenticateUser, refusals, now, banEndsIn))
  const sender = webhookSender(webhookNetwork)
  const plan = deliveryPlan(jobs)
  const paymentDeps = paymentDepsOf(database, paymentGateways(now, paymentNetwork), { plan, secrets, publicUrl: base, log, now })
  const parts: Parts = {
    ...repositories,
    database: database.query,
    judge: inside.judge,
    authenticateUser,
    limitAccounts: accountLimits(rateLimits),
    mailLimits: mailLimits(rateLimits, log),
    limitCarts: addressRateLimit('carts', CARTS_PER_MINUTE, rateLimits),
    limitGiftCardCodes: addressRateLimit('gift card codes', CODES_PER_MINUTE, rateLimits),
    checkoutTimes,
    payments: paymentDeps.payments,
    paymentDeps,
    protocol,
    files,
    shippingServices: shippingServices(shippingNetwork),
    webhooks: { plan, refusal: sender.refusal },
    mail,
    events,
    secrets,
    publicUrl,
    log,
    now,
  }
  const sweeping = sweepsOf(parts, auditDays)
  const [checkouts, lowStock, imports] = [checkoutsOf(parts), lowStockOf(parts), importsOf(parts, { database, quotas })]

  return {
    name: 'store',
    schema: executableSchema(),
    context: (caller) => contextOf(parts, caller),
    ...database.replicaHooks,
    runStoreImports: imports.run,
    runLowStockJobs: lowStock.run,
    runCheckoutJobs: checkouts.run,
    httpRoutes: joinedRoutes([
      oauthEndpoint({ protocol, oauth, publicUrl: base, rateLimits, now }),
      paymentEndpoint(paymentDeps, rateLimits),
    ]),
    ready: () => parts.stores.findByIds([0]),
    listeners: parts.events.listeners,
    deliverWebhooks: (bodies) =>
      deliver({ database: database.query, jobs, plan, sender, internalCallers: inside, secrets, log, now, bodies }),
    deliverMail: () => deliverMail(mail, mailServer, { database, quotas, publicUrl: base, log, now }),
    jobs: () => countedJobs(queues, { log, now }),
    close: async () => {
      await Promise.all([...sweeping, checkouts, imports, lowStock].map((job) => job.stop()))
      await queues.close()
      await sender.close()
      await parts.shippingServices.close()
      await paymentDeps.gateways.close()
      await parts.events.close()
      await database.close()
      await files.close()
    },
  }
}

/** Deletions of what is too old, or of no use. */
const sweepsOf = ({ files, fileRecords, webhookDeliveries, staffMembers, auditEntries, log, now }: Parts, auditDays: number) => [
  sweepFiles({ files, repository: fileRecords }, { log, now }),
  purgeDeliveries(webhookDeliveries, { log, now }),
  sweepInvitations(staffMembers, { log, now }),
  purgeAuditEntries(auditEntries, { days: auditDays, log, now }),
]

/** Imports of files, which this process runs until they are stopped. */
function importsOf(
  parts: Parts,
  { database, quotas }: { readonly database: Pick<Database<Tables>, 'now'>; readonly quotas: StoreQuotas },
) {
  const { files, paymentDeps, log, now } = parts
  const { writeStore } = paymentDeps
  const deps: StoreImportDeps = { database: database.now, quotas, publicUrl: files.publicUrl, writeStore, log, now }
  const { stop } = storeImportJobs(deps)
  return { run: () => runStoreImports(deps, new AbortController().signal), stop }
}

function checkoutsOf(parts: Parts) {
  const deps = checkoutJobDepsOf(parts)
  const { stop } = checkoutJobs(deps, parts.log)
  return { run: () => runCheckoutJobs(deps, new AbortController().signal), stop }
}

function lowStockOf(parts: Parts) {
  const deps: LowStockJobDeps = { ...parts, writeStore: parts.paymentDeps.writeStore }
  const { stop } = lowStockJobs(deps)
  return { run: () => runLowStockJobs(deps, new AbortController().signal), stop }
}

/** Job counts of every queue; none when they are unknown. */
const countedJobs = ({ queues }: JobQueues, { log, now }: { readonly log: Logger; readonly now: () => Date }) =>
  queues(now()).catch(({ message }: Error) => {
    log.warn({ reason: message }, 'jobs could not be counted')
    return []
  })

/** Sends e-mails where there is a server for them. */
async function deliverMail(
  jobs: MailJobs | null,
  server: MailServer | null,
  {
    database: { now: current },
    quotas,
    publicUrl,
    log,
    now,
  }: {
    readonly database: Pick<Database<Tables>, 'now'>
    readonly quotas: StoreQuotas
    readonly publicUrl: string
    readonly log: Logger
    readonly now: () => Date
  },
): Promise<() => Promise<void>> {
  if (jobs === null || server === null) return async () => {}
  // What another process just wrote must be read.
  const repositories = storeRepositories({ query: current, now: current }, quotas)
  const templates = {
    'order-confirmation': orderConfirmation(repositories, publicUrl),
    'customer-link': customerLinkMail({ ...repositories, publicUrl, now }),
    'customer-password': customerPasswordMail({ ...repositories, publicUrl }),
    'staff-invitation': staffInvitationMail({ ...repositories, publicUrl, now }),
    'return-requested': returnMail('return-requested', { ...repositories, publicUrl }),
    'return-approved': returnMail('return-approved', { ...repositories, publicUrl }),
    'return-declined': returnMail('return-declined', { ...repositories, publicUrl }),
    'return-refunded': returnMail('return-refunded', { ...repositories, publicUrl }),
    'return-exchanged': returnMail('return-exchanged', { ...repositories, publicUrl }),
    'low-stock': lowStockMail({ ...repositories, publicUrl }),
  }
  return sendMail({ jobs, mailer: createMailer(server), templates, log })
}

/** Dependencies of requests to payment gateways; writes without a caller. */
function paymentDepsOf(
  { query, now: current }: Pick<Database<Tables>, 'query' | 'now'>,
  gateways: PaymentDeps['gateways'],
  {
    plan,
    secrets,
    publicUrl,
    log,
    now,
  }: Pick<PaymentDeps, 'secrets' | 'publicUrl' | 'log' | 'now'> & { readonly plan: ReturnType<typeof deliveryPlan> },
): PaymentDeps {
  return {
    // What another process just wrote must be read.
    payments: paymentRepository(current),
    linkOf: shopRepository(current).linkOf,
    gateways,
    secrets,
    publicUrl,
    log,
    now,
    writeStore: (storeId, change) =>
      write(
        query,
        { storeId, now: now(), announce: plan.announce, secrets, by: null },
        { name: 'store job', input: null, key: null },
        change,
      ),
  }
}

/** The jobs of checkouts write as no caller. */
const checkoutJobDepsOf = (parts: Parts): CheckoutJobDeps => ({
  ...parts,
  times: parts.checkoutTimes,
  write: parts.paymentDeps.writeStore,
})
