import type pg from 'pg'

/** A connection as `pg` passes it to a submitted query; the part that COPY needs. */
type Wire = {
  readonly query: (text: string) => void
  readonly sendCopyFromChunk: (chunk: Buffer) => boolean
  readonly endCopyFrom: () => void
  readonly sendCopyFail: (message: string) => void
  readonly stream: NodeJS.WritableStream & {
    readonly pause: () => void
    readonly resume: () => void
    readonly writableNeedDrain: boolean
  }
}

/** Rows that are buffered before the database has to wait. */
const MAX_WAITING_ROWS = 1_000

/**
 * The rows of a `COPY … TO STDOUT`, a line of bytes each. A slow reader makes the database wait;
 * one that stops early must close the connection.
 */
export async function* copyOut(client: pg.Client, text: string): AsyncGenerator<Buffer> {
  const waiting: Buffer[] = []
  let [ended, failure, wake]: [boolean, unknown, () => void] = [false, null, () => {}]
  let wire: Wire | undefined
  client.query({
    submit(connection: Wire) {
      wire = connection
      connection.query(text)
    },
    handleCopyData({ chunk }: { readonly chunk: Buffer }) {
      // The parser writes the next messages over it.
      waiting.push(Buffer.from(chunk))
      if (waiting.length === MAX_WAITING_ROWS) wire?.stream.pause()
      wake()
    },
    handleError(error: unknown) {
      failure = error
      ended = true
      wake()
    },
    handleReadyForQuery() {
      ended = true
      wake()
    },
    handleCommandComplete() {},
    // `pg` calls only these methods of a query; its types ask for more.
  } as unknown as pg.Submittable)

  for (;;) {
    if (waiting.length > 0) yield* waiting.splice(0)
    else if (failure !== null) throw failure
    else if (ended) return
    else {
      await new Promise<void>((resolve) => {
        wake = resolve
        wire?.stream.resume()
      })
    }
  }
}

/**
 * Gives chunks to a `COPY … FROM STDIN`. Answers how many rows they were; rejects with what the
 * database or `chunks` throws, and nothing was written then.
 */
export function copyIn(client: pg.Client, text: string, chunks: AsyncIterable<Buffer>): Promise<number> {
  return new Promise((resolve, reject) => {
    let [rows, failure, wire]: [number, { readonly error: unknown } | null, Wire | undefined] = [0, null, undefined]
    client.query({
      submit(connection: Wire) {
        wire = connection
        connection.query(text)
      },
      handleCopyInResponse() {
        void send()
      },
      handleCommandComplete({ text: tag }: { readonly text: string }) {
        rows = Number(/^COPY (\d+)$/.exec(tag)?.[1] ?? 0)
      },
      handleError(error: unknown) {
        failure ??= { error }
        reject(failure.error)
      },
      handleReadyForQuery() {
        if (!failure) resolve(rows)
      },
      // `pg` calls only these methods of a query; its types ask for more.
    } as unknown as pg.Submittable)

    async function send(): Promise<void> {
      try {
        for await (const chunk of chunks) {
          if (failure) return
          wire?.sendCopyFromChunk(chunk)
          if (wire?.stream.writableNeedDrain) await drained(wire.stream)
        }
        wire?.endCopyFrom()
      } catch (error) {
        failure ??= { error }
        wire?.sendCopyFail('given up')
      }
    }
  })
}

/** Also resolves when the connection has ended, which the query reports. */
function drained(stream: NodeJS.WritableStream): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done)
      resolve()
    }
    stream.on('drain', done).on('close', done)
  })
}
