import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  ConsoleResetAuthtokenDocument,
  ConsoleSessionDocument,
  ConsoleSignInDocument,
  ConsoleSignOutDocument,
} from '#generated/operations.ts'
import type { GatewayClient } from '../../gateway/client.ts'
import { ServiceOverloadedError } from '../../platform/http/load-shedding.ts'
import { compressResponses } from '../../platform/http/server.ts'
import { parseQuery } from '../../rest-facade/http/parameters.ts'
import { acceptForms, fieldOf } from '../frame/form.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf, OperationFailed, type RunPageOperation, type WebPage } from '../frame/page.ts'
import { notReadable, refused, unavailable } from '../frame/refusals.ts'
import type { Seal } from '../frame/seal.ts'
import { operationRunner, pathWithoutQuery, routed, sendPage, withoutEmptyFields } from '../frame/serve.ts'
import type { Site } from '../frame/site.ts'
import { access, newAuthtoken } from './access.ts'
import { apps, appsChanges } from './apps.ts'
import type { ConsoleChange } from './change.ts'
import { orders } from './orders.ts'
import { overview } from './overview.ts'
import { type ConsoleRow, framed, noticesOf, type Uses } from './page.ts'
import { products } from './products.ts'
import { type ConsoleCredentials, type ConsoleSession, isFormOf, sessionsOf, type Visit } from './session.ts'
import { foreignForm, signInPage, unreadableForm } from './sign-in.ts'
import { webhook, webhookChanges } from './webhook.ts'
import { webhooks, webhooksChanges } from './webhooks.ts'

/** The ways through the console, and the pages below them. */
const SECTIONS: readonly ConsoleRow[] = [overview, orders, products, webhooks, apps, access]
const ROWS: readonly ConsoleRow[] = [...SECTIONS, webhook]
const CHANGES: readonly ConsoleChange[] = [...webhooksChanges, ...webhookChanges, ...appsChanges]

/** What the console needs besides the graph. */
export type ConsoleOptions = {
  readonly seal: Seal
  /** Nobody has used anything where it is absent. */
  readonly uses?: Uses | undefined
  readonly now?: () => number
}

type Shown = { readonly status?: number; readonly problems?: readonly string[] }

/**
 * Serves the console of stores at `/console`: its owner signs in with the login and authtoken of a
 * store, and sees what these open, nothing else. Works without a script. Nobody keeps its pages,
 * and every form holds a token of the visit.
 */
export async function serveConsole(
  app: FastifyInstance,
  client: GatewayClient,
  site: Site,
  { seal, uses = async () => [], now = Date.now }: ConsoleOptions,
): Promise<void> {
  const own = [ConsoleSignInDocument, ConsoleSessionDocument, ConsoleSignOutDocument, ConsoleResetAuthtokenDocument]
  const documents = [...own, ...[...ROWS, ...CHANGES].flatMap(({ operations }) => operations)]
  for (const document of documents) await client.prepare(document)
  const sessions = sessionsOf(seal, site.publicUrl.startsWith('https:'), now)

  await app.register(async (scope) => {
    compressResponses(scope)
    acceptForms(scope)
    scope.setErrorHandler((error, request, reply) => {
      if (error instanceof ServiceOverloadedError) return show(reply, unavailable(503))
      if (error instanceof OperationFailed)
        return isUnauthenticated(error)
          ? showSessionEnded(request, reply)
          : show(reply, refused(error.errors, site, pathWithoutQuery(request, '/console')))
      const { statusCode = 500 } = error as { readonly statusCode?: number }
      if (statusCode < 500) return show(reply, unreadableForm(statusCode, site))
      request.log.error({ err: error }, 'a page of the console failed')
      return show(reply, unavailable(500))
    })
    for (const row of ROWS)
      scope.get(routed(row.path), async (request, reply) => {
        const session = await sessionOf(request, reply)
        if (session) return showRow(row, session, request, reply)
        return row === overview ? show(reply, signInPage(visitOf(request, reply), site)) : toConsole(reply)
      })
    for (const each of CHANGES) scope.post(routed(each.path), (request, reply) => change(each, request, reply))
    scope.post('/console/sign-in', signIn)
    scope.post('/console/sign-out', async (request, reply) => {
      const session = await sessionOf(request, reply)
      // A form of another site comes without the cookie, and must not end what it cannot see.
      if (!session) return toConsole(reply)
      if (!isFormOf(session, request)) return show(reply, foreignForm(site))
      // First, and everywhere: a copy of the cookie may be anywhere. Who is told that it failed is
      // still signed in, and can try again.
      dataOf(await runnerFor(session, request, reply)(ConsoleSignOutDocument, { secret: session.secret }))
      sessions.end(reply)
      return toConsole(reply)
    })
    scope.post('/console/access', async (request, reply) => {
      const session = await sessionOf(request, reply)
      if (!session || !isFormOf(session, request)) return show(reply, foreignForm(site))
      if (fieldOf(request, 'understood') !== 'yes') return toConsole(reply, access.path)
      const { resetAuthtoken } = dataOf(await runnerFor(session, request, reply)(ConsoleResetAuthtokenDocument, {}))
      if (resetAuthtoken.__typename !== 'ResetAuthtokenSuccess' || !resetAuthtoken.authtoken) {
        throw new Error(`Expected the authtoken to be reset, got ${resetAuthtoken.__typename}.`)
      }
      const { login, authtoken } = resetAuthtoken
      const renewed = await begin({ login, authtoken }, request, reply)
      await runnerFor(renewed, request, reply)(ConsoleSignOutDocument, { secret: session.secret })
      return showFramed(reply, access, newAuthtoken(login, authtoken), renewed)
    })
  })

  async function showRow(
    row: ConsoleRow,
    session: ConsoleSession,
    request: FastifyRequest,
    reply: FastifyReply,
    { status = 200, problems = [] }: Shown = {},
  ): Promise<FastifyReply> {
    const { values, refusals } = parseQuery(row.parameters, withoutEmptyFields(request.raw.url ?? ''))
    if (refusals.length > 0) return show(reply, notReadable(refusals, site, pathWithoutQuery(request, '/console')))
    const body = await row.body({
      path: request.params as Readonly<Record<string, string>>,
      query: values as never,
      run: runnerFor(session, request, reply),
      uses,
      site,
      visit: session,
      typed: (field) => fieldOf(request, field),
    })
    if (body === null) return showFramed(reply, row, nothing(site), session, 404)
    return showFramed(reply, row, html`${noticesOf(row.notices[String(values.done)], problems)}${body}`, session, status)
  }

  async function change({ on, make }: ConsoleChange, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const session = await sessionOf(request, reply)
    if (!session || !isFormOf(session, request)) return show(reply, foreignForm(site))
    const changed = await make({
      path: request.params as Readonly<Record<string, string>>,
      field: (name) => fieldOf(request, name),
      run: runnerFor(session, request, reply),
    })
    if (changed.kind === 'done') return toConsole(reply, `${changed.at}?done=${changed.notice}`)
    if (changed.kind === 'gone') return showFramed(reply, on, nothing(site), session, 404)
    return showRow(on, session, request, reply, { status: 422, problems: changed.problems })
  }

  async function signIn(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const visit = sessions.visitOf(request)
    if (!visit || !isFormOf(visit, request)) return show(reply, foreignForm(site))
    const [login, authtoken] = [fieldOf(request, 'login').trim(), fieldOf(request, 'authtoken').trim()]
    const { data, errors } = await runnerFor({ login, authtoken }, request, reply)(ConsoleSignInDocument, {})
    if (data !== null) {
      sessions.begin(reply, { login, authtoken }, data.session.secret)
      return toConsole(reply)
    }
    const limited = errors.find(({ extensions }) => extensions?.code === 'RATE_LIMITED')
    if (limited) {
      reply.header('retry-after', String(limited.extensions?.retryAfterSeconds ?? 60))
      return show(reply, { ...signInPage(visit, site, login, limited.message), status: 429 })
    }
    if (!isUnauthenticated({ errors })) throw new OperationFailed(errors)
    const problem = 'The login or the authtoken is wrong.'
    return show(reply, { ...signInPage(visit, site, login, problem), status: 401 })
  }

  /**
   * Who is signed in; null: nobody, or whoever has a cookie of a session that was ended. Throws
   * `Unanswered` where the store cannot say.
   */
  async function sessionOf(request: FastifyRequest, reply: FastifyReply): Promise<ConsoleSession | null> {
    const session = sessions.of(request)
    // A cookie of a release before this one has no secret.
    if (!session?.secret) return null
    const { isOpen } = dataOf(await runnerFor(session, request, reply)(ConsoleSessionDocument, { secret: session.secret }))
    if (isOpen) return session
    sessions.end(reply)
    return null
  }

  async function begin(credentials: ConsoleCredentials, request: FastifyRequest, reply: FastifyReply): Promise<ConsoleSession> {
    const { session } = dataOf(await runnerFor(credentials, request, reply)(ConsoleSignInDocument, {}))
    return sessions.begin(reply, credentials, session.secret)
  }

  /** The credentials of a session were taken back. */
  function showSessionEnded(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    sessions.end(reply)
    const problem = 'The authtoken has been reset since you signed in. Sign in with the new one.'
    return show(reply, { ...signInPage(visitOf(request, reply), site, '', problem), status: 401 })
  }

  const visitOf = (request: FastifyRequest, reply: FastifyReply): Visit => sessions.visitOf(request) ?? sessions.welcome(reply)

  function runnerFor({ login, authtoken }: ConsoleCredentials, request: FastifyRequest, reply: FastifyReply): RunPageOperation {
    const authorization = `Basic ${Buffer.from(`${login}:${authtoken}`, 'utf8').toString('base64')}`
    return operationRunner(client, request, reply, { authorization })
  }

  const showFramed = (reply: FastifyReply, row: ConsoleRow, body: Html, visit: Visit, status = 200): FastifyReply =>
    show(reply, { ...framed(row, SECTIONS, body, { visit, site }), status })

  const toConsole = (reply: FastifyReply, path = overview.path): FastifyReply =>
    reply.header('cache-control', 'no-store').redirect(site.at(path), 303)

  const show = (reply: FastifyReply, page: WebPage): FastifyReply => sendPage(reply, page, site, 'no-store')
}

/** What an address of the console, or a form, is about is not there. */
const nothing = ({ at }: Site): Html => html`<h1>Page not found</h1>
<p>The object does not exist in this store, or was deleted. <a href="${at(overview.path)}">Open the overview</a></p>`

/** Whether credentials were refused. */
const isUnauthenticated = ({ errors }: Pick<OperationFailed, 'errors'>): boolean =>
  errors.some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED')
