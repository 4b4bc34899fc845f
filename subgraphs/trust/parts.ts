import type { JWTVerifyGetKey } from 'jose'
import type { Logger } from 'pino'
import { boundedCache } from '../../platform/collections/bounded-cache.ts'
import { readConfig } from '../../platform/config/config.ts'
import { type Connection, openDatabase } from '../../platform/database/database.ts'
import { addressRateLimit } from '../../platform/rate-limit/address-rate-limit.ts'
import { localRateLimitStore, type RateLimitStore } from '../../platform/rate-limit/rate-limit-store.ts'
import { PLAIN_SECRETS, type SecretCipher } from '../../platform/secrets/cipher.ts'
import { userAuthenticator } from '../toolkit/user-authenticator.ts'
import type { SessionCheck } from '../toolkit/user-token.ts'
import { type WebhookNetwork, webhookSender } from '../toolkit/webhook-sender.ts'
import { createBackgroundCollector } from './assessment/background.ts'
import { engine as current, type Engine } from './assessment/engine.ts'
import { snapshotRepository } from './assessment/repository.ts'
import type { Sources } from './assessment/sources.ts'
import { type BackgroundJobs, createBackgroundJobs } from './background-jobs.ts'
import type { RefreshedList } from './collectors/list-refresh.ts'
import { listRepository } from './collectors/list-repository.ts'
import { evidenceRepository } from './collectors/repository.ts'
import { type SourcesOptions, type TrustSources, trustSources } from './collectors/sources.ts'
import type { TrustParts } from './context.ts'
import { createJudgementCache } from './decision/judgement-cache.ts'
import { decisionRepository } from './decision/repository.ts'
import { decisionJobRepository } from './decision-job/repository.ts'
import { decisionReportRepository } from './decision-report/repository.ts'
import { createFeedRecorder } from './feed/recorder.ts'
import { feedRepository } from './feed/repository.ts'
import { keyRate } from './key/rate.ts'
import { keyRepository } from './key/repository.ts'
import { createListMatcher } from './operator-list/matcher.ts'
import { operatorListRepository } from './operator-list/repository.ts'
import { overrideRepository } from './override/repository.ts'
import type { Tables } from './tables.ts'
import { trialLimit } from './trial/limit.ts'
import { type TrustConfig, trustVariables } from './variables.ts'
import { watchedDomainRepository } from './watched-domain/repository.ts'

/** As many as wrong credentials of a store: 256 bits cannot be guessed, but attempts cost work. */
const INVALID_KEYS_PER_MINUTE = 60

/** What collectors need beside the database. */
export type CollectorOptions = Pick<SourcesOptions, 'config' | 'network'>

export type TrustOptions = {
  readonly connection: Connection
  /** A pooler in transaction mode, for all statements; absent: none. */
  readonly pooler?: Connection | undefined
  readonly log: Logger
  /** The real collectors, or other sources, which are closed with the subgraph. */
  readonly sources: CollectorOptions | Sources
  /** Another engine than this release's: for tests of replays. */
  readonly engine?: Engine
  readonly now?: () => Date
  /** Rate limits of keys, and the retention of decisions; the defaults when left out. */
  readonly config?: TrustConfig
  /** Where limits of addresses and keys are counted; absent: here. */
  readonly rateLimits?: RateLimitStore
  /** How tokens of users are verified; absent: nobody is signed in. */
  readonly users?: { readonly userKeys: JWTVerifyGetKey; readonly isSessionOpen: SessionCheck } | undefined
  /** What stored secrets are encrypted with; absent: nothing, which is for development. */
  readonly secrets?: SecretCipher
  /** What webhooks may connect to besides public addresses. */
  readonly webhookNetwork?: WebhookNetwork
}

/** The parts of the subgraph without its schema: what `npx atrium trust` works with. */
export function createTrustParts({
  connection,
  pooler,
  log,
  sources: sourcesOrOptions,
  engine = current,
  now = () => new Date(),
  config = readConfig(trustVariables, {}),
  rateLimits = localRateLimitStore(now),
  users,
  secrets = PLAIN_SECRETS,
  webhookNetwork,
}: TrustOptions): {
  readonly parts: TrustParts
  /** Downloads due lists, and returns the state of each. */
  readonly refreshLists: () => Promise<readonly RefreshedList[]>
} & BackgroundJobs {
  // Not the error itself: pg hangs the whole client on it.
  const onError = ({ message }: Error) => log.warn({ reason: message }, 'a connection to the database broke')
  const { query, close } = openDatabase<Tables>(connection, { schema: 'trust', pooler, onError })
  const sources: Sources | TrustSources = 'evidenceFor' in sourcesOrOptions ? sourcesOrOptions : createSources(sourcesOrOptions)
  const backgroundCollector = createBackgroundCollector(sources, log)
  const decisions = decisionRepository(query)
  const snapshots = snapshotRepository(query)
  const operatorLists = operatorListRepository(query)
  const lists = createListMatcher({ repository: operatorLists, log, now })
  const watches = watchedDomainRepository(query, secrets)
  const sender = webhookSender(webhookNetwork)
  const keys = keyRepository(query)
  const jobs = decisionJobRepository(query)
  const feeds = feedRepository(query)
  const feedRecorder = createFeedRecorder({ repository: feeds, log, now })
  const background = createBackgroundJobs({
    ...{ engine, sources, lists, keys, decisions, jobs, watches, sender, snapshots, operatorLists, feeds, feedRecorder },
    ...{ log, now },
    retentionDays: config.TRUST_RETENTION_DAYS,
  })
  return {
    parts: {
      engine,
      sources,
      background: backgroundCollector,
      keys,
      rate: keyRate({ free: config.TRUST_RATE_FREE, unlimited: config.TRUST_RATE_UNLIMITED }, rateLimits),
      authenticateUser: users ? userAuthenticator(users.userKeys, users.isSessionOpen, now) : async () => null,
      invalidKeyLimit: addressRateLimit('wrong keys', INVALID_KEYS_PER_MINUTE, rateLimits),
      decisions,
      jobs,
      reports: decisionReportRepository(query),
      feeds,
      feedRecorder,
      judgementCache: createJudgementCache(),
      requestCache: boundedCache({ maxEntries: 2_000, maxCharacters: 1_000_000 }),
      overrides: overrideRepository(query),
      operatorLists,
      lists,
      snapshots,
      trials: trialLimit(rateLimits),
      watches,
      webhookRefusal: sender.refusal,
      now,
    },
    refreshLists: async () => ('refreshLists' in sources ? sources.refreshLists() : []),
    ...background,
    start: () => {
      background.start()
      if ('start' in sources) sources.start()
    },
    close: async () => {
      await background.close()
      await backgroundCollector.close()
      await sources.close()
      await lists.close()
      await feedRecorder.flush()
      await close()
    },
  }

  function createSources(options: CollectorOptions): TrustSources {
    return trustSources({
      ...options,
      evidence: evidenceRepository(query),
      lists: listRepository(query),
      log,
      now,
      snapshotOf: engine.snapshotOf,
    })
  }
}
