import type { GraphQLFormattedError } from 'graphql'
import { slowReader } from '../../platform/graphql/errors.ts'
import { BOUNDS } from '../limits/limits.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import type { EventPipeline, Recipient, Running } from './subscribe.ts'

/** An event of a group, and the one behind it: who is behind holds those that it was not told of, and what nobody holds is gone. */
type Entry = {
  readonly number: number
  /** What came of it; null once everybody was told, and before the first of all. */
  outcome: ExecutionResult | null
  next: Entry | null
}

/** Clients that are told the same, each at its own pace, by one source of events. */
export type SubscriptionGroup = {
  /** A place in it, whose first event is the next one; null where it has ended. `onReleased` is called once, when the place is given up. */
  readonly join: (onReleased: () => void) => Running | null
}

/**
 * Reads `source` as fast as it comes, and tells its members. One who is more than 1,000 events behind is cut off with SLOW_READER, as everywhere; the others go on.
 * `onEnd` is called once, when it takes nobody in any more: the last one left, or the source has ended.
 */
export function subscriptionGroup(source: EventPipeline, onEnd: () => void): SubscriptionGroup {
  const members = new Set<Member>()
  let last: Entry = { number: 0, outcome: null, next: null }
  let ending: Ending | null = null
  let isPulling = false
  const ground: Ground = { ending: () => ending, leave }

  return {
    join(onReleased) {
      if (ending) return null
      const member = new Member(last, ground, onReleased)
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
    const outcome = source.outcome(result.value)
    if (outcome instanceof Promise) void outcome.then(tell)
    else tell(outcome)
  }

  function tell(outcome: ExecutionResult): void {
    if (ending) return
    const entry: Entry = { number: last.number + 1, outcome, next: null }
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
type Ground = { readonly ending: () => Ending | null; readonly leave: (member: Member) => void }

/** One client of a group. A class, so that a hundred thousand of them share their code. */
class Member implements Running {
  readonly #group: Ground
  readonly #onReleased: () => void
  #recipient: Recipient | null = null
  /** The last that it was told of. */
  #at: Entry
  /** Whether it waits for the network, or has not begun to listen. */
  #isBusy = true
  #isTelling = false
  #isReleased = false
  /** Made with the first event: most of those who wait have not had any. */
  #taken: (() => void) | null = null

  constructor(at: Entry, group: Ground, onReleased: () => void) {
    this.#at = at
    this.#group = group
    this.#onReleased = onReleased
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

  /** Tells what happened since, as far as its reader takes it. `last` is the newest. False when that is needed again later. */
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
    this.#onReleased()
  }

  #tell({ outcome }: Entry): void {
    if (!outcome) return
    this.#taken ??= () => {
      this.#isBusy = false
      // A network that takes everything at once is told by the loop: called from here, each event would take a part of the stack.
      if (!this.#isTelling) this.proceed(this.#at)
    }
    this.#isBusy = true
    this.#isTelling = true
    this.#recipient?.tell(outcome, this.#taken)
    this.#isTelling = false
  }

  #cutOff(): void {
    const recipient = this.#recipient
    const { message, extensions } = slowReader(BOUNDS.waitingEvents)
    this.return()
    recipient?.end([{ message, extensions }])
  }
}
