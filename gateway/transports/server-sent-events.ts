/** Maximum length of an event. */
export const MAX_EVENT_CHARACTERS = 10_000_000

/**
 * The events of a stream, as the HTML standard spells them (§9.2.6); comments and unused fields are
 * dropped.
 */
export async function* parseEventStream(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<{ readonly event: string; readonly data: string }> {
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
      if (event !== undefined) yield { event, data: fields('data').join('\n') }
    }
  }
}

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
