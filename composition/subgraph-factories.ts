import { join } from 'node:path'
import type { JWTVerifyGetKey } from 'jose'
import type { Logger } from 'pino'
import type { variables } from '../config.ts'
import type { Config } from '../platform/config/config.ts'
import type { Connection, ReplicaOptions } from '../platform/database/database.ts'
import { poolerConnection } from '../platform/database/pooler.ts'
import { localRecentWrites } from '../platform/database/recent-writes.ts'
import type { Subgraph } from '../platform/graphql/subgraph.ts'
import { mailServerOf } from '../platform/mail/variables.ts'
import type { Defer } from '../platform/process/lifecycle.ts'
import { OperatorError } from '../platform/process/operator-error.ts'
import type { RateLimitStore } from '../platform/rate-limit/rate-limit-store.ts'
import type { SecretCipher } from '../platform/secrets/cipher.ts'
import { catalogueStore } from '../subgraphs/directory/catalogue-file/catalogue-store.ts'
import { seedDirectory } from '../subgraphs/directory/import/seed.ts'
import { directorySubgraph } from '../subgraphs/directory/subgraph.ts'
import { githubSettingsOf, packageSettingsOf, sourceNetworkOf } from '../subgraphs/directory/variables.ts'
import { writeQuotas } from '../subgraphs/social/quota/quota.ts'
import { socialSubgraph } from '../subgraphs/social/subgraph.ts'
import type { BanLookup } from '../subgraphs/store/access/access.ts'
import { fileStorageOf } from '../subgraphs/store/file/configured.ts'
import { storeFiles } from '../subgraphs/store/file/files.ts'
import { fileSources } from '../subgraphs/store/file/source.ts'
import type { FileStorage } from '../subgraphs/store/file/storage.ts'
import { seedStore } from '../subgraphs/store/operator/sample.ts'
import { storeQuotas } from '../subgraphs/store/quota/quota.ts'
import { type StoreSubgraph, storeSubgraph } from '../subgraphs/store/subgraph.ts'
import { webhookNetworkOf } from '../subgraphs/store/webhook-delivery/variables.ts'
import type { RoleLookup } from '../subgraphs/toolkit/user-role.ts'
import type { SessionCheck } from '../subgraphs/toolkit/user-token.ts'
import { trustSubgraph } from '../subgraphs/trust/subgraph.ts'
import { redisRecentWrites } from './shared-recent-writes.ts'

/** Parsed configuration of every variable in config.ts. */
export type AtriumConfig = Config<typeof variables>

/** Dependencies of every subgraph. */
export type SubgraphDeps = {
  readonly config: AtriumConfig
  readonly connection: Connection
  /** Public URL of this installation. */
  readonly publicUrl: string
  /** Public keys that verify user tokens. */
  readonly userKeys: JWTVerifyGetKey
  /** Checks that the session of a user token is open. */
  readonly isSessionOpen: SessionCheck
  /** Finds the role of a user by a token. Absent: asks at `publicUrl`. */
  readonly roleOf?: RoleLookup
  /** Storage of store files; absent: as configured. */
  readonly storage?: FileStorage
  /** Rate limits of addresses and keys. */
  readonly rateLimits: RateLimitStore
  /** Seconds until the REST ban of an address ends. */
  readonly banEndsIn: BanLookup
  /** Encrypts stored secrets. */
  readonly secrets: SecretCipher
  readonly log: Logger
  readonly defer: Defer
}

export type SubgraphName = 'directory' | 'social' | 'store' | 'trust'

/** Factories of the subgraphs on a migrated database; each is closed with the process. */
export const SUBGRAPH_FACTORIES = {
  directory: async ({ config, connection, publicUrl, roleOf, log, defer }: SubgraphDeps): Promise<Subgraph> => {
    const aborted = new AbortController()
    defer(async () => aborted.abort())
    const pooler = await poolerOf('directory', config)
    await seedDirectory(connection, { log, signal: aborted.signal })
    const probeHours = config.DIRECTORY_PROBE_HOURS
    const sourceNetwork = sourceNetworkOf(config)
    const [github, packages] = [githubSettingsOf(config), packageSettingsOf(config)]
    const stored = catalogueStore(join(config.DATA_DIR, 'directory'), log)
    const settings = { probeHours, sourceNetwork, github, packages, stored }
    const own = { connection, pooler, publicUrl, log, ...settings, ...(roleOf && { roleOf }) }
    return closeWithProcess(await directorySubgraph(own), defer)
  },
  social: async (deps: SubgraphDeps): Promise<Subgraph> => {
    const { config, connection, rateLimits, secrets, log, defer } = deps
    const quotas = writeQuotas(config.USER_WRITES_PER_MINUTE, config.USER_BYTES_PER_DAY)
    const [replica, pooler] = await Promise.all([replicaOf('social', deps), poolerOf('social', config)])
    return closeWithProcess(
      await socialSubgraph({ connection, pooler, replica, relayUrl: config.EVENTS_RELAY_URL, rateLimits, secrets, log, quotas }),
      defer,
    )
  },
  store: async (deps: SubgraphDeps): Promise<StoreSubgraph> => {
    const { config, connection, publicUrl, userKeys, isSessionOpen, storage, rateLimits, banEndsIn, secrets, log, defer } = deps
    const [replica, pooler] = await Promise.all([replicaOf('store', deps), poolerOf('store', config)])
    const fileStorage = storage ?? (await fileStorageOf(config, { dataDir: config.DATA_DIR, publicUrl })).storage
    const files = storeFiles(fileStorage, fileSources())
    const webhookNetwork = webhookNetworkOf(config)
    const mailServer = mailServerOf(config)
    const quotas = storeQuotas({
      products: config.STORE_PRODUCTS,
      productsPerDay: config.STORE_PRODUCTS_PER_DAY,
      fileBytes: config.STORE_FILE_MEGABYTES * 1_000_000,
      fileBytesPerDay: config.STORE_FILE_MEGABYTES_PER_DAY * 1_000_000,
    })
    const users = { userKeys, isSessionOpen }
    const checkoutTimes = {
      cartAbandonedMinutes: config.CART_ABANDONED_MINUTES,
      paymentMinutes: config.PAYMENT_MINUTES,
      unpaidOrderMinutes: config.UNPAID_ORDER_MINUTES,
    }
    const own = {
      connection,
      pooler,
      replica,
      relayUrl: config.EVENTS_RELAY_URL,
      publicUrl,
      ...users,
      files,
      rateLimits,
      banEndsIn,
      secrets,
      quotas,
      checkoutTimes,
      auditDays: config.STORE_AUDIT_DAYS,
      log,
      mailServer,
      webhookNetwork,
    }
    const store = await storeSubgraph(own)
    // Seeds in the background: the process does not wait for the sample shop.
    const start = () => defer(seedStore(connection, { files, secrets, log }))
    return { ...closeWithProcess(store, defer), start }
  },
  trust: async ({
    config,
    connection,
    userKeys,
    isSessionOpen,
    rateLimits,
    secrets,
    log,
    defer,
  }: SubgraphDeps): Promise<Subgraph> => {
    const pooler = await poolerOf('trust', config)
    const users = { userKeys, isSessionOpen }
    const own = { connection, pooler, rateLimits, log, config, users, secrets, webhookNetwork: webhookNetworkOf(config) }
    return closeWithProcess(await trustSubgraph({ ...own, relayUrl: config.EVENTS_RELAY_URL, sources: { config } }), defer)
  },
} satisfies Readonly<Record<SubgraphName, (deps: SubgraphDeps) => Promise<Subgraph>>>

function closeWithProcess<Made extends Subgraph>(subgraph: Made, defer: Defer): Made {
  defer(subgraph.close)
  return subgraph
}

/**
 * Connection through the configured pooler for one subgraph. Rejects when its connections do not
 * use the subgraph's schema.
 */
async function poolerOf(name: SubgraphName, { DATABASE_POOLER_URL: url }: AtriumConfig): Promise<Connection | undefined> {
  return url === undefined ? undefined : poolerConnection(url, name)
}

/** The configured read replica. Recent writes are shared by all processes, for read-your-writes. */
async function replicaOf(name: SubgraphName, { config, log, defer }: SubgraphDeps): Promise<ReplicaOptions | undefined> {
  const { DATABASE_REPLICA_URL: connectionString, REDIS_URL: redis } = config
  if (connectionString === undefined) return undefined
  const connection = { connectionString }
  if (redis === undefined) {
    if (config.ATRIUM_ROLE === 'all') return { connection, writes: localRecentWrites() }
    throw new OperatorError('Expected REDIS_URL to be set, because DATABASE_REPLICA_URL is: copies share recent writes there.')
  }
  const writes = await redisRecentWrites(redis, name, log)
  defer(writes.close)
  return { connection, writes }
}
