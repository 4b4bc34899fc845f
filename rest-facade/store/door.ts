import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GatewayClient } from '../../gateway/client.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { Overloaded } from '../../platform/http/load-shedding.ts'
import { goneSignal } from '../../platform/http/request-caller.ts'
import { networkOf } from '../../platform/rate-limit/address-rate-limit.ts'
import { bodyProblem } from '../http/body.ts'
import { codingFor, encoded } from '../http/coding.ts'
import { preflight, setHeadersOfEveryAnswer } from '../http/cors.ts'
import { methodTable } from '../http/methods.ts'
import { operationIdOf } from '../http/route.ts'
import { type AccessDocument, identification } from './caller/access.ts'
import { callerIn } from './caller/credentials.ts'
import { LIMIT_HEADERS, NO_STORE, type RateLimit, verdictOf } from './caller/rate-limit.ts'
import { type CompiledRoute, compileRoute } from './compiled-route.ts'
import type { Operation } from './contract.ts'
import { callerWithGrants, withoutNulls } from './granted-scopes.ts'
import type { Route } from './route.ts'
import { type Failure, failureBody, failureOf } from './wire/failure.ts'

/** Larger than any product of the contract with all its variants. */
const BODY_BYTES = 1_000_000
const MAX_URL_LENGTH = 8_192
const JSON_TYPE = 'application/json; charset=utf-8'

/** What a page of another origin may read, besides bodies. */
const EXPOSED = {
  'Access-Control-Expose-Headers': ['Allow', 'Retry-After', 'X-Request-Id', ...LIMIT_HEADERS].join(', '),
}

/** What one door of this kind consists of. */
export type Door = {
  /** Where all paths of the contract begin, such as `/v1`. */
  readonly mount: `/${string}`
  readonly operations: ReadonlyMap<string, Operation>
  readonly routes: readonly Route[]
  readonly access: AccessDocument
  readonly rateLimit: RateLimit
  /** Said with 404 of a path: where the paths are listed. */
  readonly guide: string
}

/**
 * Registers rows under a contract. Every document is validated, planned and compiled first: what does not fit rejects, and stops the start. Per request: who asks,
 * how often, then path, query and body, one run of the operation, and its text.
 */
export async function openDoor(app: FastifyInstance, client: GatewayClient, door: Door): Promise<void> {
  const { mount, operations } = door
  await client.prepare(door.access)
  const rows: CompiledRoute[] = []
  for (const route of door.routes) {
    await client.prepare(route.run)
    rows.push(compileRoute(route, operationOf(route, operations), client.schema))
  }
  // Paths of the contract exist whether or not they have a row yet.
  const methodsOf = methodTable(
    [...operations.values()].flatMap(({ path, otherPaths, method }) =>
      [path, ...otherPaths].map((each) => ({ path: `${mount}${each}`, method })),
    ),
  )
  const identify = identification(client, door.access, Date.now)
  const callers = new WeakMap<FastifyRequest, Caller>()

  setHeadersOfEveryAnswer(app.server, [mount], EXPOSED)
  await app.register(
    async (scope) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser(
        /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i,
        { parseAs: 'buffer', bodyLimit: BODY_BYTES },
        (_, bytes, done) => done(null, bytes),
      )
      scope.addHook('onRequest', async (request, reply) => {
        if (request.method === 'OPTIONS') {
          const methods = methodsOf(pathOf(request)) ?? ['GET', 'HEAD', 'OPTIONS']
          return reply.code(204).headers(preflight(methods)).header('allow', methods.join(', ')).send()
        }
        const { failure, isOverLimit } = await admit(request, reply)
        if (failure && isOverLimit) return refuse(reply, failure)
        const { url = '' } = request.raw
        if (url.length > MAX_URL_LENGTH)
          return refuse(reply, { status: 414, message: `Expected path and query to have at most ${MAX_URL_LENGTH} characters.` })
        if (request.is404) return elsewhere(request, reply)
        return failure ? refuse(reply, failure) : undefined
      })
      scope.setNotFoundHandler(elsewhere)
      scope.setErrorHandler((error, request, reply) => {
        if (error instanceof Overloaded) return refuse(reply, { status: error.statusCode, message: error.message })
        const problem = bodyProblem(error as { statusCode?: number }, BODY_BYTES)
        if (problem) return refuse(reply, problem)
        request.log.error({ err: error }, 'a REST request failed')
        return refuse(reply, { status: 500, message: `Something went wrong on our side; it is recorded as ${request.id}.` })
      })
      for (const row of rows) {
        const { method, path, otherPaths } = row.operation
        for (const each of [path, ...otherPaths]) {
          scope.route({ method, url: each.replaceAll(/\{(\w+)\}/g, ':$1'), handler: handlerOf(row) })
        }
      }
    },
    { prefix: mount },
  )

  /**
   * Says who asks and how often they did, in headers of every answer. What is wrong with a request is told only to those who may ask;
   * that there is nothing at a path, to everybody. Where no store is known nothing is over a limit: limits are those of a store.
   */
  async function admit(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<{ readonly failure: Failure | null; readonly isOverLimit: boolean }> {
    const caller = callerIn(request, queryOf(request))
    const identity = await identify(caller)
    const storeCode = 'failure' in identity ? NO_STORE : identity.storeCode
    const { headers, refusal } = verdictOf(await door.rateLimit.count(networkOf(caller.address), storeCode), Date.now())
    reply.headers(headers)
    if ('failure' in identity) return { failure: identity.failure, isOverLimit: false }
    callers.set(request, caller)
    return { failure: refusal, isOverLimit: refusal !== null }
  }

  function handlerOf({ operation, run, read, wireArgument, write }: CompiledRoute) {
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const caller = callers.get(request)
      if (!caller) throw new Error('Expected every request to be admitted first.')
      const path = request.params as Readonly<Record<string, string>>
      const given = read({ path, query: queryOf(request), headers: request.headers, body: request.body })
      if ('failure' in given) return refuse(reply, given.failure, operation)

      const answered = await client.run<Record<string, unknown>, Record<string, unknown>>(
        run as Parameters<typeof client.run<Record<string, unknown>, Record<string, unknown>>>[0],
        given.variables,
        callerWithGrants(caller, operation),
        goneSignal(reply),
      )
      const { data } = answered
      const errors = withoutNulls(answered.errors, operation)
      if (data === null || errors.length > 0) {
        const { failure, isOurs } = failureOf(errors, request.id, operation.scope, wireArgument)
        if (isOurs) request.log.error({ errors, operationId: operation.operationId }, 'the graph did not answer a REST request')
        return refuse(reply, failure, operation)
      }
      const answer = write(data, given.slice)
      return 'failure' in answer ? refuse(reply, answer.failure, operation) : succeed(request, reply, operation, answer.text)
    }
  }

  function elsewhere(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const methods = methodsOf(pathOf(request))
    if (methods === null || methods.includes(request.method))
      return refuse(reply, { status: 404, message: `There is nothing at this path. ${door.guide}` })
    reply.header('allow', methods.join(', '))
    return refuse(reply, { status: 405, message: `${request.method} is not possible here; use ${methods.join(', ')}.` })
  }
}

/** The operation that a row's document is named after. Throws when the contract has none. */
export function operationOf({ run }: Route, operations: ReadonlyMap<string, Operation>): Operation {
  const id = operationIdOf(run)
  const operation = operations.get(id)
  if (!operation) throw new Error(`Expected the contract to have an operation "${id}".`)
  return operation
}

function succeed(request: FastifyRequest, reply: FastifyReply, { status }: Operation, text: string | null): FastifyReply {
  reply.code(status).header('cache-control', 'no-store')
  if (text === null) return reply.send()
  const coding = codingFor(request.headers['accept-encoding'])
  const compressed = encoded(text, coding)
  if (compressed) reply.header('content-encoding', coding)
  return reply.type(JSON_TYPE).send(compressed ?? text)
}

function refuse(reply: FastifyReply, failure: Failure, operation?: Operation): FastifyReply {
  return reply
    .code(failure.status)
    .headers(failure.headers ?? {})
    .header('cache-control', 'no-store')
    .type(JSON_TYPE)
    .send(failureBody(operation?.failures.get(failure.status), failure))
}

const pathOf = ({ raw }: FastifyRequest): string => (raw.url ?? '').split('?', 1)[0] ?? ''

const queryOf = ({ raw: { url = '' } }: FastifyRequest): string => {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}
