import { EventSourceParserStream } from 'eventsource-parser/stream'

/**
 * JSON-RPC messages of a response: the JSON body, or one per server-sent event. Empty without any.
 */
export async function* messagesIn(response: Response): AsyncGenerator<object> {
  const type = response.headers.get('content-type') ?? ''
  if (/^application\/json\b/i.test(type)) {
    const given: unknown = await response.json()
    if (typeof given === 'object' && given !== null && 'jsonrpc' in given) yield given
  } else if (/^text\/event-stream\b/i.test(type) && response.body) {
    const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
    for await (const { data } of events) if (data !== '') yield JSON.parse(data)
  } else {
    await response.body?.cancel()
  }
}
