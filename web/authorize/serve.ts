import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { AuthorizePageDocument } from '#generated/operations.ts'
import type { ClientResult, GatewayClient } from '../../gateway/client.ts'
import { ServiceOverloadedError } from '../../platform/http/load-shedding.ts'
import { callerOf, disconnectSignal } from '../../platform/http/request-caller.ts'
import { compressResponses } from '../../platform/http/server.ts'
import { acceptForms, cookieOf, fieldOf, isSameOrigin } from '../frame/form.ts'
import { leadingTo } from '../frame/headers.ts'
import { dataOf, foundIn, OperationFailed, type WebPage } from '../frame/page.ts'
import { refused, unavailable } from '../frame/refusals.ts'
import type { Seal } from '../frame/seal.ts'
import { sendPage } from '../frame/serve.ts'
import type { Site } from '../frame/site.ts'
import {
  browserOf,
  createFormHandler,
  FORM_DOCUMENTS,
  type OfRequest,
  type StepResult,
  type StoreChoice,
} from './form-handler.ts'
import {
  choicePage,
  codePage,
  consentPage,
  endedPage,
  type PendingAuthorization,
  problemPage,
  refusedPage,
  type SignInProblem,
  signInPage,
} from './page.ts'

/** The protocol sets it for the address of a request: the id that is in the address. */
const COOKIE = '_atrium_request'
const PREFIX = '/authorize'
/** Its id is private, though it opens nothing without the cookie. */
const SECRET = { config: { hasSecretPath: true } }

/**
 * Serves the pages on which shop owners sign in and authorize an app. Answers depend on the viewer
 * and are not cached; forms are accepted from our own pages in the browser of the request only, and
 * lead to the app at most.
 */
export async function serveAuthorization(app: FastifyInstance, client: GatewayClient, site: Site, seal: Seal): Promise<void> {
  for (const document of [AuthorizePageDocument, ...FORM_DOCUMENTS]) await client.prepare(document)
  const submitForm = createFormHandler(client, seal)

  await app.register(async (scope) => {
    compressResponses(scope)
    acceptForms(scope)
    scope.setErrorHandler((error, request, reply) => {
      if (error instanceof ServiceOverloadedError) return show(reply, unavailable(503))
      const page = error instanceof OperationFailed ? refused(error.errors, site, '/') : unavailable(500)
      // Fastify's errors have a `statusCode`.
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
      const requested = await findRequest(request, reply)
      return requested ? showRequest(request, reply, requested) : show(reply, endedPage)
    })
    scope.post<{ Params: { request: string } }>(`${PREFIX}/:request`, SECRET, async (request, reply) => {
      const pending = isSameOrigin(request) ? await findRequest(request, reply) : null
      if (!pending) return show(reply, endedPage)
      const pressed = await submitForm(request, reply)
      if ('choice' in pressed) return showChoice(request, reply, pending, pressed.choice)
      const problem = 'problem' in pressed ? pressed.problem : problemOf(pressed, formOf(request))
      if (problem !== null) return showRequest(request, reply, { ...pending, storeName: null }, problem)
      // The other results were handled above.
      const { step } = dataOf(pressed as ClientResult<StepResult>)
      if (step.__typename !== 'AuthorizationStep') return show(reply, endedPage)
      return reply.header('cache-control', 'no-store').redirect(step.continueAt, 303)
    })
  })

  /** The pending request, if this is its browser; null otherwise. */
  async function findRequest(request: OfRequest, reply: FastifyReply): Promise<PendingAuthorization | null> {
    const { request: id } = request.params
    const cookie = cookieOf(request, COOKIE)
    if (cookie === null || !isSame(cookie, id)) return null
    const answer = await client.run(
      AuthorizePageDocument,
      { id, browser: browserOf(request) },
      callerOf(request, []),
      disconnectSignal(reply),
    )
    return foundIn(dataOf(answer).authorizationRequest, answer)
  }

  function showChoice(
    request: OfRequest,
    reply: FastifyReply,
    pending: PendingAuthorization,
    { stores, sealed }: StoreChoice,
  ): FastifyReply {
    const page = choicePage(pending, stores, { action: actionOf(request), site, sealed })
    return show(reply, { ...page, headers: { 'content-security-policy': leadingTo(pending.returnsTo) } })
  }

  function showRequest(
    request: OfRequest,
    reply: FastifyReply,
    pending: PendingAuthorization,
    problem: SignInProblem | null = null,
  ): FastifyReply {
    const place = { action: actionOf(request), site }
    const typed = { email: fieldOf(request, 'email'), login: fieldOf(request, 'login') }
    const page = pending.storeName === null ? signInPage(pending, { ...place, ...typed, problem }) : consentPage(pending, place)
    return show(reply, { ...page, headers: { 'content-security-policy': leadingTo(pending.returnsTo) } })
  }

  const actionOf = ({ params }: OfRequest): string => site.at(`${PREFIX}/${encodeURIComponent(params.request)}`)

  const show = (reply: FastifyReply, page: WebPage): FastifyReply => sendPage(reply, page, site, 'no-store')
}

const formOf = (request: OfRequest): SignInProblem['form'] => (fieldOf(request, 'do') === 'sign-in' ? 'shop' : 'account')

/** What a shop owner can put right about a sign-in; null when nothing is wrong with it. */
function problemOf({ data, errors }: ClientResult<StepResult>, form: SignInProblem['form']): SignInProblem | null {
  const [error] = errors
  if (error?.extensions?.code === 'UNAUTHENTICATED') return { form, message: 'The login or the authtoken is wrong.' }
  if (error?.extensions?.code === 'FORBIDDEN') return { form, message: error.message }
  if (errors.length > 0) throw new OperationFailed(errors)
  const message = data !== null && 'message' in data.step ? data.step.message : undefined
  return message === undefined ? null : { form, message }
}

const isSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
