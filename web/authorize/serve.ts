import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  AnswerAuthorizationDocument,
  AuthorizePageDocument,
  LeaveAuthorizationDocument,
  SignInToAuthorizeDocument,
} from '#generated/operations.ts'
import { callerOf, goneSignal } from '../../gateway/caller.ts'
import type { Answer, GatewayClient } from '../../gateway/client.ts'
import { compressAnswers } from '../../gateway/server.ts'
import { cookieOf, fieldOf, isOurs, readForms } from '../frame/form.ts'
import { leadingTo } from '../frame/headers.ts'
import { dataOf, foundIn, type Page, Unanswered } from '../frame/page.ts'
import { refused, unavailable } from '../frame/refusals.ts'
import { sendPage } from '../frame/serve.ts'
import type { Site } from '../frame/site.ts'
import { type Asked, codePage, consentPage, endedPage, problemPage, refusedPage, signInPage } from './page.ts'

/** The protocol sets it for the address of a request, with the id that is in the address: who has both is the browser that began. */
const COOKIE = '_atrium_request'
const PREFIX = '/authorize'
/** Whoever knows the id of a request can answer it. */
const SECRET = { config: { hasSecretPath: true } }

type Step = {
  readonly step:
    | { readonly __typename: 'AuthorizationStep'; readonly continueAt: string }
    | { readonly __typename: 'ForeignApp'; readonly message?: string }
    | { readonly __typename: 'NotFoundError' }
}
type OfRequest = FastifyRequest<{ Params: { readonly request: string } }>

/**
 * Serves the pages on which shop owners sign in and agree to what an app asks for. Answers depend on who asks and are kept nowhere; forms are taken from our own
 * pages in the browser that the request was begun in only, and lead to the app at most.
 */
export async function serveAuthorization(app: FastifyInstance, client: GatewayClient, site: Site): Promise<void> {
  const documents = [AuthorizePageDocument, SignInToAuthorizeDocument, AnswerAuthorizationDocument, LeaveAuthorizationDocument]
  for (const document of documents) await client.prepare(document)

  await app.register(async (scope) => {
    compressAnswers(scope)
    readForms(scope)
    scope.setErrorHandler((error, request, reply) => {
      const page = error instanceof Unanswered ? refused(error.errors, site) : unavailable(500)
      const { statusCode } = error as { statusCode?: number }
      if (statusCode !== undefined && statusCode < 500)
        return show(reply, { ...problemPage('invalid_request'), status: statusCode })
      request.log.error({ err: error }, 'a page of an authorization failed')
      return show(reply, page)
    })
    scope.get<{ Querystring: { code?: unknown } }>(`${PREFIX}/code`, async ({ query: { code } }, reply) =>
      show(reply, typeof code === 'string' && /^[\w-]{20,100}$/.test(code) ? codePage(code) : refusedPage),
    )
    scope.get<{ Querystring: { error?: unknown } }>(`${PREFIX}/problem`, async ({ query: { error } }, reply) =>
      show(reply, problemPage(typeof error === 'string' ? error : '')),
    )
    scope.get<{ Params: { request: string } }>(`${PREFIX}/:request`, SECRET, async (request, reply) => {
      const asked = await askedOf(request, reply)
      return asked ? showRequest(request, reply, asked) : show(reply, endedPage)
    })
    scope.post<{ Params: { request: string } }>(`${PREFIX}/:request`, SECRET, async (request, reply) => {
      const asked = isOurs(request) ? await askedOf(request, reply) : null
      if (!asked) return show(reply, endedPage)
      const answer = await stepOf(request, reply)
      const problem = problemOf(answer)
      if (problem !== null) return showRequest(request, reply, { ...asked, storeName: null }, problem)
      const { step } = dataOf(answer)
      if (step.__typename !== 'AuthorizationStep') return show(reply, endedPage)
      return reply.header('cache-control', 'no-store').redirect(step.continueAt, 303)
    })
  })

  /** What is asked, if this is the browser that is asked; null otherwise. */
  async function askedOf(request: OfRequest, reply: FastifyReply): Promise<Asked | null> {
    const { request: id } = request.params
    const cookie = cookieOf(request, COOKIE)
    if (cookie === null || !isSame(cookie, id)) return null
    const answer = await client.run(AuthorizePageDocument, { id }, callerOf(request, []), goneSignal(reply))
    return foundIn(dataOf(answer).authorizationRequest, answer)
  }

  /** Does what the button says. */
  async function stepOf(request: OfRequest, reply: FastifyReply): Promise<Answer<Step>> {
    const { request: id } = request.params
    const [caller, signal] = [callerOf(request, []), goneSignal(reply)]
    switch (fieldOf(request, 'do')) {
      case 'allow':
        return client.run(AnswerAuthorizationDocument, { request: id, isGranted: true }, caller, signal)
      case 'refuse':
        return client.run(AnswerAuthorizationDocument, { request: id, isGranted: false }, caller, signal)
      case 'leave':
        return client.run(LeaveAuthorizationDocument, { request: id }, caller, signal)
      default: {
        const pair = `${fieldOf(request, 'login').trim()}:${fieldOf(request, 'authtoken').trim()}`
        const authorization = `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`
        return client.run(SignInToAuthorizeDocument, { request: id }, { ...caller, credentials: { authorization } }, signal)
      }
    }
  }

  function showRequest(request: OfRequest, reply: FastifyReply, asked: Asked, problem: string | null = null): FastifyReply {
    const place = { action: site.at(`${PREFIX}/${encodeURIComponent(request.params.request)}`), site }
    const page =
      asked.storeName === null
        ? signInPage(asked, { ...place, problem, login: fieldOf(request, 'login') })
        : consentPage(asked, place)
    return show(reply, { ...page, headers: { 'content-security-policy': leadingTo(asked.returnsTo) } })
  }

  const show = (reply: FastifyReply, page: Page): FastifyReply => sendPage(reply, page, site, 'no-store')
}

/** What a shop owner can put right about a sign-in, as a sentence; null when nothing is wrong with it. */
function problemOf({ data, errors }: Answer<Step>): string | null {
  const [error] = errors
  if (error?.extensions?.code === 'UNAUTHENTICATED') return 'There is no shop with this login and authtoken. Look at both again.'
  if (error?.extensions?.code === 'FORBIDDEN') return error.message
  if (errors.length > 0) throw new Unanswered(errors)
  return data?.step.__typename === 'ForeignApp' ? (data.step.message ?? null) : null
}

const isSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
