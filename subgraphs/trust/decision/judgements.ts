import { hash } from 'node:crypto'
import { type BoundedCache, boundedCache } from '../../../platform/collections/bounded-cache.ts'
import type { Snapshot } from '../evidence.ts'
import type { Decision } from '../pipeline/decision.ts'
import type { Override } from '../pipeline/request.ts'

/** What the engine made of a request, and from what. */
export type Judgement = {
  /** Under which it is stored, once for all decisions that it is. */
  readonly id: string
  readonly snapshot: Snapshot
  readonly decision: Decision
  /** `decision` as it is stored. */
  readonly text: string
}

/** Judgements of late. Nothing in them can grow old: what they were made from is their key, and the engine is a pure function of that. */
export type Judgements = BoundedCache<Judgement>

/** About as many as are good at one time where a thousand names are asked about; in memory they are some three times as large as in text. */
const MOST_KEPT = 2_000
const MOST_CHARACTERS = 8_000_000

/** Of one engine. */
export const judgements = (): Judgements =>
  boundedCache({
    maxEntries: MOST_KEPT,
    maxCharacters: MOST_CHARACTERS,
    charactersOf: (key, { text }) => key.length + 2 * text.length,
  })

/** The name of a judgement: the hash of what was asked, by what it was judged and what came out, none of which has line breaks. */
export const judgementId = (made: {
  readonly requestText: string
  readonly snapshotId: string
  readonly policyVersion: string
  readonly override: Override | null
  readonly text: string
}): string =>
  hash('sha256', [made.requestText, made.snapshotId, made.policyVersion, overrideText(made.override) ?? '', made.text].join('\n'))

/** An override as it is stored; null for none. */
export const overrideText = (override: Override | null): string | null => override && JSON.stringify(override)

/** All that a judgement depends on: the snapshot by its id, the request by the hash of its canonical text. */
export const judgementKey = (snapshotId: string, request: Buffer, override: Override | null): string =>
  `${snapshotId} ${request.toString('base64')} ${overrideText(override) ?? ''}`
