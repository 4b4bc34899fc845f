import { type FeedState, RETRY_DELAY_MS, type Topic } from './feed-topic.ts'

/** How long a write of positions waits for readers that have not finished the last event. */
const FLUSH_DELAY_MS = 250

/** Stores how far topics and named subscribers are, so that another process can resume them. */
export type PositionWriter = {
  /** Writes when every reader has finished the last event, otherwise after the flush delay. */
  readonly writeSoon: (topic: Topic) => void
  /** Cancels the writes that have not begun. */
  readonly stop: () => void
}

export function createPositionWriter({ records, topics, ended, log }: FeedState): PositionWriter {
  return {
    writeSoon,
    stop() {
      for (const { writing } of topics.values()) if (writing !== true && writing) clearTimeout(writing)
    },
  }

  function writeSoon(topic: Topic): void {
    if (topic.writing === true || ended.aborted) return
    if (topic.behind > 0) {
      topic.writing ??= setTimeout(() => void write(topic), FLUSH_DELAY_MS).unref()
      return
    }
    if (topic.writing) clearTimeout(topic.writing)
    void write(topic)
  }

  async function write(topic: Topic): Promise<void> {
    topic.writing = true
    const { position } = topic
    const changed = [...topic.subscribers].flatMap((subscriber) => {
      const number = subscriber.done < position ? subscriber.done : null
      return subscriber.id === null || subscriber.recorded === number ? [] : [{ subscriber, id: subscriber.id, number }]
    })
    const hasNamed = [...topic.subscribers].some(({ id }) => id !== null)
    try {
      if (changed.length > 0 || (topic.written !== position && hasNamed)) await records.write(topic.name, position, changed)
      topic.written = position
      for (const { subscriber, number } of changed) subscriber.recorded = number
      topic.writing = null
    } catch (error) {
      if (ended.aborted) return
      log.warn({ err: error }, 'the positions of subscribers could not be written; retrying')
      topic.writing = setTimeout(() => void write(topic), RETRY_DELAY_MS).unref()
      return
    }
    if (topic.position > position || [...topic.subscribers].some(({ recorded }) => recorded !== null)) writeSoon(topic)
  }
}
