import { PassThrough } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type DocumentNode, type GraphQLFormattedError, parse, validate } from 'graphql'
import type { Logger } from 'pino'
import { boundedCache } from '../../platform/collections/bounded-cache.ts'
import type { Subgraph } from '../../platform/graphql/subgraph.ts'
import type { Caller, ScopeGrant } from '../../platform/http/caller.ts'
import { callerOf, disconnectSignal } from '../../platform/http/request-caller.ts'
import { BOUNDS } from '../limits/limits.ts'
import { SUBSCRIPTION_BYTES, type SubscriptionSlots, subscriptionSlots } from '../limits/subscription-slots.ts'
import type { Metrics } from '../observability/metrics.ts'
import { refusal } from '../operations/errors.ts'
import { withTimeout } from '../operations/timeout.ts'
import { maskErrors } from '../subgraph-client/error-masking.ts'
import { MAX_RESPONSE_BYTES } from '../subgraph-client/http-messages.ts'
import type { EventSource, SubgraphRequest } from '../subgraph-client/link.ts'
import { createLocalLink } from '../subgraph-client/local-subgraph.ts'
import { heartbeat } from '../transports/heartbeat.ts'
import { GRAPHQL_PATH } from '../transports/http.ts'
import { CHANGES_PATH } from './changes-path.ts'
import { carriedRequest, SUBGRAPH_ROUTES_PATH } from './remote-routes.ts'
import type { createSignatureVerifier, SignatureVerdict } from './signature.ts'

const GRAPHQL_TYPE = 'application/graphql-response+json; charset=utf-8'
const HEARTBEAT_SECONDS = 15
/** Bound of parsed texts: the planner's, not those of clients. */
const DOCUMENTS = { maxEntries: 500, maxCharacters: 500_000 }

/** Memory of a subscription in this process: its stream and its source. */
const STREAM_BYTES = SUBSCRIPTION_BYTES.each + SUBSCRIPTION_BYTES.source + SUBSCRIPTION_BYTES.eventStream

type Signed = Extract<SignatureVerdict, { readonly kind: 'signed' }>
type RequestParams = Pick<SubgraphRequest, 'query' | 'variables' | 'operationName'> & Pick<Caller, 'grantedScopes'>

/**
 * Serves a subgraph to gateways that sign their requests, and to no other client: queries and
 * mutations as JSON, subscriptions and announced changes as event streams. The caller is the one
 * that the gateway states, since the signature covers it.
 */
export async function serveSubgraph(
  app: FastifyInstance,
  subgraph: Subgraph,
  {
    judge,
    log,
    metrics = null,
    slots = subscriptionSlots(),
  }: {
    readonly judge: ReturnType<typeof createSignatureVerifier>
    readonly log: Logger
    readonly metrics?: Metrics | null
    /** Memory of subscriptions. Gateways enforce the bounds per address and credential. */
    readonly slots?: Pick<SubscriptionSlots, 'reserve' | 'releaseBytes'>
  },
): Promise<void> {
  const local = createLocalLink(subgraph)
  const link = maskErrors(metrics?.measureLink(local) ?? local, log)
  const documents = boundedCache<DocumentNode | readonly GraphQLFormattedError[]>(DOCUMENTS)
  const streams = new Set<PassThrough>()
  const heartbeats = heartbeat<PassThrough>(HEARTBEAT_SECONDS, (stream) => {
    if (!stream.writableNeedDrain) stream.write(':\n\n')
  })
  // Without `complete`: gateways then reconnect to another instance.
  app.addHook('preClose', async () => {
    for (const stream of streams) stream.end()
  })

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/json', { parseAs: 'buffer', bodyLimit: MAX_RESPONSE_BYTES }, (_, body, done) =>
      done(null, body),
    )
    const signed = new WeakMap<FastifyRequest, Signed>()
    scope.addHook('onRequest', async (request) => {
      const { method, url: path, headers } = request.raw
      const verdict = judge({ method: method ?? '', path: path ?? '', headers })
      if (verdict.kind === 'refused') throw Object.assign(new Error(verdict.reason), { statusCode: 401 })
      signed.set(request, verdict)
    })

    scope.get(CHANGES_PATH, (_, reply) => {
      const stream = opened(reply)
      const unsubscribe = subgraph.onChange?.((types) => stream.write(eventOf('next', JSON.stringify(types))))
      stream.once('close', () => unsubscribe?.())
      return reply.send(stream)
    })

    const { httpRoutes: subgraphRoutes } = subgraph
    if (subgraphRoutes) {
      scope.post(SUBGRAPH_ROUTES_PATH, async (request, reply) => {
        const carried = carriedRequest(signedText(request.body, signed.get(request)), request.raw)
        reply.hijack()
        await subgraphRoutes.handle(carried.request, reply.raw, carried.from).catch((error: unknown) => {
          log.error({ err: error, requestId: carried.from.requestId }, 'a route of a subgraph failed')
          reply.raw.destroy()
        })
      })
    }

    scope.post(GRAPHQL_PATH, (request, reply) => {
      const { grantedScopes, ...params } = parseParams(signedText(request.body, signed.get(request)))
      const document = documentOf(params.query)
      if (!('kind' in document)) return refuse(reply, document)
      const caller = { ...statedCaller(request), ...(grantedScopes && { grantedScopes }) }
      const isStream = request.headers.accept === 'text/event-stream'
      return isStream ? stream(reply, { ...params, document }, caller) : answer(reply, { ...params, document }, caller)
    })
  })

  async function answer(reply: FastifyReply, request: SubgraphRequest, caller: Caller): Promise<FastifyReply> {
    const result = await withTimeout(BOUNDS.operationTimeoutMs, { caller, signal: disconnectSignal(reply) }, (context) =>
      link.execute(request, context),
    )
    return reply.header('content-type', GRAPHQL_TYPE).send(JSON.stringify(result))
  }

  async function stream(reply: FastifyReply, request: SubgraphRequest, caller: Caller): Promise<FastifyReply> {
    const bytes = STREAM_BYTES + JSON.stringify(request.variables).length * SUBSCRIPTION_BYTES.variableCharacter
    const full = slots.reserve(bytes)
    if (full) return refuse(reply, [full])
    // Also where the gateway disconnects before the stream opens.
    reply.raw.once('close', () => slots.releaseBytes(bytes))
    const begun = await withTimeout(BOUNDS.operationTimeoutMs, { caller, signal: disconnectSignal(reply) }, async (context) =>
      link.subscribe?.(request, context),
    )
    if (begun?.kind !== 'open') return refuse(reply, begun?.errors.map((error) => error.toJSON()) ?? [])
    const stream = opened(reply)
    stream.once('close', begun.source.return)
    void sendEvents(begun.source, stream, caller)
    return reply.send(stream)
  }

  /** Takes the next event when the network took the last, so that a slow gateway is cut off. */
  async function sendEvents(source: EventSource, stream: PassThrough, caller: Caller): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await source.next()
        if (!stream.writable) return
        if (done) break
        const context = { caller, signal: NEVER }
        const result = await withTimeout(BOUNDS.operationTimeoutMs, context, (bounded) => source.resolve(value, bounded))
        if (!stream.writable) return
        if (!stream.write(eventOf('next', JSON.stringify(result)))) await drained(stream)
      }
    } catch (error) {
      const errors = source.maskError ? [source.maskError(error).toJSON()] : []
      if (stream.writable) stream.end(eventOf('error', JSON.stringify({ errors })))
      return
    }
    stream.end(eventOf('complete', ''))
  }

  function opened(reply: FastifyReply): PassThrough {
    const stream = new PassThrough()
    streams.add(stream)
    heartbeats.add(stream)
    stream.once('close', () => {
      streams.delete(stream)
      heartbeats.delete(stream)
    })
    // Proxies must not buffer short events.
    reply.header('content-type', 'text/event-stream; charset=utf-8').header('x-accel-buffering', 'no')
    stream.write(':\n\n')
    return stream
  }

  /** Parses and validates a text: during a rollout, a gateway may know a newer schema. */
  function documentOf(text: string): DocumentNode | readonly GraphQLFormattedError[] {
    const found = documents.get(text)
    if (found) return found
    const made = checked(text)
    documents.set(text, made)
    return made
  }

  function checked(text: string): DocumentNode | readonly GraphQLFormattedError[] {
    try {
      const document = parse(text, { noLocation: true })
      const errors = validate(subgraph.schema, document)
      return errors.length === 0
        ? document
        : errors.map(({ message }) => refusal('GRAPHQL_VALIDATION_FAILED', `The ${subgraph.name} service says: ${message}`))
    } catch (error) {
      return [refusal('GRAPHQL_PARSE_FAILED', error instanceof Error ? error.message : String(error))]
    }
  }
}

const NEVER = new AbortController().signal

const eventOf = (name: string, text: string): string => `event: ${name}\ndata: ${text}\n\n`

const drained = (stream: PassThrough) =>
  new Promise<void>((resolve) => {
    const proceed = () => {
      stream.off('drain', proceed).off('close', proceed)
      resolve()
    }
    stream.on('drain', proceed).on('close', proceed)
  })

const refuse = (reply: FastifyReply, errors: readonly GraphQLFormattedError[]): FastifyReply =>
  reply.code(400).header('content-type', GRAPHQL_TYPE).send(JSON.stringify({ errors }))

const bad = (message: string) => Object.assign(new Error(message), { statusCode: 400 })

/** Throws a 400 when the body is not the signed one. */
function signedText(body: unknown, verdict: Signed | undefined): string {
  if (!Buffer.isBuffer(body) || !verdict?.hasBody(body)) throw bad('Expected the body that was signed.')
  return body.toString()
}

/** Parses the JSON body. Throws a 400 for an invalid one. */
function parseParams(text: string): RequestParams {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw bad('Expected a body of JSON.')
  }
  const { query, variables, operationName, extensions } = (body ?? {}) as Record<string, unknown>
  const { grantedScopes } = (extensions ?? {}) as Record<string, unknown>
  if (typeof query !== 'string') throw bad('Expected "query" to be a text.')
  return {
    query,
    variables: (variables ?? {}) as RequestParams['variables'],
    operationName: typeof operationName === 'string' ? operationName : undefined,
    // Covered by the signature of the gateway, like all of the body.
    ...(areGrants(grantedScopes) && { grantedScopes }),
  }
}

const areGrants = (value: unknown): value is readonly ScopeGrant[] =>
  Array.isArray(value) && value.every((each) => typeof each?.holding === 'string' && Array.isArray(each.scopes))

/** The caller that a request with a valid signature states. */
function statedCaller(request: FastifyRequest): Caller {
  const { 'x-forwarded-for': address, 'x-connected-at': connected } = request.headers
  const connectedAt = typeof connected === 'string' ? new Date(connected) : null
  return {
    ...callerOf(request),
    address: typeof address === 'string' ? address : request.ip,
    ...(connectedAt && !Number.isNaN(connectedAt.getTime()) && { connectedAt }),
  }
}
