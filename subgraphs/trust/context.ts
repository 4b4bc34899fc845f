import type { BoundedCache } from '../../platform/collections/bounded-cache.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { AddressRateLimit } from '../../platform/rate-limit/address-rate-limit.ts'
import type { Background } from './assessment/background.ts'
import type { Engine } from './assessment/engine.ts'
import { assessmentLoaders } from './assessment/loaders.ts'
import type { SnapshotRepository } from './assessment/repository.ts'
import type { Sources } from './assessment/sources.ts'
import type { Written } from './decision/actions.ts'
import type { Asked, Asker } from './decision/asker-repository.ts'
import type { Judgements } from './decision/judgements.ts'
import type { DecisionRepository } from './decision/repository.ts'
import { presentedBy } from './key/caller-key.ts'
import type { ApiKey } from './key/key.ts'
import type { KeyRate } from './key/rate.ts'
import type { KeyRepository } from './key/repository.ts'
import type { OverrideRepository } from './override/repository.ts'
import type { TrialLimit } from './trial/limit.ts'

/** What lives as long as the subgraph. */
export type Parts = {
  readonly engine: Engine
  readonly sources: Sources
  readonly background: Background
  readonly keys: KeyRepository
  readonly rate: KeyRate
  /** Counts keys that are none, per address. */
  readonly refusals: AddressRateLimit
  readonly decisions: DecisionRepository
  readonly judgements: Judgements
  readonly requests: BoundedCache<Written>
  readonly overrides: OverrideRepository
  readonly snapshots: SnapshotRepository
  readonly trials: TrialLimit
  readonly now: () => Date
}

/** What the resolvers of one operation work with. */
export type Context = Parts & {
  /** The caller's key; rejects with UNAUTHENTICATED without one that is good now. Asked once per context. */
  readonly key: () => Promise<ApiKey>
  /** The same, for so many questions: rejects with RATE_LIMITED when the key asks too fast. */
  readonly asking: (questions: number) => Promise<ApiKey>
  /** The same for `questions` that come to these requests, with what there is to answer them with. */
  readonly asker: (asked: readonly Asked[], questions: number) => Promise<Asker>
  /** Of the caller, as the outermost trusted hop saw it. */
  readonly address: string
  readonly load: ReturnType<typeof assessmentLoaders>
}

export function contextOf(parts: Parts, caller: Caller): Context {
  let finding: Promise<ApiKey> | null = null
  const { keys, decisions, engine, refusals, rate, now } = parts
  const key = () => (finding ??= presentedBy(caller, (secret) => keys.findBySecret(secret, now()), refusals))
  return {
    ...parts,
    address: caller.address,
    key,
    asking: async (questions) => {
      const found = await key()
      await rate(found, questions)
      return found
    },
    asker: async (asked, questions) => {
      const { policyVersion } = engine
      const find = (secret: Buffer) => decisions.asker({ secret, asked, at: now(), policyVersion })
      const found = await presentedBy(caller, find, refusals)
      await rate(found.key, questions)
      return found
    },
    load: assessmentLoaders(parts),
  }
}
