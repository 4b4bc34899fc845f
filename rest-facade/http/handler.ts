import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ClientResult, GatewayClient } from '../../gateway/client.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { disconnectSignal } from '../../platform/http/request-caller.ts'
import { type Caching, entityTag, matchesAny, matchesTag, sendNotModified, validators } from './caching.ts'
import { createCallerHeaders } from './caller-headers.ts'
import { codingFor, encoded, JSON_TYPE } from './content-coding.ts'
import type { Endpoint, RunDocument } from './endpoint.ts'
import type { Facade } from './facade.ts'
import { type Failure, type ProblemDetails, unavailable } from './problem.ts'
import { queryOf } from './request-url.ts'
import { sendPieces } from './streamed-response.ts'

/** Sends a failure as the facade spells it; never cached unless `cacheControl` says how. */
export type SendFailure<Fault extends Failure> = (
  reply: FastifyReply,
  failure: Fault | ProblemDetails,
  options?: { readonly operationId?: string; readonly cacheControl?: string | undefined },
) => FastifyReply

/**
 * Serves one endpoint: reads the request, runs the operation once, and writes the response or the
 * failure. `checkCaller` sends the failure of callers without valid credentials.
 */
export function createHandler<Data, Input, Fault extends Failure>(
  endpoint: Endpoint<Data, Input, Fault>,
  facade: Facade<Data, Input, Fault>,
  client: GatewayClient,
  callerOf: (request: FastifyRequest) => Caller,
  sendFailure: SendFailure<Fault>,
) {
  const { operationId } = endpoint
  const { caching } = facade
  const callerHeaders = createCallerHeaders(facade, client)
  const tagOf = tagger(caching, operationId)

  return { handler, checkCaller }

  async function checkCaller(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const failure = await callerHeaders.failureOf(
      callerOf(request),
      (found) => toFailure(found, request),
      disconnectSignal(reply),
    )
    return failure ? reject(reply, { failure }) : undefined
  }

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const read = endpoint.read({
      // The router fills one text per name in the path; Fastify types params as unknown.
      path: request.params as Readonly<Record<string, string>>,
      query: queryOf(request),
      headers: request.headers,
      body: request.body,
    })
    if ('failure' in read && read.reason !== 'body') return reject(reply, read)
    const caller = callerOf(request)
    const signal = disconnectSignal(reply)
    if ('failure' in read)
      return reject(reply, {
        failure: await callerHeaders.addTo(read.failure, (found) => toFailure(found, request), caller, signal),
      })

    const { input } = read
    const run: RunDocument = (document, variables) => client.run(document, variables, caller, signal)
    const opened = (await endpoint.stream?.(input, run, request.id)?.()) ?? null
    if (opened && 'failure' in opened) return reject(reply, opened)
    if (opened && 'pieces' in opened)
      return sendPieces(reply.code(endpoint.status), opened, () => callerHeaders.of(caller, signal))
    const coding = codingFor(request.headers['accept-encoding'])
    const condition = caching ? request.headers['if-none-match'] : undefined
    if (caching && condition !== undefined && !matchesAny(condition)) {
      const { data } = await client.run(caching.revisionDocument, {}, caller, signal)
      const tag = data && tagOf(data, input, coding)
      if (tag !== null && matchesTag(condition, tag)) return sendNotModified(reply, tag, caching.found)
    }

    const { data, errors } = opened
      ? { data: null, errors: opened.errors }
      : await endpoint.execute(client, input, caller, signal)
    if (data === null || errors.length > 0) {
      const failure = toFailure(errors, request)
      // The rate limit is that of a known caller: its failure carries the headers of every response.
      if (failure.status !== 429) return reject(reply, { failure })
      return reject(reply, { failure: await callerHeaders.addTo(failure, (found) => toFailure(found, request), caller, signal) })
    }

    if (endpoint.headers) reply.headers(endpoint.headers(data, input))
    else if (facade.callerCheck) reply.headers(await callerHeaders.of(caller, signal))
    const written = endpoint.write(data, input)
    if ('failure' in written) return reject(reply, written)
    if (written.headers) reply.headers(written.headers)
    if (caching && condition !== undefined && matchesAny(condition))
      return sendNotModified(reply, tagOf(data, input, coding), caching.found)

    reply.code(endpoint.status)
    if (!caching && !reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    if (written.text === null) return reply.send()
    const compressed = encoded(written.text, coding)
    if (compressed) reply.header('content-encoding', coding)
    if (caching) reply.headers(validators(tagOf(data, input, coding), caching.found))
    return reply.type(JSON_TYPE).send(compressed ?? written.text)
  }

  function reject(
    reply: FastifyReply,
    { failure, reason }: { readonly failure: Fault | ProblemDetails; readonly reason?: 'body' | 'missing' },
  ): FastifyReply {
    return sendFailure(reply, failure, { operationId, cacheControl: reason === 'missing' ? caching?.missing : undefined })
  }

  /** Masks internal errors and logs them. */
  function toFailure(errors: ClientResult<Data>['errors'], request: FastifyRequest): Fault | ProblemDetails {
    const { failure, isInternal } = endpoint.toFailure(errors, request.id)
    if (!isInternal) return failure
    request.log.error({ errors, operationId }, 'the graph did not answer a REST request')
    // Public reads have no request of their own to look up: all that helps is to try again.
    return caching ? unavailable : failure
  }
}

/** Entity tags of one operation. */
function tagger<Data, Input>(caching: Caching<Data, Input> | null, operationId: string) {
  return (data: Data, input: Input, coding: string): string => {
    if (!caching) throw new Error('Expected entity tags only where responses are cached.')
    const { contract, publicUrl, revisionOf, keyOf } = caching
    return entityTag(contract, publicUrl, revisionOf(data), operationId, ...keyOf(input), coding)
  }
}
