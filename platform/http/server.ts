import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify'
import type { Logger } from 'pino'
import { type LookupTable, lookupTable } from '../collections/lookup-table.ts'
import { MAX_BODY_BYTES } from './body-limit.ts'
import { errorCodeOf } from './error-codes.ts'
import { serveHealth } from './health-routes.ts'
import { idleConnections } from './idle-connections.ts'
import { ServiceOverloadedError, shedLoad } from './load-shedding.ts'
import type { ReadinessCheck } from './readiness.ts'
import { requestIdOf } from './request-id.ts'
import { routeClassOf } from './route-class.ts'
import type { IsProxy } from './trusted-proxies.ts'

export { compressResponses } from './compression.ts'
export { errorCodeOf } from './error-codes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * From now on `/ready` answers 503, and connections end with the answer that they wait for;
     * everything else goes on.
     */
    readonly startDraining: () => void
    /** Has `listener` called whenever `/ready` answers 503, and when this server begins to drain. */
    readonly onUnready: (listener: (isDraining: boolean) => void) => void
    /** Ends all connections at once, those of WebSockets and other upgrades too. */
    readonly cutConnections: () => void
  }
  interface FastifyRequest {
    /** Class of the route in metrics; null: not counted. */
    routeClass: string | null
  }
  interface FastifyContextConfig {
    /** True where a part of the path is a secret: the log has the pattern of the route instead. */
    readonly hasSecretPath?: boolean
  }
}

/** What a server counts about its requests. */
export type RequestMetrics = {
  /** A request of this route class was answered, after so many seconds. */
  readonly requested: (routeClass: string, status: number, seconds: number) => void
  /** A request of this route class was refused by load shedding. */
  readonly shed: (routeClass: string) => void
}

/** Answers a browser that follows an address of this server where there is nothing. */
export type NotFoundPage = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/**
 * Answers a request with an unreadable path, in the format of a room; false where the path is not
 * of this room.
 */
export type UnroutableHandler = (
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: { readonly status: number; readonly message: string },
) => boolean

const unroutableAnswers = new WeakMap<Server, UnroutableHandler[]>()

/**
 * Has requests whose path cannot be read answered by `answer`, where that is the first one that
 * does.
 */
export function addUnroutableHandler(server: Server, answer: UnroutableHandler): void {
  unroutableAnswers.set(server, [...(unroutableAnswers.get(server) ?? []), answer])
}

/** How long a client may take to send a request, and a readiness check to answer. */
const REQUEST_TIMEOUT_MS = 10_000

/** A year, as is usual. Not for subdomains, which may have other owners. */
const STRICT_TRANSPORT = { 'strict-transport-security': 'max-age=31536000' }

/**
 * The longest part of a path between two slashes where that stands for something, in characters.
 */
const PART_CHARACTERS = 1_000
const TOO_LONG_PART = `Expected parts of a path of at most ${PART_CHARACTERS} characters.`

/**
 * No route has a schema for Fastify to compile: what would do that takes a start some 50 ms to
 * load.
 */
const NO_SCHEMAS = {
  buildValidator: () => () => {
    throw new Error('Expected no schema of a body: the handler of the route parses it.')
  },
  buildSerializer: () => () => JSON.stringify,
}

/** Default body of an error: every error of this server is JSON. */
export const errorBody = (status: number, message: string, details: Readonly<Record<string, unknown>> = {}) => ({
  error: { code: errorCodeOf(status), message, details },
})

type HttpServerOptions = {
  readonly log: Logger
  readonly checks?: readonly ReadinessCheck[]
  /** For people; programs get JSON. Absent: everybody does. */
  readonly notFoundPage?: NotFoundPage
  /** Counts requests by the door that they took. */
  readonly metrics?: RequestMetrics | null
  /** Whether X-Forwarded-* of a peer is trusted; absent: never. */
  readonly isProxy?: IsProxy | undefined
  /**
   * Requests and operations of WebSockets that are worked on at once; 0, the default, for no bound.
   */
  readonly loadLimit?: number
  /**
   * Public URL of this server. With https, browsers are told by HSTS to use nothing else for a year
   * (RFC 6797); absent, there is no header.
   */
  readonly publicUrl?: string | undefined
  /** Protocol that a connection may be upgraded to, in lower case. */
  readonly upgradeProtocol?: string
}

/**
 * The HTTP host of a process: request ids, one log line per request without query strings or
 * headers, JSON for every refusal, `/health` (the process is up) and `/ready` (all `checks` pass).
 * Registers no other routes. `close()` lets running requests finish and ends idle connections at
 * once.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { log, checks = [], notFoundPage, metrics = null, loadLimit = 0, publicUrl } = options
  const common = { 'x-content-type-options': 'nosniff', ...(publicUrl?.startsWith('https:') && STRICT_TRANSPORT) }
  const app = createFastify(options, common)
  const { isClosing, onUnready } = trackClosing(app)
  app.decorateRequest('routeClass', null)
  app.addHook('onRequest', (request, reply, done) => {
    request.routeClass = routeClassOf(pathOf(request))
    reply.header('x-request-id', request.id).headers(common)
    const hosts = hostProblem(request.raw)
    // Before any room sees it: what a request is for depends on its host.
    if (hosts !== null) void refuse(reply.header('connection', 'close'), 400, hosts)
    else done(problemOf(request.raw) ?? undefined)
  })
  shedLoad(app, loadLimit, (routeClass) => metrics?.shed(routeClass))
  refuseUnroutedRequests(app)
  app.addHook('onSend', (_, reply, payload, done) => {
    // A kept connection would be closed later, in the middle of the next request.
    if (isClosing()) reply.header('connection', 'close')
    done(null, payload)
  })
  app.addHook('onResponse', (request, reply, done) => {
    logLine(log, request, reply)
    if (metrics) {
      const { routeClass } = request
      if (routeClass !== null) metrics.requested(routeClass, reply.statusCode, reply.elapsedTime / 1000)
    }
    done()
  })

  addFallbacks(app, notFoundPage, log)
  serveHealth(app, { checks, isClosing, onUnready, log })
  return app
}

/** Fastify without its own log lines and answers; `common` are the headers of every answer. */
function createFastify(
  { log, isProxy, upgradeProtocol = 'websocket' }: HttpServerOptions,
  common: Readonly<Record<string, string>>,
): FastifyInstance {
  const app: FastifyInstance = fastify({
    // pino's logger; Fastify's type of it is narrower.
    loggerInstance: log as FastifyBaseLogger,
    // The key is that of the gateway's lines and of errors.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    requestIdHeader: false,
    genReqId: requestIdOf,
    trustProxy: isProxy ?? false,
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: PART_CHARACTERS },
    schemaController: { compilersFactory: NO_SCHEMAS },
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      connectionsCheckingInterval: 1_000,
      headersTimeout: REQUEST_TIMEOUT_MS,
      // Node's own answer to a request without a host has no body.
      requireHostHeader: false,
      // Other upgrades, such as h2c, are offers that HTTP lets a server ignore.
      shouldUpgradeCallback: ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() === upgradeProtocol,
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // A path that cannot be decoded, or has a part that is too long, does not reach any route or
    // hook.
    frameworkErrors: (error, request, given) => {
      // Of a server without HTTP/2, which is what Fastify makes here.
      const reply = given as FastifyReply
      const status = error.statusCode && error.statusCode < 500 ? error.statusCode : 400
      const message = status === 414 ? TOO_LONG_PART : 'Expected a path whose percent-encoding is valid.'
      reply.headers({ 'x-request-id': request.id, ...common })
      const answers = unroutableAnswers.get(app.server) ?? []
      // Only the type of the server differs.
      if (answers.some((answer) => answer(request as FastifyRequest, reply, { status, message }))) return
      void reply.code(status).send(errorBody(status, message))
    },
    clientErrorHandler: refuseMalformed,
  })
  return app
}

/** Whether connections end with the answer that they wait for; `onUnready` tells the listeners. */
function trackClosing(app: FastifyInstance): { readonly isClosing: () => boolean; readonly onUnready: () => void } {
  let isClosing = false
  const listeners: ((isDraining: boolean) => void)[] = []
  const onUnready = () => {
    for (const listener of listeners) listener(isClosing)
  }
  const idle = idleConnections(app.server)
  app.decorate('onUnready', (listener: (isDraining: boolean) => void) => void listeners.push(listener))
  app.decorate('cutConnections', idle.cut)
  app.decorate('startDraining', () => {
    isClosing = true
    onUnready()
  })
  app.addHook('preClose', async () => {
    isClosing = true
    idle.end()
  })
  return { isClosing: () => isClosing, onUnready }
}

/** Requests that no route or hook gets. */
function refuseUnroutedRequests(app: FastifyInstance): void {
  app.server.on('checkExpectation', (_, response) => {
    response.writeHead(417, { 'content-type': 'application/json; charset=utf-8', connection: 'close' })
    response.end(JSON.stringify(errorBody(417, 'Expected no expectation but 100-continue.')))
  })
  app.server.on('connect', (_, socket) => refuseUpgrade(socket, 400, 'Expected a request to this server: it is no proxy.'))
}

/** Answers for paths and methods without a route, and for errors that a route did not answer. */
function addFallbacks(app: FastifyInstance, notFoundPage: NotFoundPage | undefined, log: Logger): void {
  const routes = rememberedRoutes(app)
  app.setNotFoundHandler((request, reply) => {
    const allowed = routes.methodsFor(pathOf(request))
    if (allowed.length === 0 && notFoundPage && isBrowserNavigation(request)) return notFoundPage(request, reply)
    if (allowed.length === 0) return refuse(reply, 404, `Expected a path of this server, got "${pathOf(request)}".`)
    reply.header('allow', allowed.join(', '))
    return refuse(reply, 405, `Expected one of ${allowed.join(', ')}, got ${request.method}.`)
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const { status, message } = errorResponse(error)
    if (status === 500) log.error({ err: error, requestId: request.id }, 'a request failed')
    return refuse(reply, status, message, status === 500 ? { requestId: request.id } : {})
  })
}

/**
 * Status of an error of Fastify or of a handler; 500 unless the request is at fault, or the server
 * is full.
 */
export function errorResponse(error: Partial<FastifyError>): { readonly status: number; readonly message: string } {
  if (error instanceof ServiceOverloadedError) return { status: error.statusCode, message: error.message }
  const status = error.statusCode
  if (status === undefined || status < 400 || status >= 500) return { status: 500, message: 'Something went wrong on our side.' }
  return { status, message: MESSAGES[error.code ?? ''] ?? error.message ?? 'The request is not valid.' }
}

const MESSAGES: LookupTable<string> = lookupTable({
  FST_ERR_CTP_BODY_TOO_LARGE: `Expected a body of at most ${MAX_BODY_BYTES} bytes.`,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Expected a body with content-type application/json.',
  FST_ERR_CTP_INVALID_JSON_BODY: 'Expected a body of valid JSON.',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'Expected a body of JSON, got an empty one.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'Expected a body as long as content-length says.',
})

/** Problems of the head of a request, whatever it asks for. */
function problemOf({ headers }: IncomingMessage): Error | null {
  const coding = headers['content-encoding'] ?? 'identity'
  // Bodies are at most 100 kB: unpacked, one could be a thousand times as much.
  return coding === 'identity' ? null : Object.assign(new Error('Expected a body without content-encoding.'), { statusCode: 415 })
}

/**
 * Problems of the host that a request names; null for nothing. RFC 9112 §3.2 wants both refused: of
 * several we would read the first, and a proxy in front may have read the last.
 */
export function hostProblem({ headers, httpVersion, rawHeaders }: IncomingMessage): string | null {
  if (headers.host === undefined && httpVersion === '1.1') return 'Expected a host header.'
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    // The index is within bounds.
    const name = rawHeaders[index] as string
    if (name.length === HOST.length && name.toLowerCase() === HOST) count += 1
  }
  return count > 1 ? 'Expected one host header, got several.' : null
}

const HOST = 'host'

function refuse(
  reply: FastifyReply,
  status: number,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): FastifyReply {
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .send(errorBody(status, message, details))
}

/** A browser that opens the address in its window, not a program. */
export function isBrowserNavigation({ method, headers: { accept = '' } }: FastifyRequest): boolean {
  return method !== 'POST' && accept.includes('text/html') && !accept.includes('json')
}

/** The path without the query string, which may contain search texts or credentials. */
const pathOf = ({ raw }: FastifyRequest): string => (raw.url ?? '').split('?', 1)[0]?.slice(0, 500) ?? ''

function logLine(log: Logger, request: FastifyRequest, reply: FastifyReply): void {
  log.info(
    {
      requestId: request.id,
      method: request.method,
      path: request.routeOptions.config.hasSecretPath ? request.routeOptions.url : pathOf(request),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 100) / 100,
      address: request.ip,
    },
    'request',
  )
}

/** Methods with a route for a path, to distinguish 404 from 405. */
function rememberedRoutes(app: FastifyInstance): { readonly methodsFor: (path: string) => readonly string[] } {
  const routes: { readonly methods: readonly string[]; readonly pattern: RegExp }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    const source = url
      .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll(/:\w+/g, '[^/]+')
      .replaceAll('*', '.*')
    routes.push({ methods: [method].flat(), pattern: new RegExp(`^${source}$`) })
  })
  return {
    methodsFor: (path) => [...new Set(routes.flatMap(({ methods, pattern }) => (pattern.test(path) ? methods : [])))].sort(),
  }
}

/**
 * Rejects a WebSocket upgrade, and closes the connection; `retryAfterSeconds` is the time to wait.
 */
export function refuseUpgrade(socket: Duplex, status: number, message: string, retryAfterSeconds?: number): void {
  if (!socket.writable) return void socket.destroy()
  const body = JSON.stringify(errorBody(status, message))
  const retry = retryAfterSeconds === undefined ? '' : `Retry-After: ${retryAfterSeconds}\r\n`
  socket.end(rawAnswer(status, STATUS_CODES[status] ?? '', body, retry), () => socket.destroy())
}

const rawAnswer = (status: number, phrase: string, body: string, headers = ''): string =>
  `HTTP/1.1 ${status} ${phrase}\r\n${headers}Connection: close\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

/** Connections whose present request has a time of its own. */
const patient = new WeakSet<Socket>()

/**
 * Lets the request on a connection take longer than every other one; whoever calls this limits its
 * time. Returns what ends that.
 */
export function allowSlowRequest(socket: Socket): () => void {
  patient.add(socket)
  return () => void patient.delete(socket)
}

/** Answers malformed, oversized or slow requests, and closes the connection. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  // Node reports it once for each request.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && patient.has(socket)) return
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, phrase, message] = MALFORMED[error.code ?? ''] ?? [400, 'Bad Request', 'Expected a valid HTTP request.']
  const body = JSON.stringify(errorBody(status, message))
  socket.end(rawAnswer(status, phrase, body))
}

const MALFORMED: LookupTable<readonly [status: number, phrase: string, message: string]> = lookupTable({
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'Expected the whole request within 10 seconds.'],
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'Expected headers of at most 16 kB.'],
})
