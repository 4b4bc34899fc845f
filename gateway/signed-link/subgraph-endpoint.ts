import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GraphQLFormattedError } from 'graphql'
import type { Logger } from 'pino'
import type { Subgraph } from '../../platform/graphql/subgraph.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { disconnectSignal } from '../../platform/http/request-caller.ts'
import { BOUNDS } from '../limits/limits.ts'
import { SUBSCRIPTION_BYTES, type SubscriptionSlots, subscriptionSlots } from '../limits/subscription-slots.ts'
import { serveMultiplexedLinks } from '../multiplexed-link/subgraph-end.ts'
import type { Metrics } from '../observability/metrics.ts'
import { withTimeout } from '../operations/timeout.ts'
import { maskErrors } from '../subgraph-client/error-masking.ts'
import type { SubgraphRequest } from '../subgraph-client/link.ts'
import { createLocalLink } from '../subgraph-client/local-subgraph.ts'
import { MAX_RESPONSE_BYTES } from '../subgraph-client/response-body.ts'
import { GRAPHQL_PATH } from '../transports/http.ts'
import { CHANGES_PATH } from './changes-path.ts'
import { createDocumentReader } from './document-reader.ts'
import { createEventStreams, eventOf, sendEvents } from './event-streams.ts'
import { answerMultiplexed } from './multiplexed-requests.ts'
import { carriedRequest, SUBGRAPH_ROUTES_PATH } from './remote-routes.ts'
import type { createSignatureVerifier } from './signature.ts'
import { parseParams, type Signed, signedText, statedCaller } from './signed-request.ts'
import { VERIFIED_HEADER, verifiedHeader } from './verified-caller.ts'

const GRAPHQL_TYPE = 'application/graphql-response+json; charset=utf-8'

/** Memory of a subscription in this process: stream and event source. */
const STREAM_BYTES = SUBSCRIPTION_BYTES.each + SUBSCRIPTION_BYTES.source + SUBSCRIPTION_BYTES.eventStream

/**
 * Serves a subgraph to gateways that sign requests, and to no other client: queries and mutations
 * as JSON, subscriptions and change announcements as event streams. The caller stated by the
 * gateway is trusted, because the signature covers it.
 * Queries and mutations may also come over a multiplexed link, of a server for that protocol.
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
    /** Memory of subscriptions only; gateways enforce limits per address and credential. */
    readonly slots?: Pick<SubscriptionSlots, 'reserve' | 'releaseBytes'>
  },
): Promise<void> {
  const local = createLocalLink(subgraph)
  const link = maskErrors(metrics?.measureLink(local) ?? local, log)
  const documentOf = createDocumentReader(subgraph)
  const open = createEventStreams(app)
  serveMultiplexedLinks(app, judge, answerMultiplexed(app, { link, documentOf, log, metrics }))

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
      const stream = open(reply)
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
    const verified = verifiedHeader(caller)
    if (verified !== '') reply.header(VERIFIED_HEADER, verified)
    return reply.header('content-type', GRAPHQL_TYPE).send(JSON.stringify(result))
  }

  async function stream(reply: FastifyReply, request: SubgraphRequest, caller: Caller): Promise<FastifyReply> {
    const bytes = STREAM_BYTES + JSON.stringify(request.variables).length * SUBSCRIPTION_BYTES.variableCharacter
    const full = slots.reserve(bytes)
    if (full) return refuse(reply, [full])
    // Also releases when the gateway disconnects before the stream opens.
    reply.raw.once('close', () => slots.releaseBytes(bytes))
    const begun = await withTimeout(BOUNDS.operationTimeoutMs, { caller, signal: disconnectSignal(reply) }, async (context) =>
      link.subscribe?.(request, context),
    )
    if (begun?.kind !== 'open') return refuse(reply, begun?.errors.map((error) => error.toJSON()) ?? [])
    const stream = open(reply)
    stream.once('close', begun.source.return)
    void sendEvents(begun.source, stream, caller)
    return reply.send(stream)
  }
}

const refuse = (reply: FastifyReply, errors: readonly GraphQLFormattedError[]): FastifyReply =>
  reply.code(400).header('content-type', GRAPHQL_TYPE).send(JSON.stringify({ errors }))
