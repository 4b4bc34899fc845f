/** Upper bound of an event. */
export const MAX_EVENT_CHARACTERS = 10_000_000

/** Upper bound of an event `id`; longer ones are ignored. */
const MAX_ID_CHARACTERS = 1_000

/** A server-sent event; `id` if it can be sent back in a header. */
export type ServerSentEvent = { readonly event: string; readonly data: string; readonly id?: string }

/** Parses an event stream (HTML standard §9.2.6); drops comments and unused fields. */
export async function* parseEventStream(chunks: AsyncIterable<Buffer>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder()
  const withLineFeeds = lineEnds()
  let text = ''
  for await (const chunk of chunks) {
    text += withLineFeeds(decoder.decode(chunk, { stream: true }))
    if (text.length > MAX_EVENT_CHARACTERS) throw new Error(`Expected events of at most ${MAX_EVENT_CHARACTERS} characters.`)
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = (name: string) =>
        block.split('\n').flatMap((line) => (line.startsWith(`${name}:`) ? [line.slice(name.length + 1).replace(/^ /, '')] : []))
      const [event] = fields('event')
      if (event === undefined) continue
      const id = fields('id').at(-1)
      yield { event, data: fields('data').join('\n'), ...(id !== undefined && isSendable(id) && { id }) }
    }
  }
}

/** Printable ASCII only: other characters are invalid in headers, or change by their encoding. */
const isSendable = (id: string): boolean => id.length <= MAX_ID_CHARACTERS && /^[ -~]*$/.test(id) && id.trim() === id

/**
 * Normalizes line ends (CR LF, CR or LF) to LF. A CR at the end of a chunk ends the line at once,
 * because the event would otherwise wait for the next chunk; a LF that follows is dropped.
 */
function lineEnds(): (piece: string) => string {
  let isAfterCr = false
  return (piece) => {
    if (piece === '') return ''
    const rest = isAfterCr && piece.startsWith('\n') ? piece.slice(1) : piece
    isAfterCr = piece.endsWith('\r')
    return rest.replaceAll(/\r\n?/g, '\n')
  }
}
