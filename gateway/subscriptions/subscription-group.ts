import type { GraphQLFormattedError } from 'graphql'
import type { Subscriber } from '../../platform/events/subscriber.ts'
import { slowReader } from '../../platform/graphql/errors.ts'
import { CHANGED } from '../authorization/guarded-subscription.ts'
import { BOUNDS } from '../limits/limits.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import type { EventPipeline, Recipient, Running, StillAllowed } from './subscribe.ts'

/**
 * An event of a group, in a linked list. A slow member references events it has not received;
 * others are garbage collected.
 */
type Entry = {
  readonly number: number
  readonly event: unknown
  /** The event's result; null after every member received it, and for the initial entry. */
  result: ExecutionResult | null
  next: Entry | null
}

/** Clients that receive results of one source, each at its own pace. */
export type SubscriptionGroup = {
  /**
   * Adds a member, which receives events from now on; null when the group has ended. `onReleased`
   * is called once, when the member leaves.
   */
  readonly join: (onReleased: () => void, judged?: DetachedSubscriber) => Running | null
}

/** A member with credentials: authorized per event, because its source was detached. */
export type DetachedSubscriber = {
  readonly subscriber: Subscriber
  /** Checked before each event; absent: always allowed. */
  readonly stillAllowed: StillAllowed | undefined
}

/**
 * Reads `source` continuously and delivers to members. A member more than 1,000 events behind is
 * ended with SLOW_READER. `onEnd` is called once, when no more members can join: the last one left,
 * or the source ended.
 */
export function subscriptionGroup(source: EventPipeline, onEnd: () => void): SubscriptionGroup {
  const members = new Set<Member>()
  let last: Entry = { number: 0, event: null, result: null, next: null }
  let ending: Ending | null = null
  let isPulling = false
  const ground: Ground = { ending: () => ending, leave, fault: source.fault }

  return {
    join(onReleased, judged) {
      if (ending) return null
      const member = new Member(last, ground, onReleased, judged)
      members.add(member)
      // Starts with the first member, which would miss earlier events.
      if (!isPulling) pull()
      isPulling = true
      return member
    },
  }

  function pull(): void {
    source.next().then(take, (error: unknown) => end([source.fault(error)]))
  }

  function take(result: IteratorResult<unknown, unknown>): void {
    if (ending) return
    if (result.done) {
      end(null)
      return
    }
    const executed = source.execute(result.value)
    if (executed instanceof Promise) void executed.then((done) => notify(result.value, done))
    else notify(result.value, executed)
  }

  function notify(event: unknown, response: ExecutionResult): void {
    if (ending) return
    const entry: Entry = { number: last.number + 1, event, result: response, next: null }
    last.next = entry
    last = entry
    let isAnyoneBehind = false
    for (const member of members) if (!member.proceed(entry)) isAnyoneBehind = true
    if (!isAnyoneBehind) entry.result = null
    pull()
  }

  function leave(member: Member): void {
    if (members.delete(member) && members.size === 0) end(null)
  }

  function end(errors: readonly GraphQLFormattedError[] | null): void {
    if (ending) return
    ending = { errors }
    source.return()
    onEnd()
    for (const member of [...members]) member.proceed(last)
  }
}

/** Final state of a group, in which no members can join. */
type Ending = { readonly errors: readonly GraphQLFormattedError[] | null }

/** The group's interface for members: one object for all. */
type Ground = {
  readonly ending: () => Ending | null
  readonly leave: (member: Member) => void
  readonly fault: EventPipeline['fault']
}

/** One client of a group. A class, so that 100,000 instances share their methods. */
class Member implements Running {
  readonly #group: Ground
  readonly #onReleased: () => void
  readonly #subscriber: Subscriber | null
  readonly #stillAllowed: StillAllowed | null
  #recipient: Recipient | null = null
  /** Last received entry. */
  #at: Entry
  /** Whether it waits for the network, or has no recipient yet. */
  #isBusy = true
  #isTelling = false
  #isReleased = false
  /** Created with the first event, because most members wait without any. */
  #taken: (() => void) | null = null

  constructor(at: Entry, group: Ground, onReleased: () => void, judged: DetachedSubscriber | undefined) {
    this.#at = at
    this.#group = group
    this.#onReleased = onReleased
    this.#subscriber = judged?.subscriber ?? null
    this.#stillAllowed = judged?.stillAllowed ?? null
  }

  follow(recipient: Recipient): void {
    if (this.#isReleased) {
      recipient.end(null)
      return
    }
    this.#recipient = recipient
    this.#isBusy = false
    this.proceed(this.#at)
  }

  /**
   * Delivers entries as fast as the recipient takes them. `last` is the newest. False while the
   * member still needs it.
   */
  proceed(last: Entry): boolean {
    if (this.#isBusy && last.number - this.#at.number > BOUNDS.waitingEvents) this.#cutOff()
    while (!this.#isBusy && !this.#isReleased) {
      const { next } = this.#at
      if (!next) {
        const ending = this.#group.ending()
        if (ending) this.#recipient?.end(ending.errors)
        return true
      }
      this.#at = next
      this.#tell(next)
    }
    return this.#isReleased || this.#at === last
  }

  return(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#recipient = null
    this.#group.leave(this)
    this.#subscriber?.release()
    this.#onReleased()
  }

  #tell({ event, result }: Entry): void {
    if (!result) return
    if (!this.#subscriber) {
      this.#send(result)
      return
    }
    if (!this.#subscriber.isNew(event)) return
    this.#isBusy = true
    void this.#mayReceive(this.#subscriber, event).then(
      (mayReceive) => this.#proceedJudged(mayReceive ? result : null),
      (error: unknown) => this.#recipient?.end([this.#group.fault(error)]),
    )
  }

  async #mayReceive(subscriber: Subscriber, event: unknown): Promise<boolean> {
    if (this.#stillAllowed && !(await this.#stillAllowed())) throw CHANGED
    return subscriber.mayReceive(event)
  }

  /** `result` is null when the event object was garbage collected. */
  #proceedJudged(result: ExecutionResult | null): void {
    if (this.#isReleased) return
    if (result) this.#send(result)
    else this.#settle()
    this.proceed(this.#at)
  }

  #send(result: ExecutionResult): void {
    this.#taken ??= () => {
      this.#settle()
      // The loop in `proceed` continues after a synchronous `taken`; a recursive call would grow
      // the stack per event.
      if (!this.#isTelling) this.proceed(this.#at)
    }
    this.#isBusy = true
    this.#isTelling = true
    this.#recipient?.deliver(result, this.#taken)
    this.#isTelling = false
  }

  #settle(): void {
    this.#isBusy = false
    if (!this.#isReleased) this.#subscriber?.delivered(this.#at.event)
  }

  #cutOff(): void {
    const recipient = this.#recipient
    const { message, extensions } = slowReader(BOUNDS.waitingEvents)
    this.return()
    recipient?.end([{ message, extensions }])
  }
}
