/**
 * Receives webhooks of a store, and believes only what is signed with its hooks token.
 *
 *   ATRIUM_LOGIN_KEY=… ATRIUM_AUTH_TOKEN=… npx node examples/webhook-receiver/receiver.ts [address]
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const atriumUrl = process.argv[2] ?? process.env.ATRIUM_URL ?? 'http://localhost:4000'
/** 0 takes any free port. */
const port = Number(process.env.PORT ?? 4100)

const MAX_BODY_BYTES = 5_000_000
/**
 * Retries end after about six hours; this many deliveries are remembered for longer than that in
 * most stores.
 */
const MAX_SEEN_DELIVERIES = 10_000
/** Of these one must match: while a rotation lasts, the second is made with the token before. */
const SIGNATURE_HEADERS = ['jumpseller-hmac-sha256', 'atrium-previous-hmac-sha256'] as const

/** The key of the signatures, from the store itself, so that it stands in no file. */
async function fetchHooksToken(): Promise<string> {
  const { ATRIUM_LOGIN_KEY = '', ATRIUM_AUTH_TOKEN = '' } = process.env
  const response = await fetch(new URL('/v1/store/info.json', atriumUrl), {
    headers: { 'x-login-key': ATRIUM_LOGIN_KEY, 'x-auth-token': ATRIUM_AUTH_TOKEN },
  }).catch((cause: unknown) => {
    throw new Error(`Cannot reach Atrium at ${atriumUrl}. Start it with "npm start", or pass its address.`, { cause })
  })
  if (response.status === 401) throw new Error('Set ATRIUM_LOGIN_KEY and ATRIUM_AUTH_TOKEN: npx atrium store token reset demo')
  if (!response.ok) throw new Error(`Atrium answers ${response.status}: ${await response.text()}`)
  const store = (await response.json()) as { readonly hooks_token: string }
  return store.hooks_token
}

/**
 * Whether `body`, byte for byte as it came, was signed with `token`. Takes the same time wherever a
 * wrong signature differs.
 */
function isSigned(body: Buffer, headers: IncomingHttpHeaders, token: string): boolean {
  const expected = createHmac('sha256', token).update(body).digest()
  return SIGNATURE_HEADERS.some((name) => {
    const given = Buffer.from(String(headers[name] ?? ''), 'base64')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

/** The whole body; null when it is larger than `MAX_BODY_BYTES`. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  // Without the option, the end of the loop would close the connection before it has been answered.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const seenDeliveries = new Set<string>()

/** Whether this delivery came before: one is sent again when its answer got lost. */
function isRepeated(id: string): boolean {
  if (seenDeliveries.has(id)) return true
  const [oldest] = seenDeliveries
  if (oldest !== undefined && seenDeliveries.size >= MAX_SEEN_DELIVERIES) seenDeliveries.delete(oldest)
  seenDeliveries.add(id)
  return false
}

async function receive(request: IncomingMessage, response: ServerResponse, token: string): Promise<void> {
  const body = await readBody(request)
  if (!body) return void response.writeHead(413, { connection: 'close' }).end()
  if (!isSigned(body, request.headers, token)) {
    console.log('Refused: the signature is not that of this store.')
    return void response.writeHead(401).end()
  }

  const { 'jumpseller-event': event, 'atrium-delivery-id': id, 'atrium-test': test } = request.headers
  // Any 2xx within 15 seconds counts as received: what takes longer belongs into a queue.
  response.writeHead(204).end()
  if (isRepeated(String(id))) return console.log(`Repeated: ${event} ${id}`)
  console.log(`Received${test ? ' (a try)' : ''}: ${event} ${id} ${body.toString().slice(0, 200)}`)
}

try {
  const token = await fetchHooksToken()
  const server = createServer((request, response) => {
    receive(request, response, token).catch((error: unknown) => {
      // The sender went away half-way.
      console.error(String(error))
      response.destroy()
    })
  })
  server.on('error', ({ message }) => {
    console.error(`Cannot listen on port ${port}, set PORT: ${message}`)
    process.exitCode = 1
  })
  server.listen(port, '127.0.0.1', () => {
    console.log(`Receiving at http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  })
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
