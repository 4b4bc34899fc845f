import { type FeedContext, type FeedTopic, RETRY_DELAY_MS } from './feed-topic.ts'

/** Time for which a write of positions waits for subscribers that are behind. */
const POSITION_DELAY_MS = 250

/** Stores how far the subscribers of topics are, and deletes the rows of released ones. */
export type PositionWriter = {
  /**
   * Writes the positions of a topic when every subscriber was delivered the last event, or after
   * `POSITION_DELAY_MS`.
   */
  readonly writeSoon: (topic: FeedTopic) => void
  /** Deletes the row of a released subscriber. */
  readonly releaseSoon: (id: string) => void
  /** Resolves when no row is deleted any more. */
  readonly released: () => Promise<void> | null
}

/** The positions of one feed. */
export function positionWriter(
  { records, closed, log }: Omit<FeedContext, 'topics'>,
  onError: (error: Error) => void,
): PositionWriter {
  let releasedIds: string[] = []
  let releasing: Promise<void> | null = null
  return { writeSoon, releaseSoon, released: () => releasing }

  function writeSoon(topic: FeedTopic): void {
    if (topic.writing === true || closed.aborted) return
    if (topic.behind > 0) {
      topic.writing ??= setTimeout(() => void write(topic), POSITION_DELAY_MS).unref()
      return
    }
    if (topic.writing) clearTimeout(topic.writing)
    void write(topic)
  }

  async function write(topic: FeedTopic): Promise<void> {
    topic.writing = true
    const { position } = topic
    const changed = [...topic.subscribers].flatMap((subscriber) => {
      const { id, done, recorded } = subscriber
      const number = done < position ? done : null
      return id === null || recorded === number ? [] : [{ subscriber, id, number }]
    })
    const isNews = changed.length > 0 || (topic.written !== position && topic.subscribers.size > 0)
    try {
      if (isNews) await records.write(topic.name, position, changed)
      topic.written = position
      for (const { subscriber, number } of changed) subscriber.recorded = number
      topic.writing = null
    } catch (error) {
      if (closed.aborted) return
      log.warn({ err: error }, 'the positions of listeners could not be written; trying again')
      topic.writing = setTimeout(() => void write(topic), RETRY_DELAY_MS).unref()
      return
    }
    if (topic.position > position || topic.subscribers.values().some(({ recorded }) => recorded !== null)) writeSoon(topic)
  }

  function releaseSoon(id: string): void {
    releasedIds.push(id)
    releasing ??= deleteReleased().finally(() => {
      releasing = null
    })
  }

  async function deleteReleased(): Promise<void> {
    // Many are released at once when a connection ends.
    await new Promise(setImmediate)
    while (releasedIds.length > 0) {
      const ids = releasedIds
      releasedIds = []
      await records.release(ids).catch(onError)
    }
  }
}
