import { createRequire } from 'node:module'
import type { PolicyTables } from '../tables.ts'

/**
 * Versions whose tables are kept, this one among them. Written by `freeze-policy.ts`; nothing here is ever changed. A file whose decisions have
 * all expired may be removed.
 */
export const FROZEN_VERSIONS: readonly string[] = [
  'p_1172da9f9c3a24cd',
  'p_2c13e318aaaf6498',
  'p_3ec93f07f3c6526f',
  'p_4e4c78401e06291f',
  'p_71143feea3605ff7',
  'p_9cd5171891cbb3ee',
  'p_c39534dfab6c5fb0',
  'p_d21dc9f6e238e70d',
  'p_e03876f031933287',
]

// Loaded when a decision of a version is made again: together they are larger than all other tables.
const require = createRequire(import.meta.url)

/** Tables of a version; null: they are not kept. */
export const frozenTables = (version: string): PolicyTables | null =>
  // JSON has no literal types; the digest of each file is tested.
  FROZEN_VERSIONS.includes(version) ? (require(`./${version}.json`) as PolicyTables) : null
