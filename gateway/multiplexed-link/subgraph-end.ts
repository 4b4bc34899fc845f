import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { refuseUpgrade } from '../../platform/http/server.ts'
import { BOUNDS } from '../limits/limits.ts'
import type { createSignatureVerifier } from '../signed-link/signature.ts'
import { MAX_RESPONSE_BYTES } from '../subgraph-client/response-body.ts'
import { type Channel, openChannel } from './channel.ts'
import { isNonce, KEEP_ALIVE_MS, keysOf, LINK_PATH, NONCE_HEADER, newNonce, PROTOCOL } from './handshake.ts'
import { type LinkMessage, type LinkRequestHead, MAX_RECORD_BYTES, MESSAGE, TEXTS } from './messages.ts'

/** Requests that one connection may have unanswered; gateways have fewer. */
const MAX_UNANSWERED = 64
/** How long a gateway may take to send its first record, which proves that it knows the secret. */
const PROOF_TIMEOUT_MS = 10_000

/** An answer of a subgraph. `head`: see `MESSAGE.answer`. */
export type LinkAnswer = { readonly head: string; readonly body: string } | { readonly retryAfterSeconds: number }

/** A request as it came over a multiplexed link. */
export type LinkRequest = {
  readonly query: string
  readonly operationName: string | undefined
  /** As JSON. */
  readonly variables: string
  /** Those that signatures cover, from a gateway that has proved to know the secret. */
  readonly headers: Readonly<Record<string, string>>
  readonly grantedScopes: unknown
  /** Address of the gateway. */
  readonly peer: string
}

/**
 * Serves multiplexed links of gateways: one signed handshake for each connection, and records that
 * are authenticated by its keys. `answer` never rejects; its signal is aborted when the gateway
 * does not want the answer any more, and null is for such a one that was not begun. Gateways are
 * told to connect elsewhere whenever the server says that it is not ready, because a balancer leaves
 * open connections where they are. While it drains, it takes no new ones.
 */
export function serveMultiplexedLinks(
  app: FastifyInstance,
  judge: ReturnType<typeof createSignatureVerifier>,
  answer: (request: LinkRequest, signal: AbortSignal) => Promise<LinkAnswer | null>,
): void {
  const open = new Set<Channel>()
  let isDraining = false
  app.server.on('upgrade', upgrade)
  app.onUnready(retireAll)
  app.addHook('preClose', async () => {
    retireAll(true)
    // Gateways close their connections after the last answer.
    setTimeout(() => {
      for (const channel of open) channel.destroy()
    }, BOUNDS.operationTimeoutMs).unref()
  })

  /**
   * A check may pass again, after which gateways connect here again. They hear of it before whoever
   * asked whether the server is ready, so that no balancer acts first.
   */
  function retireAll(isStopping: boolean): void {
    isDraining ||= isStopping
    for (const channel of open) channel.sendNow(MESSAGE.retire)
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy())
    const { method = '', url: path = '', headers } = request
    const nonce = path.slice(LINK_PATH.length)
    if (!path.startsWith(LINK_PATH) || !isNonce(nonce)) {
      refuseUpgrade(socket, 404, 'Expected a link of a gateway.')
      return
    }
    const verdict = judge({ method, path, headers })
    if (verdict.kind === 'refused') {
      refuseUpgrade(socket, 401, verdict.reason)
      return
    }
    if (isDraining) {
      refuseUpgrade(socket, 503, 'This server is stopping: connect again.')
      return
    }
    const own = newNonce()
    const { seal, open: opening } = keysOf(verdict.sessionKey, nonce, own)
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${PROTOCOL}\r\n${NONCE_HEADER}: ${own}\r\n\r\n`,
    )
    if (head.length > 0) socket.unshift(head)
    request.socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS)
    serve(socket, { seal: opening, open: seal }, request.socket.remoteAddress ?? '')
  }

  function serve(socket: Duplex, keys: Parameters<typeof openChannel>[1], peer: string): void {
    const texts = receivedTexts()
    const unanswered = new Map<number, AbortController>()
    const unproved = setTimeout(() => channel.destroy(), PROOF_TIMEOUT_MS)
    const channel: Channel = openChannel(socket, keys, {
      maxBytes: MAX_RECORD_BYTES,
      waits: true,
      onMessage,
      onClose() {
        clearTimeout(unproved)
        open.delete(channel)
        for (const each of unanswered.values()) each.abort(new Error('The gateway is gone.'))
      },
    })
    open.add(channel)

    function onMessage({ kind, id, head, body }: LinkMessage): void {
      clearTimeout(unproved)
      if (kind === MESSAGE.text) texts.add(id, body.toString())
      else if (kind === MESSAGE.request) begin(id, head, body).catch(channel.destroy)
      else if (kind === MESSAGE.cancel) unanswered.get(id)?.abort(new Error('The gateway does not want the answer any more.'))
      else if (kind === MESSAGE.ping) channel.send(MESSAGE.ping, 0)
      else throw new Error(`Expected a message of a gateway, got one of kind ${kind}.`)
    }

    async function begin(id: number, head: string, body: Buffer): Promise<void> {
      // Trusted shape: authenticated as that of a gateway of this installation.
      const [text, operationName, headers, grantedScopes] = JSON.parse(head) as LinkRequestHead
      const query = texts.at(text)
      if (query === undefined || unanswered.has(id) || unanswered.size >= MAX_UNANSWERED) return channel.destroy()
      const controller = new AbortController()
      unanswered.set(id, controller)
      const request = { query, operationName: operationName ?? undefined, headers, grantedScopes, peer }
      const answered = await answer({ ...request, variables: body.toString() }, controller.signal)
      unanswered.delete(id)
      if (answered === null) return
      if ('retryAfterSeconds' in answered) channel.send(MESSAGE.overloaded, id, String(answered.retryAfterSeconds))
      else if (Buffer.byteLength(answered.body) > MAX_RESPONSE_BYTES) channel.send(MESSAGE.tooLarge, id)
      else channel.send(MESSAGE.answer, id, answered.head, answered.body)
    }
  }
}

/** Texts of operations that a gateway sent, by their numbers: as many as a connection has room for. */
function receivedTexts(): {
  /** Throws for a number that is not the next, and for more than there is room for. */
  readonly add: (number: number, text: string) => void
  readonly at: (number: number) => string | undefined
} {
  const texts: string[] = []
  let characters = 0
  return {
    add(number, text) {
      characters += text.length
      if (number !== texts.length || number >= TEXTS.maxEntries || characters > TEXTS.maxCharacters)
        throw new Error('Expected texts in order, and no more than a connection has room for.')
      texts.push(text)
    },
    at: (number) => texts[number],
  }
}
