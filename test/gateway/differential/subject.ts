import { type ExecutionResult, execute, parse } from 'graphql'
import { pino } from 'pino'
import { type Gateway, startGateway } from '../../../gateway/gateway.ts'
import { parseGraphQLResponse } from '../../../gateway/subgraph-client/http-messages.ts'
import type { Link, RequestContext } from '../../../gateway/subgraph-client/link.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import { followed } from '../support/subscription-reader.ts'
import type { Answer } from './answer.ts'
import { breaksSchema, injected } from './faults.ts'
import type { Case, Running, Tap } from './small-graph.ts'

/**
 * How subgraphs are reached: executed in this process, or as over HTTP, where answers are text and
 * nothing is known about them; mixed, each other way in turn; merged, as over HTTP with one request
 * for the entity fetches that are ready together; bytes, as over HTTP where the bytes of a subgraph
 * become the answer if they are it.
 */
export const FORMS = ['local', 'json', 'mixed', 'merged', 'bytes'] as const
export type Form = (typeof FORMS)[number]

/** Our gateway over some subgraphs. */
export type Subject = {
  readonly gateway: Gateway
  readonly ask: (operation: Case) => Promise<Answer>
  /** Number of requests so far that were for several fetches. */
  readonly mergedRequests: () => number
  /** Number of responses so far whose bytes were an answer. */
  readonly answersInBytes: () => number
  readonly listen: (operation: Case) => Promise<readonly Answer[]>
}

/** The gateway that is tested, without limits. */
export async function startSubject(supergraphSdl: string, subgraphs: readonly Running[], tap: Tap, form: Form): Promise<Subject> {
  let mergedRequests = 0
  let answersInBytes = 0
  const counted = (link: Link): Link => ({
    ...link,
    mergesFetches: form === 'merged',
    execute(request, passing) {
      if (request.planNodes && request.planNodes.length > 1) mergedRequests++
      if (form !== 'bytes' || !request.readBody) return link.execute({ ...request, readBody: undefined }, passing)
      const { readBody } = request
      const counting = (body: Buffer) => {
        const read = readBody(body)
        if (read) answersInBytes++
        return read
      }
      return link.execute({ ...request, readBody: counting }, passing)
    },
  })
  const isHere = (index: number) => form === 'local' || (form === 'mixed' && index % 2 === 1)
  const gateway = await startGateway({
    supergraphSdl,
    links: subgraphs.map((subgraph, index) => (isHere(index) ? local(subgraph, tap) : counted(json(subgraph, tap)))),
    limits: { depth: 0, cost: 0 },
    log: pino({ level: 'silent' }),
  })
  const ask = async ({ query, variables = {}, operationName }: Case): Promise<Answer> => {
    const prepared = gateway.prepareText(query, operationName)
    const answer = prepared.kind === 'rejected' ? { errors: prepared.errors } : await prepared.run(variables, requestContext())
    return JSON.parse(JSON.stringify(answer))
  }
  const listen = async ({ query, variables = {} }: Case): Promise<readonly Answer[]> => {
    const prepared = gateway.prepareText(query, undefined)
    if (prepared.kind === 'rejected' || !prepared.subscribe)
      throw new Error(`Expected a subscription, got ${JSON.stringify(prepared)}.`)
    const opened = await prepared.subscribe(variables, requestContext())
    if (opened.kind === 'refused') throw new Error(`Expected events, got ${JSON.stringify(opened.errors)}.`)
    const events: Answer[] = []
    const source = followed(opened.source)
    for (let each = await source.next(); !('ended' in each); each = await source.next()) {
      events.push(JSON.parse(JSON.stringify(each)))
    }
    return events
  }
  return { gateway, ask, mergedRequests: () => mergedRequests, answersInBytes: () => answersInBytes, listen }
}

/** One in each form. */
export async function startSubjects(
  supergraphSdl: string,
  subgraphs: readonly Running[],
  tap: Tap,
): Promise<Readonly<Record<Form, Subject>>> {
  const start = (form: Form) => startSubject(supergraphSdl, subgraphs, tap, form)
  return {
    local: await start('local'),
    json: await start('json'),
    mixed: await start('mixed'),
    merged: await start('merged'),
    bytes: await start('bytes'),
  }
}

export const requestContext = (): RequestContext => ({
  caller: { requestId: 'r-1', address: '127.0.0.1', credentials: {} },
  signal: new AbortController().signal,
})

function local({ name, strict }: Running, tap: Tap): Link {
  const link = createLocalLink({ name, schema: strict, context: () => ({}), ready: async () => {}, close: async () => {} })
  return { ...link, execute: (request, passing) => injected(tap.fault, name, () => link.execute(request, passing)) }
}

/** What is asked and what is answered passes through text, like over HTTP. */
function json({ name, strict, lax }: Running, tap: Tap): Link {
  const { subscribe } = local({ name, strict, lax }, tap)
  return {
    name,
    async execute({ query, variables, operationName, readBody }) {
      const schema = breaksSchema(tap.fault) ? lax : strict
      const sent = JSON.parse(JSON.stringify({ query, variables, operationName }))
      const ask = () =>
        execute({
          schema,
          document: parse(sent.query),
          variableValues: sent.variables,
          operationName: sent.operationName,
          contextValue: {},
        })
      const answer = await injected(tap.fault, name, ask)
      return readBody?.(Buffer.from(JSON.stringify(answer))) ?? throughText(answer)
    },
    ...(subscribe && {
      subscribe: async (request, passing) => {
        const opened = await subscribe(request, passing)
        if (opened.kind === 'refused') return opened
        const { source } = opened
        return {
          kind: 'open',
          source: { ...source, resolve: async (event, each) => throughText(await source.resolve(event, each)) },
        }
      },
    }),
  }
}

function throughText(answer: ExecutionResult): ExecutionResult {
  const read = parseGraphQLResponse(JSON.stringify(answer))
  if (!read) throw new Error('Expected a GraphQL answer.')
  return read
}
