/** The longest event. */
export const EVENT_BYTES = 10_000_000

/** The events of a stream, as the HTML standard spells them (§9.2.6); comments and fields that nobody here needs are dropped. */
export async function* eventsIn(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<{ readonly event: string; readonly data: string }> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true }).replaceAll('\r\n', '\n')
    if (text.length > EVENT_BYTES) throw new Error(`Expected events of at most ${EVENT_BYTES} characters.`)
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
