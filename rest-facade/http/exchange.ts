import type { FastifyReply, FastifyRequest } from 'fastify'
import type { GatewayClient } from '../../gateway/client.ts'
import { callerOf, goneSignal } from '../../platform/http/request-caller.ts'
import { readBody } from './body.ts'
import { codingFor, encoded } from './coding.ts'
import type { Facade } from './facade.ts'
import { problemOf } from './graph-errors.ts'
import type { Value } from './parameters.ts'
import { noSuchItem, type Problem } from './problem.ts'
import type { AnyRequest, Route } from './route.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** What is the same for both kinds of handlers. */
export type Checked = { readonly path: Readonly<Record<string, string>>; readonly query: Readonly<Record<string, Value>> }

/** Answers a request whose answer belongs to who asks: with a body or without, never from a cache. Path and query are checked already. */
export function exchange<Shared>(
  row: Route<Shared>,
  facade: Facade<Shared>,
  client: GatewayClient,
  refuse: (reply: FastifyReply, problem: Problem) => FastifyReply,
) {
  return async (request: FastifyRequest, reply: FastifyReply, { path, query }: Checked): Promise<FastifyReply> => {
    const caller = callerOf(request, facade.credentials)
    const signal = goneSignal(reply)
    const read = row.accepts ? readBody(row.accepts, request.body) : { value: undefined }
    if ('problem' in read) return refuse(reply, await admitted(read.problem))

    const asked: AnyRequest = { path, query, body: read.value }
    const { data, errors } = await row.ask(client, asked, caller, signal)
    if (data === null || errors.length > 0) {
      const problem = refused(errors)
      // Only who is known can be too fast.
      return refuse(reply, problem.status === 429 ? await admitted(problem) : problem)
    }

    reply.headers(row.headers ? row.headers(data, asked) : await headersOfCaller())
    const problem = row.problem?.(data, asked) ?? null
    if (problem) return refuse(reply, problem)
    reply.code(row.status)
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    if (row.status === 204) return reply.send()
    const body = row.body?.(data, asked) ?? null
    if (body === null) return refuse(reply, noSuchItem(facade.noItem))
    const text = JSON.stringify(body)
    const coding = codingFor(request.headers['accept-encoding'])
    const compressed = encoded(text, coding)
    if (compressed) reply.header('content-encoding', coding)
    return reply.type(JSON_TYPE).send(compressed ?? text)

    /** A problem as those who may ask are told it: others hear that they may not. */
    async function admitted(found: Problem): Promise<Problem> {
      if (!facade.admission) return found
      const answer = await client.run(facade.admission.ask, {}, caller, signal)
      if (answer.data === null || answer.errors.length > 0) return refused(answer.errors)
      return { ...found, headers: { ...facade.admission.headers(answer.data), ...found.headers } }
    }

    /** For rows whose document does not tell: mutations have no queries beside them. */
    async function headersOfCaller(): Promise<Readonly<Record<string, string>>> {
      if (!facade.admission) return {}
      const answer = await client.run(facade.admission.ask, {}, caller, signal)
      return answer.data === null ? {} : facade.admission.headers(answer.data)
    }

    function refused(found: typeof errors): Problem {
      const { problem: meant, isOurs } = problemOf(found, request.id, facade.noItem)
      if (isOurs) request.log.error({ errors: found, operationId: row.operationId }, 'the graph did not answer a REST request')
      return meant
    }
  }
}
