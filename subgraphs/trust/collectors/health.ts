import type { Evidence, FeedCopy, Source, UnixSeconds } from '../evidence.ts'
import type { ListRepository, ListState } from './list-repository.ts'
import type { List } from './lists.ts'

/** State of a source in `/ready`. `untried`: no answer since the start, and few failures; `off`: not configured. */
export type SourceStatus = {
  readonly name: string
  readonly state: 'up' | 'down' | 'untried' | 'off'
  /** Why it is down; null otherwise. */
  readonly reason: string | null
}

/** Remembers how the last answers of each source ended. */
export type Health = {
  readonly note: (evidence: Evidence) => void
  readonly of: (source: Source) => SourceStatus
}

/**
 * So many answers are remembered, and so many in a row must fail before a source counts as down:
 * one registry or one host may well be.
 */
const MAX_REMEMBERED = 20
const MIN_FAILURES = 3

/** A list that was not refreshed for so long is reported as down. Seconds. */
const STALE_LIST_SECONDS = 48 * 3_600

/** How a downloaded list stands at a time. */
export function listStatus(
  { list, edition, fault }: Pick<ListState, 'list' | 'edition' | 'fault'>,
  at: UnixSeconds,
): SourceStatus {
  if (!edition) return { name: list, state: fault === null ? 'untried' : 'down', reason: fault }
  const isStale = at - edition.fetchedAt > STALE_LIST_SECONDS
  return { name: list, state: isStale ? 'down' : 'up', reason: isStale ? (fault ?? 'not refreshed for two days') : null }
}

/** Copies of the threat feeds among lists, in their order. */
export async function readFeedCopies(
  lists: Pick<ListRepository, 'states'>,
  chosen: readonly List[],
  at: UnixSeconds,
): Promise<readonly FeedCopy[]> {
  const states = await lists.states(chosen.flatMap(({ kind, name }) => (kind === 'threat' ? [name] : [])))
  return states.map((state) => ({ ...listStatus(state, at), edition: state.edition }))
}

export function sourceHealth(): Health {
  const recent = new Map<Source, (string | null)[]>()
  return {
    note({ source, evidence }) {
      // Not queried, or refused by our own address policy.
      if (evidence.status === 'skipped' || (evidence.status === 'failed' && evidence.reason === 'blocked')) return
      // Broken servers of a target are no failure of the source.
      const isAnswer =
        evidence.status === 'ok' ||
        evidence.status === 'absent' ||
        (evidence.status === 'failed' && evidence.reason === 'servfail')
      const ending = isAnswer ? null : evidence.status === 'failed' ? evidence.reason : 'timeout'
      recent.set(source, [...(recent.get(source) ?? []), ending].slice(-MAX_REMEMBERED))
    },
    of(source) {
      const endings = recent.get(source) ?? []
      if (endings.includes(null)) return { name: source, state: 'up', reason: null }
      if (endings.length < MIN_FAILURES) return { name: source, state: 'untried', reason: null }
      return { name: source, state: 'down', reason: endings.at(-1) ?? null }
    },
  }
}
