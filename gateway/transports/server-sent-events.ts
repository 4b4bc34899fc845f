/** Maximum length of an event. */
export const MAX_EVENT_CHARACTERS = 10_000_000

/** Maximum length of an `id` that is kept; longer ones are no `id`. */
const MAX_ID_CHARACTERS = 1_000

/** An event of a stream; `id` where it has one that can be sent back in a header. */
export type ServerSentEvent = { readonly event: string; readonly data: string; readonly id?: string }

/**
 * The events of a stream, as the HTML standard spells them (§9.2.6); comments and unused fields are
 * dropped.
 */
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

/** Printable ASCII: other characters are no value of a header, or another one after its encoding. */
const isSendable = (id: string): boolean => id.length <= MAX_ID_CHARACTERS && /^[ -~]*$/.test(id) && id.trim() === id

/**
 * Makes every end of a line, which may be CR LF, CR or LF, a LF. A CR at the end of a piece ends
 * its line at once, or an event would wait for the next one: the LF that may follow there is no
 * line of its own.
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
