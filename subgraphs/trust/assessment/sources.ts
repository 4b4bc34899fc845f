import type { FeedCopy, FeedHit, ListedNow, RedirectChain, Snapshot } from '../evidence.ts'
import type { UrlKeys } from '../url-key.ts'

/**
 * Subject of evidence: a host, and its registrable domain; null for addresses and public suffixes.
 */
export type EvidenceSubject = { readonly host: string; readonly registrable: string | null }

/** Availability of a source; `reason` is null unless it is down. */
type SourceState = {
  readonly name: string
  readonly state: 'up' | 'down' | 'untried' | 'off'
  readonly reason: string | null
}

/** Where evidence comes from: `collectors/sources.ts`, or fixed snapshots. */
export type Sources = {
  /**
   * Rejects only with the reason of an aborted signal: sources that fail are part of the snapshot.
   */
  readonly evidenceFor: (
    subject: EvidenceSubject,
    options?: { readonly signal?: AbortSignal; readonly budgetMs?: number },
  ) => Promise<Snapshot>
  /**
   * What threat feeds list of a URL; null when the lists cannot be read. Absent where evidence is
   * fixed.
   */
  readonly listedUrls?: (keys: UrlKeys) => Promise<readonly FeedHit[] | null>
  /**
   * What threat feeds with a copy list of a host now, and of the URL with this hash; null when the
   * lists cannot be read. Absent where evidence is fixed.
   */
  readonly listedNow?: (subject: EvidenceSubject, urlKey: string | null) => Promise<ListedNow | null>
  /** Copies of threat feeds, by name; null when they cannot be read. Absent where evidence is fixed. */
  readonly feedCopies?: () => Promise<readonly FeedCopy[] | null>
  /** Follows redirects; absent where none are followed, or evidence is fixed. */
  readonly redirects?: {
    /** Of which URLs: those of services that forward, or all. */
    readonly of: 'shorteners' | 'all'
    /** Where an http(s) URL leads. Never rejects. */
    readonly follow: (url: string) => Promise<{ readonly end: RedirectChain['end']; readonly urls: readonly string[] }>
  }
  readonly status: () => Promise<readonly SourceState[]>
  readonly close: () => Promise<void>
}
