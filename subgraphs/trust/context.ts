import type { Caller } from '../runtime/caller.ts'
import type { Background } from './assessment/background.ts'
import type { Engine } from './assessment/engine.ts'
import { assessmentLoaders } from './assessment/loaders.ts'
import type { SnapshotRepository } from './assessment/repository.ts'
import type { Sources } from './assessment/sources.ts'
import type { DecisionRepository } from './decision/repository.ts'
import { keyOf } from './key/caller-key.ts'
import type { ApiKey } from './key/key.ts'
import type { KeyRepository } from './key/repository.ts'
import type { OverrideRepository } from './override/repository.ts'

/** What lives as long as the subgraph. */
export type Parts = {
  readonly engine: Engine
  readonly sources: Sources
  readonly background: Background
  readonly keys: KeyRepository
  readonly decisions: DecisionRepository
  readonly overrides: OverrideRepository
  readonly snapshots: SnapshotRepository
  readonly now: () => Date
}

/** What the resolvers of one operation work with. */
export type Context = Parts & {
  /** The caller's key; rejects with UNAUTHENTICATED without one that is good now. Asked once per context. */
  readonly key: () => Promise<ApiKey>
  readonly load: ReturnType<typeof assessmentLoaders>
}

export function contextOf(parts: Parts, caller: Caller): Context {
  let asking: Promise<ApiKey> | null = null
  return {
    ...parts,
    key: () => (asking ??= keyOf(caller, parts.keys, parts.now())),
    load: assessmentLoaders(parts),
  }
}
