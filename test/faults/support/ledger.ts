import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Writes of one kind that clients do, each under a name of its own that is found again in the
 * database.
 */
export type Kind = {
  readonly name: string
  /**
   * Writes `name` once. Rejects when nobody said that it is written, which it may be all the same.
   */
  readonly write: (name: string) => Promise<void>
  /**
   * Whether the same name may be written again until somebody says that it is: repetitions then
   * change nothing.
   */
  readonly isRepeatable: boolean
  /** Between two writes of one client; absent: 75. Milliseconds. */
  readonly pause?: number
  /** The names that are there, each as often as it is. */
  readonly written: () => Promise<readonly string[]>
  /**
   * What else must add up when nobody writes any more: a sentence for each thing that does not.
   * `names` are the different ones that are there.
   */
  readonly wrongs?: (names: number) => Promise<readonly string[]>
}

/** What came of the writes of one kind. Milliseconds are of `performance.now()`. */
export type Findings = {
  readonly kind: string
  readonly acknowledged: number
  /** Acknowledged, and not there. */
  readonly lost: readonly string[]
  /** There more than once, whether acknowledged or not. */
  readonly duplicated: readonly string[]
  /** What clients were told instead of an acknowledgement, in order. */
  readonly failures: readonly string[]
  readonly wrongs: readonly string[]
  /** Longest time between two acknowledgements. */
  readonly maxGapMs: number
}

/** Clients that write without a pause. */
export type Load = {
  /**
   * Resolves when each kind has so many acknowledgements more of writes that begin from now on.
   * Rejects, naming the kind, when that takes longer than `milliseconds`.
   */
  readonly more: (acknowledgements: number, milliseconds?: number) => Promise<void>
  /** Ends the clients, with what they have begun, and compares their ledgers with what is there. */
  readonly settle: () => Promise<readonly Findings[]>
  /** Ends the clients after the requests that they wait for; what is repeatable stays as it is. */
  readonly abandon: () => Promise<void>
}

/**
 * Between two writes of one client, so that a minute of them stays within the limits of a store.
 * Milliseconds.
 */
const PAUSE = 75
/** How long writes may stay away before it is a fault of its own. Milliseconds. */
const TIMEOUT_MS = 90_000

/** Starts so many clients of each kind. */
export function startLoad(kinds: readonly Kind[], clients: number): Load {
  const ended = new AbortController()
  const abandoned = new AbortController()
  const books = kinds.map((kind) => ({
    kind,
    acknowledged: [] as { name: string; begun: number; at: number }[],
    failures: [] as string[],
  }))
  const working = books.flatMap((book) => Array.from({ length: clients }, (_, client) => work(book, client)))
  // Whoever waits for acknowledgements is told first.
  for (const each of working) each.catch(() => {})

  return {
    async more(acknowledgements, milliseconds = TIMEOUT_MS) {
      const from = performance.now()
      for (const { kind, acknowledged, failures } of books) {
        while (acknowledged.filter(({ begun }) => begun >= from).length < acknowledgements) {
          if (performance.now() - from > milliseconds)
            throw new Error(
              `Expected ${kind.name} to be acknowledged within ${milliseconds / 1000} seconds, got ${failures.at(-1)}.`,
            )
          await sleep(20)
        }
      }
    },
    async settle() {
      ended.abort()
      await Promise.all(working)
      return Promise.all(books.map(({ kind, acknowledged, failures }) => compared(kind, acknowledged, failures)))
    },
    async abandon() {
      ended.abort()
      abandoned.abort()
      await Promise.all(working)
    },
  }

  async function work({ kind, acknowledged, failures }: (typeof books)[number], client: number): Promise<void> {
    for (let number = 1; !ended.signal.aborted; number += 1) {
      const name = `${kind.name} ${client}-${number}`
      const begun = performance.now()
      for (;;) {
        const failure = await kind.write(name).then(
          () => null,
          (error: unknown) => messageOf(error),
        )
        if (failure === null) acknowledged.push({ name, begun, at: performance.now() })
        else failures.push(failure)
        await sleep(kind.pause ?? PAUSE)
        // What is repeatable is repeated to its end, also when nothing new is begun.
        if (failure === null || !kind.isRepeatable || abandoned.signal.aborted) break
      }
    }
  }
}

async function compared(
  kind: Kind,
  acknowledged: readonly { readonly name: string; readonly at: number }[],
  failures: readonly string[],
): Promise<Findings> {
  const there = Map.groupBy(await kind.written(), (name) => name)
  const times = acknowledged.map(({ at }) => at).sort((one, other) => one - other)
  return {
    kind: kind.name,
    acknowledged: acknowledged.length,
    lost: acknowledged.filter(({ name }) => !there.has(name)).map(({ name }) => name),
    duplicated: [...there].filter(([, copies]) => copies.length > 1).map(([name]) => name),
    failures,
    wrongs: (await kind.wrongs?.(there.size)) ?? [],
    maxGapMs: Math.max(0, ...times.map((at, index) => at - (times[index - 1] ?? at))),
  }
}

const messageOf = (error: unknown): string => {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message}: ${'code' in cause ? cause.code : cause.message}` : message
}
