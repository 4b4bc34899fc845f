import type { BoundedCache } from '../../platform/collections/bounded-cache.ts'
import type { EventFeed } from '../../platform/events/outbox.ts'
import { unauthenticated } from '../../platform/graphql/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { rememberVerified } from '../../platform/http/verified-credentials.ts'
import type { AddressRateLimit } from '../../platform/rate-limit/address-rate-limit.ts'
import type { AuthenticateUser } from '../toolkit/user-authenticator.ts'
import type { WebhookRefusal } from '../toolkit/webhook-url.ts'
import type { BackgroundCollector } from './assessment/background.ts'
import type { Engine } from './assessment/engine.ts'
import { assessmentLoaders } from './assessment/loaders.ts'
import type { SnapshotRepository } from './assessment/repository.ts'
import type { Sources } from './assessment/sources.ts'
import type { PreparedRequest } from './decision/actions.ts'
import type { CallerState, DecideRequestKey } from './decision/caller-state-repository.ts'
import type { JudgementCache } from './decision/judgement-cache.ts'
import { decisionLoaders } from './decision/loaders.ts'
import type { DecisionRepository } from './decision/repository.ts'
import type { DecisionJobRepository } from './decision-job/repository.ts'
import type { DecisionReportRepository } from './decision-report/repository.ts'
import type { FeedRecorder } from './feed/recorder.ts'
import type { FeedRepository } from './feed/repository.ts'
import { authenticateKey, requireOperator } from './key/caller-key.ts'
import { type ApiKey, secretHeaderOf, secretIn } from './key/key.ts'
import type { KeyRate } from './key/rate.ts'
import type { ApiKeyRepository } from './key/repository.ts'
import { secretHash } from './key/secret.ts'
import type { OperatorListMatcher } from './operator-list/matcher.ts'
import type { OperatorListRepository } from './operator-list/repository.ts'
import type { OverrideRepository } from './override/repository.ts'
import type { TrialLimit } from './trial/limit.ts'
import type { WatchedDomainRepository } from './watched-domain/repository.ts'

/** Dependencies with the lifetime of the subgraph. */
export type TrustParts = {
  readonly engine: Engine
  readonly sources: Sources
  readonly background: BackgroundCollector
  readonly keys: ApiKeyRepository
  readonly rate: KeyRate
  /** Limits invalid API keys per client address. */
  readonly invalidKeyLimit: AddressRateLimit
  readonly decisions: DecisionRepository
  readonly jobs: DecisionJobRepository
  readonly reports: DecisionReportRepository
  /** What decisions met in threat feeds. */
  readonly feeds: FeedRepository
  /** Counts what decisions of keys meet in threat feeds. */
  readonly feedRecorder: FeedRecorder
  readonly judgementCache: JudgementCache
  readonly requestCache: BoundedCache<PreparedRequest>
  readonly overrides: OverrideRepository
  readonly operatorLists: OperatorListRepository
  /** Looks targets up in the operator's lists. */
  readonly lists: OperatorListMatcher
  readonly snapshots: SnapshotRepository
  readonly trials: TrialLimit
  readonly watches: WatchedDomainRepository
  /** Why webhooks are not sent to an address; null: they may be. */
  readonly webhookRefusal: WebhookRefusal
  /** Identifies signed-in users, who make keys of their own. */
  readonly authenticateUser: AuthenticateUser
  readonly now: () => Date
}

/** The same, with the events of the subgraph, which programs of the operator do without. */
export type SubgraphParts = TrustParts & { readonly events: EventFeed }

/** Context of one operation. */
export type Context = SubgraphParts & {
  /** The valid API key of the caller, read once per context. Rejects with UNAUTHENTICATED. */
  readonly key: () => Promise<ApiKey>
  /** The same, verified anew at each call: for later events of a subscription. */
  readonly verifyKey: () => Promise<ApiKey>
  /** Names the credentials of the caller without telling them: a hash. */
  readonly credentialName: () => Promise<string>
  /** Opaque id of the signed-in user. Rejects with UNAUTHENTICATED for others. */
  readonly requireUser: () => Promise<string>
  /** The key, after charging `questions` requests to its rate limit. Rejects with RATE_LIMITED. */
  readonly rateLimitedKey: (questions: number) => Promise<ApiKey>
  /** The rate-limited key of an operator. Rejects with FORBIDDEN for any other. */
  readonly operatorKey: () => Promise<ApiKey>
  /** The rate-limited key with its stored overrides and latest judgements for these requests. */
  readonly callerState: (requests: readonly DecideRequestKey[], questions: number) => Promise<CallerState>
  /** Client address as seen by the outermost trusted proxy. */
  readonly address: string
  readonly load: ReturnType<typeof assessmentLoaders> & ReturnType<typeof decisionLoaders>
}

/** The key of a caller, whose requests take turns as those of this key from now on. */
function verified(key: ApiKey, caller: Caller): ApiKey {
  rememberVerified(secretHeaderOf(caller), `key ${key.id}`)
  return key
}

export function createTrustContext(parts: SubgraphParts, caller: Caller): Context {
  let finding: Promise<ApiKey> | null = null
  const { keys, decisions, engine, invalidKeyLimit: refusals, rate, now } = parts
  const verifyKey = async () =>
    verified(await authenticateKey(caller, (secret) => keys.findBySecret(secret, now()), refusals), caller)
  const key = () => (finding ??= verifyKey())
  const rateLimitedKey = async (questions: number) => {
    const found = await key()
    await rate(found, questions)
    return found
  }
  return {
    ...parts,
    address: caller.address,
    key,
    verifyKey,
    async credentialName() {
      const secret = secretIn(caller)
      if (secret !== null) return `key ${secretHash(secret).toString('hex')}`
      return `user ${(await parts.authenticateUser(caller))?.id ?? ''}`
    },
    rateLimitedKey,
    operatorKey: async () => requireOperator(await rateLimitedKey(1)),
    requireUser: async () => {
      const user = await parts.authenticateUser(caller)
      if (user === null) throw unauthenticated()
      return user.id
    },
    callerState: async (requests, questions) => {
      const { policyVersion } = engine
      const find = (secret: Buffer) => decisions.callerState({ secret, requests, at: now(), policyVersion })
      const found = await authenticateKey(caller, find, refusals)
      await rate(verified(found.key, caller), questions)
      return found
    },
    load: { ...assessmentLoaders(parts), ...decisionLoaders(parts) },
  }
}
