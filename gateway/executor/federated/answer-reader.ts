import type { ExecutionResult } from 'graphql'
import { boundedCache } from '../../../platform/collections/bounded-cache.ts'
import { serializedResult } from '../../operations/serialized-result.ts'
import type { Supergraph } from '../../planning/supergraph.ts'
import { compileAnswerMatch, type MatchAnswer } from './answer-match.ts'
import type { OperationConditions } from './conditions.ts'
import type { PlannedDocument } from './planned-document.ts'

/**
 * Reads the body of a response that is exactly what the client gets, without parsing it; null for
 * every other body, which is then parsed and projected. `isExclusive`: nothing else has the body.
 */
export type ReadAnswer = (body: Buffer, isExclusive?: boolean) => ExecutionResult | null

/** Matches by values of `@skip` and `@include` variables; evicted ones are compiled again. */
const MATCH_CACHE = { maxEntries: 16, maxCharacters: 16_000 }

/** After so many bodies in a row that do not match, most of the next ones are not tried. */
const MAX_MISSES = 8
/** Of these bodies one is tried. */
const BODIES_PER_TRY = 100

/** Returns the reader for given condition variables; null when no body can match. */
export function createAnswerReaderFor(
  { document, operation, keyOf }: PlannedDocument,
  { api }: Supergraph,
  conditions: OperationConditions,
): (variables: Readonly<Record<string, unknown>>) => ReadAnswer | null {
  const readers = boundedCache<{ readonly read: ReadAnswer | null }>(MATCH_CACHE)
  return (variables) => {
    const key = conditions.keyOf(variables)
    const cached = readers.get(key)
    if (cached) return cached.read
    const isIncluded = conditions.isIncludedWith(variables)
    const matches = compileAnswerMatch({ schema: api, document, operation, keyOf, isIncluded })
    const read = matches && createReader(matches)
    readers.set(key, { read })
    return read
  }
}

/** A reader that tries fewer bodies while they do not match, such as those of another key order. */
export function createReader(matches: MatchAnswer): ReadAnswer {
  let misses = 0
  return (given, isExclusive) => {
    if (misses >= MAX_MISSES && ++misses % BODIES_PER_TRY !== 0) return null
    const body = withoutLastSpaces(given)
    if (!matches(body)) {
      if (misses < MAX_MISSES) misses++
      return null
    }
    misses = 0
    return serializedResult(body, isExclusive)
  }
}

/** Some servers end a body with a line break. */
function withoutLastSpaces(body: Buffer): Buffer {
  let end = body.length
  while (end > 0 && JSON_SPACES.has(body[end - 1])) end--
  return end === body.length ? body : body.subarray(0, end)
}

const JSON_SPACES: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0d, 0x0a])
