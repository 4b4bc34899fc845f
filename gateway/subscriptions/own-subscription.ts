import type { ExecutionResult } from '../operations/execution-result.ts'
import type { EventPipeline, Recipient, Running } from './subscribe.ts'

/**
 * A subscription with its own event source, read event by event until missed events are delivered.
 * Then `share` returns the subscription that replaces it; null while events are queued in the
 * source.
 */
export class OwnSubscription implements Running {
  readonly #source: EventPipeline
  readonly #share: () => Running | null
  readonly #onReleased: () => void
  #recipient: Recipient | null = null
  #shared: Running | null = null
  #isReleased = false

  constructor(source: EventPipeline, share: () => Running | null, onReleased: () => void) {
    this.#source = source
    this.#share = share
    this.#onReleased = onReleased
  }

  follow(recipient: Recipient): void {
    this.#recipient = recipient
    this.#ask()
  }

  return(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#recipient = null
    if (this.#shared) {
      this.#shared.return()
      return
    }
    this.#source.return()
    this.#onReleased()
  }

  // Callbacks instead of promises, because this runs once per event and client.
  readonly #ask = (): void => {
    if (this.#isReleased || !this.#recipient) return
    this.#shared = this.#share()
    if (this.#shared) this.#shared.follow(this.#recipient)
    else void this.#source.next().then(this.#take, this.#fail)
  }

  readonly #take = (result: IteratorResult<unknown, unknown>): void => {
    if (this.#isReleased) return
    if (result.done) {
      this.#recipient?.end(null)
      return
    }
    const executed = this.#source.execute(result.value)
    if (executed instanceof Promise) void executed.then(this.#tell)
    else this.#tell(executed)
  }

  readonly #tell = (response: ExecutionResult): void => {
    this.#recipient?.deliver(response, this.#ask)
  }

  readonly #fail = (error: unknown): void => this.#recipient?.end([this.#source.fault(error)])
}
