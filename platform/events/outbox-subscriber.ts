import type { OutboxEvent } from './outbox.ts'
import type { Subscriber } from './subscriber.ts'

/** What the subscribers of one topic have in common in this process. */
export type SubscribedTopic = {
  readonly name: string
  /** Number of the last event handed out. */
  position: number
  /** Subscribers with a record in the database. */
  readonly subscribers: Set<OutboxSubscriber>
  /** How many of them were not delivered the last event. */
  behind: number
  /** Called when one of them was delivered an event, and with the id of one that is released. */
  readonly onDelivered: () => void
  readonly onReleased: (id: string) => void
}

const MAY = Promise.resolve(true)

/**
 * How far one subscriber is in a topic. A class, so that a hundred thousand of them share their
 * code.
 */
export class OutboxSubscriber implements Subscriber {
  /** Of its row; null for one that no later process resumes. */
  readonly id: string | null
  /** Number of the last event that it was delivered; at first, of the last before its time. */
  done: number
  /** The position in the database; null: that of the topic. */
  recorded: number | null
  readonly #topic: SubscribedTopic

  constructor(topic: SubscribedTopic, id: string | null, from: number) {
    this.#topic = topic
    this.id = id
    this.done = from
    this.recorded = id === null ? null : from
    if (id === null) return
    topic.subscribers.add(this)
    if (from < topic.position) topic.behind += 1
  }

  isNew(event: unknown): boolean {
    // Its iterator only yields outbox events.
    return (event as OutboxEvent).number > this.done
  }

  mayReceive(): Promise<boolean> {
    return MAY
  }

  delivered(event: unknown): void {
    // Its iterator only yields outbox events.
    this.advance((event as OutboxEvent).number)
  }

  advance(number: number): void {
    const topic = this.#topic
    const wasBehind = this.done < topic.position
    // Not farther than the topic, which may have been rewound since.
    this.done = Math.min(number, topic.position)
    if (this.id === null) return
    if (wasBehind && this.done === topic.position) topic.behind -= 1
    topic.onDelivered()
  }

  release(): void {
    if (this.id === null || !this.#topic.subscribers.delete(this)) return
    if (this.done < this.#topic.position) this.#topic.behind -= 1
    this.#topic.onReleased(this.id)
  }
}
