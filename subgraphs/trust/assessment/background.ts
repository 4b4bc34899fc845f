import type { Logger } from 'pino'
import type { EvidenceSubject, Sources } from './sources.ts'

/**
 * Hosts collected in the background at the same time, and waiting: lists of the directory name
 * hundreds.
 */
const MAX_CONCURRENT_HOSTS = 4
const MAX_WAITING_HOSTS = 1_000

/** Collects evidence without a waiting caller. */
export type BackgroundCollector = {
  /** Notes a host; one that waits already, or finds no room, is left out. */
  readonly collect: (subject: EvidenceSubject) => void
  readonly close: () => Promise<void>
}

export function createBackgroundCollector(sources: Pick<Sources, 'evidenceFor'>, log: Logger): BackgroundCollector {
  const ended = new AbortController()
  const waiting = new Map<string, EvidenceSubject>()
  const running = new Map<string, Promise<void>>()

  function next(): void {
    for (const [host, subject] of waiting) {
      if (running.size >= MAX_CONCURRENT_HOSTS || ended.signal.aborted) return
      waiting.delete(host)
      running.set(host, collectEvidence(subject))
    }
  }

  async function collectEvidence(subject: EvidenceSubject): Promise<void> {
    try {
      await sources.evidenceFor(subject, { signal: ended.signal })
    } catch (error) {
      if (!ended.signal.aborted) log.warn({ err: error }, 'evidence could not be collected in the background')
    } finally {
      running.delete(subject.host)
      next()
    }
  }

  return {
    collect(subject) {
      if (waiting.size >= MAX_WAITING_HOSTS || running.has(subject.host)) return
      waiting.set(subject.host, subject)
      next()
    },
    async close() {
      ended.abort(new Error('The service is stopping.'))
      waiting.clear()
      await Promise.allSettled(running.values())
    },
  }
}
