import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** What one request came to; `status` is 0 where there was no answer, and `text` then says why. */
export type Reply = {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly text: string
  /** When it had a connection, and how long its answer took. Milliseconds. */
  readonly sentAt: number
  readonly took: number
}

/**
 * From when a request has a connection, longer than anything may take: what has no answer then
 * hangs. Milliseconds.
 */
const TIMEOUT_MS = 60_000
/** Between two looks at what is due. Milliseconds. */
const STEP = 10
/**
 * How many connections a balancer has, which most installations are behind; others make a new one
 * for each request.
 */
const MAX_SAMPLES = 500

/**
 * Sends `perSecond` requests a second to `/graphql` for `seconds`, whatever becomes of them, as
 * clients do who do not know of each other.
 */
export async function openLoop(
  port: number,
  body: string,
  {
    perSecond,
    seconds,
    connections,
  }: { readonly perSecond: number; readonly seconds: number; readonly connections: 'kept' | 'new' },
): Promise<readonly Reply[]> {
  const agent = connections === 'kept' ? new Agent({ keepAlive: true, maxSockets: MAX_SAMPLES }) : new Agent({ keepAlive: false })
  const replies: Promise<Reply>[] = []
  const begun = performance.now()
  for (let elapsed = 0; elapsed < seconds; elapsed = (performance.now() - begun) / 1000) {
    while (replies.length < elapsed * perSecond) replies.push(replyTo(port, body, agent))
    await sleep(STEP)
  }
  try {
    return await Promise.all(replies)
  } finally {
    agent.destroy()
  }
}

/** Asks the graph once. Never rejects. */
export function replyTo(port: number, body: string, agent?: Agent): Promise<Reply> {
  let sentAt = performance.now()
  return new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException) =>
      resolve({ status: 0, retryAfter: undefined, text: error.code ?? error.message, sentAt, took: performance.now() - sentAt })
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const outgoing = request({ host: '127.0.0.1', port, path: '/graphql', method: 'POST', agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('error', failed)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          retryAfter: response.headers['retry-after'],
          text: response.statusCode === 200 ? once(text) : text,
          sentAt,
          took: performance.now() - sentAt,
        }),
      )
    })
    outgoing.on('socket', () => {
      sentAt = performance.now()
      const timer = setTimeout(() => outgoing.destroy(new Error('It hangs.')), TIMEOUT_MS)
      outgoing.on('close', () => clearTimeout(timer))
    })
    outgoing.on('error', failed)
    outgoing.end(body)
  })
}

let last = ''
/** The text that was there last, where it is equal: of thousands of answers only one is kept. */
function once(text: string): string {
  if (text !== last) last = text
  return last
}
