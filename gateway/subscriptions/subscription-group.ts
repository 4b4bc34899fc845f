import type { GraphQLFormattedError } from 'graphql'
import type { Subscriber } from '../../platform/events/subscriber.ts'
import { slowReader } from '../../platform/graphql/errors.ts'
import { CHANGED } from '../authorization/guarded-subscription.ts'
import { BOUNDS } from '../limits/limits.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import type { EventPipeline, Recipient, Running, StillAllowed } from './subscribe.ts'

/**
 * An event of a group, and the one behind it: who is behind holds those that it was not told of,
 * and what nobody holds is gone.
 */
type Entry = {
  readonly number: number
  readonly event: unknown
  /** What came of it; null once everybody was told, and before the first of all. */
  outcome: ExecutionResult | null
  next: Entry | null
}

/** Clients that are told the same, each at its own pace, by one source of events. */
export type SubscriptionGroup = {
  /**
   * A place in it, whose first event is the next one that is new; null where it has ended.
   * `onReleased` is called once, when the place is given up.
   */
  readonly join: (onReleased: () => void, judged?: Judged) => Running | null
}

/** A member whose source judged it until it was detached, and who is now judged for itself. */
export type Judged = {
  readonly subscriber: Subscriber
  /** Asked before each event; absent: always. */
  readonly stillAllowed: StillAllowed | undefined
}

/**
 * Reads `source` as fast as it comes, and tells its members. One who is more than 1,000 events
 * behind is cut off with SLOW_READER, as everywhere; the others go on. `onEnd` is called once, when
 * it takes nobody in any more: the last one left, or the source has ended.
 */
export function subscriptionGroup(source: EventPipeline, onEnd: () => void): SubscriptionGroup {
  const members = new Set<Member>()
  let last: Entry = { number: 0, event: null, outcome: null, next: null }
  let ending: Ending | null = null
  let isPulling = false
  const ground: Ground = { ending: () => ending, leave, fault: source.fault }

  return {
    join(onReleased, judged) {
      if (ending) return null
      const member = new Member(last, ground, onReleased, judged)
      members.add(member)
      // Not before the first, who would not be told of what came until then.
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
    const executed = source.outcome(result.value)
    if (executed instanceof Promise) void executed.then((done) => notify(result.value, done))
    else notify(result.value, executed)
  }

  function notify(event: unknown, response: ExecutionResult): void {
    if (ending) return
    const entry: Entry = { number: last.number + 1, event, outcome: response, next: null }
    last.next = entry
    last = entry
    let isAnyoneBehind = false
    for (const member of members) if (!member.proceed(entry)) isAnyoneBehind = true
    if (!isAnyoneBehind) entry.outcome = null
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

/** Why a group takes nobody in any more. */
type Ending = { readonly errors: readonly GraphQLFormattedError[] | null }

/** What a member needs of its group: one object for all of them. */
type Ground = {
  readonly ending: () => Ending | null
  readonly leave: (member: Member) => void
  readonly fault: EventPipeline['fault']
}

/** One client of a group. A class, so that a hundred thousand of them share their code. */
class Member implements Running {
  readonly #group: Ground
  readonly #onReleased: () => void
  readonly #subscriber: Subscriber | null
  readonly #stillAllowed: StillAllowed | null
  #recipient: Recipient | null = null
  /** The last that it was told of. */
  #at: Entry
  /** Whether it waits for the network, or has not begun to listen. */
  #isBusy = true
  #isTelling = false
  #isReleased = false
  /** Made with the first event: most of those who wait have not had any. */
  #taken: (() => void) | null = null

  constructor(at: Entry, group: Ground, onReleased: () => void, judged: Judged | undefined) {
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
   * Tells what happened since, as far as its reader takes it. `last` is the newest. False when that
   * is needed again later.
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

  #tell({ event, outcome }: Entry): void {
    if (!outcome) return
    if (!this.#subscriber) {
      this.#send(outcome)
      return
    }
    if (!this.#subscriber.isNew(event)) return
    this.#isBusy = true
    void this.#mayReceive(this.#subscriber, event).then(
      (mayReceive) => this.#proceedJudged(mayReceive ? outcome : null),
      (error: unknown) => this.#recipient?.end([this.#group.fault(error)]),
    )
  }

  async #mayReceive(subscriber: Subscriber, event: unknown): Promise<boolean> {
    if (this.#stillAllowed && !(await this.#stillAllowed())) throw CHANGED
    return subscriber.mayReceive(event)
  }

  /** Null: what the event told of is gone. */
  #proceedJudged(outcome: ExecutionResult | null): void {
    if (this.#isReleased) return
    if (outcome) this.#send(outcome)
    else this.#settle()
    this.proceed(this.#at)
  }

  #send(outcome: ExecutionResult): void {
    this.#taken ??= () => {
      this.#settle()
      // A network that takes everything at once is told by the loop: called from here, each event
      // would take a part of the stack.
      if (!this.#isTelling) this.proceed(this.#at)
    }
    this.#isBusy = true
    this.#isTelling = true
    this.#recipient?.tell(outcome, this.#taken)
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
