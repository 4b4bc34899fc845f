import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { isJSONRPCNotification, isJSONRPCRequest, type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { headersFor, versionIn } from './headers.ts'
import { messagesIn } from './messages.ts'

/**
 * Wait for pending responses after the end of standard input: longer than the timeout of an
 * operation.
 */
const DRAIN_TIMEOUT_MS = 15_000

/**
 * Forwards MCP messages between standard input and output and the server at `url`, parsing only
 * what HTTP needs, so that tools, versions and limits stay the server's. Resolves at the end of
 * standard input, after pending requests are answered.
 */
export async function bridge(url: string, credentials: Readonly<Record<string, string>>): Promise<void> {
  const pending = new Set<Promise<void>>()
  // Delays the end of input, because the transport sends nothing after it.
  const input = inputUntil(() => Promise.race([Promise.all(pending), sleep(DRAIN_TIMEOUT_MS, undefined, { ref: false })]))
  const client = new StdioServerTransport(Readable.from(input, { objectMode: false }))
  const ended = new AbortController()
  const running = new Map<string | number, AbortController>()
  /**
   * Protocol version negotiated by `initialize` of a 2025 client; newer clients repeat the version
   * in every message.
   */
  let agreedVersion: string | null = null

  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve
  })
  client.onerror = (error) => console.error(error.message)
  client.onmessage = (message) => {
    const carried: Promise<void> = carry(message)
      .catch((error: unknown) => console.error(error))
      .finally(() => pending.delete(carried))
    pending.add(carried)
  }
  await client.start()
  await closed
  ended.abort()
  // Lets the process exit while standard input is still open. A file as standard input has no
  // `unref`.
  process.stdin.unref?.()

  async function carry(message: JSONRPCMessage): Promise<void> {
    if (isJSONRPCRequest(message)) return answer(message)
    if (!isJSONRPCNotification(message)) return
    // Over HTTP a request is cancelled by closing its connection.
    const cancelled = message.method === 'notifications/cancelled' ? message.params?.requestId : undefined
    if (typeof cancelled === 'string' || typeof cancelled === 'number') return running.get(cancelled)?.abort()
    await post(message, ended.signal).then(
      (response) => response.body?.cancel(),
      () => {},
    )
  }

  async function answer(request: JSONRPCMessage & { readonly id: string | number; readonly method: string }): Promise<void> {
    const { id, method } = request
    const cancelled = new AbortController()
    running.set(id, cancelled)
    const signal = AbortSignal.any([cancelled.signal, ended.signal])
    let isAnswered = false
    try {
      const response = await post(request, signal)
      for await (const item of messagesIn(response)) {
        // An error for the whole HTTP request has no message id; each request here carries one
        // message.
        const reply = parseJSONRPCMessage('error' in item ? { ...item, id } : item)
        if ('id' in reply && !('method' in reply)) {
          isAnswered = true
          if (method === 'initialize') agreedVersion = versionIn(reply) ?? agreedVersion
        }
        await client.send(reply)
      }
      if (!isAnswered) throw new Error(`Expected an answer of an MCP server at ${url}, got HTTP ${response.status}.`)
    } catch (error) {
      if (signal.aborted || isAnswered) return
      await client.send({ jsonrpc: '2.0', id, error: { code: -32_000, message: reasonOf(error) } })
    } finally {
      running.delete(id)
    }
  }

  function post(message: JSONRPCMessage, signal: AbortSignal): Promise<Response> {
    const headers = {
      ...credentials,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headersFor(message, agreedVersion),
    }
    return fetch(url, { method: 'POST', headers, body: JSON.stringify(message), signal })
  }

  /** Error message for the user of an MCP client, with a remedy. */
  function reasonOf(error: unknown): string {
    const message = error instanceof Error ? error.message : String(error)
    if (message !== 'fetch failed') return `${message} Is that the address of an Atrium (--url)?`
    return `No server answers at ${url}: start Atrium with npm start, or set its URL with --url or ATRIUM_URL.`
  }
}

/**
 * Standard input that ends after `drained` resolves. Adds a missing newline to the last line, which
 * the transport needs.
 */
async function* inputUntil(drained: () => Promise<unknown>): AsyncGenerator<Buffer> {
  let last: Buffer | null = null
  for await (const chunk of process.stdin) {
    last = chunk
    yield chunk
  }
  if (last && last.at(-1) !== 0x0a) yield Buffer.from('\n')
  await drained()
}
