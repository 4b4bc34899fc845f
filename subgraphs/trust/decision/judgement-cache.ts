import { hash } from 'node:crypto'
import { type BoundedCache, boundedCache } from '../../../platform/collections/bounded-cache.ts'
import type { Snapshot } from '../evidence.ts'
import type { Decision } from '../pipeline/decision.ts'
import type { Override } from '../pipeline/request.ts'

/** The decision of the engine about a request, with its evidence. */
export type Judgement = {
  /** Id of the stored row; equal decisions share one row. */
  readonly id: string
  readonly snapshot: Snapshot
  readonly decision: Decision
  /** `decision` as it is stored. */
  readonly text: string
}

/**
 * Recent judgements. They cannot get stale: their input is their key, and the engine is a pure
 * function of it.
 */
export type JudgementCache = BoundedCache<Judgement>

/**
 * About the number that is valid at one time with a thousand names; in memory they take about three
 * times their text.
 */
const MAX_JUDGEMENTS = 2_000
const MAX_CHARACTERS = 8_000_000

/** Of one engine. */
export const createJudgementCache = (): JudgementCache =>
  boundedCache({
    maxEntries: MAX_JUDGEMENTS,
    maxCharacters: MAX_CHARACTERS,
    charactersOf: (key, { text }) => key.length + 2 * text.length,
  })

/**
 * Id of a judgement: SHA-256 of its inputs and output, joined by line breaks, which none contains.
 */
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

/**
 * All that a judgement depends on: the snapshot by its id, the request by the hash of its canonical
 * text.
 */
export const judgementKey = (snapshotId: string, request: Buffer, override: Override | null): string =>
  `${snapshotId} ${request.toString('base64')} ${overrideText(override) ?? ''}`
