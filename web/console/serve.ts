import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ConsoleResetAuthtokenDocument, ConsoleSignInDocument } from '#generated/operations.ts'
import type { GatewayClient } from '../../gateway/client.ts'
import { compressAnswers } from '../../gateway/server.ts'
import { parseQuery } from '../../rest-facade/http/parameters.ts'
import { fieldOf, readForms } from '../frame/form.ts'
import type { Html } from '../frame/html.ts'
import { type Ask, dataOf, type Page, Unanswered } from '../frame/page.ts'
import { notReadable, refused, unavailable } from '../frame/refusals.ts'
import { askOf, filledIn, sendPage } from '../frame/serve.ts'
import type { Site } from '../frame/site.ts'
import { access, newAuthtoken } from './access.ts'
import { orders } from './orders.ts'
import { overview } from './overview.ts'
import { type ConsoleRow, framed } from './page.ts'
import { products } from './products.ts'
import { type Seal, sealOf } from './seal.ts'
import { isFormOf, type Session, sessionsOf, type Visit } from './session.ts'
import { signInPage, strangeForm, unreadableForm } from './sign-in.ts'

const ROWS: readonly ConsoleRow[] = [overview, orders, products, access]

/**
 * Serves the console of stores at `/console`: its owner signs in with the login and authtoken of a store, and sees what these open, nothing else. Works without
 * a script. Nobody keeps its pages, and every form holds a token of the visit.
 */
export async function serveConsole(
  app: FastifyInstance,
  client: GatewayClient,
  site: Site,
  { seal = sealOf(null), now = Date.now }: { readonly seal?: Seal; readonly now?: () => number } = {},
): Promise<void> {
  const documents = [ConsoleSignInDocument, ConsoleResetAuthtokenDocument, ...ROWS.flatMap(({ asks }) => asks)]
  for (const document of documents) await client.prepare(document)
  const sessions = sessionsOf(seal, site.publicUrl.startsWith('https:'), now)

  await app.register(async (scope) => {
    compressAnswers(scope)
    readForms(scope)
    scope.setErrorHandler((error, request, reply) => {
      if (error instanceof Unanswered)
        return hasEnded(error) ? sayEnded(request, reply) : show(reply, refused(error.errors, site))
      const { statusCode = 500 } = error as { readonly statusCode?: number }
      if (statusCode < 500) return show(reply, unreadableForm(statusCode, site))
      request.log.error({ err: error }, 'a page of the console failed')
      return show(reply, unavailable(500))
    })
    for (const row of ROWS) scope.get(row.path, (request, reply) => showRow(row, request, reply))
    scope.post('/console/sign-in', signIn)
    scope.post('/console/sign-out', async (request, reply) => {
      const session = sessions.of(request)
      // A form of another site comes without the cookie, and must not end what it cannot see.
      if (!session) return toConsole(reply)
      if (!isFormOf(session, request)) return show(reply, strangeForm(site))
      sessions.end(reply)
      return toConsole(reply)
    })
    scope.post('/console/access', async (request, reply) => {
      const session = sessions.of(request)
      if (!session || !isFormOf(session, request)) return show(reply, strangeForm(site))
      if (fieldOf(request, 'understood') !== 'yes') return toConsole(reply, access.path)
      const { resetAuthtoken } = dataOf(await asking(session, request, reply)(ConsoleResetAuthtokenDocument, {}))
      if (resetAuthtoken.__typename !== 'ResetAuthtokenSuccess' || !resetAuthtoken.authtoken) {
        throw new Error(`Expected the authtoken to be reset, got ${resetAuthtoken.__typename}.`)
      }
      const { login, authtoken } = resetAuthtoken
      const renewed = sessions.begin(reply, login, authtoken)
      return showFramed(reply, access, newAuthtoken(login, authtoken), renewed)
    })
  })

  async function showRow(row: ConsoleRow, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const session = sessions.of(request)
    if (!session) {
      return row === overview ? show(reply, signInPage(visitOf(request, reply), site)) : toConsole(reply)
    }
    const { values, refusals } = parseQuery(row.parameters, filledIn(request.raw.url ?? ''))
    if (refusals.length > 0) return show(reply, notReadable(refusals))
    const body = await row.body({ query: values as never, ask: asking(session, request, reply), site, visit: session })
    return showFramed(reply, row, body, session)
  }

  async function signIn(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const visit = sessions.visitOf(request)
    if (!visit || !isFormOf(visit, request)) return show(reply, strangeForm(site))
    const [login, authtoken] = [fieldOf(request, 'login').trim(), fieldOf(request, 'authtoken').trim()]
    const { data, errors } = await asking({ login, authtoken }, request, reply)(ConsoleSignInDocument, {})
    if (data !== null) {
      sessions.begin(reply, login, authtoken)
      return toConsole(reply)
    }
    const limited = errors.find(({ extensions }) => extensions?.code === 'RATE_LIMITED')
    if (limited) {
      reply.header('retry-after', String(limited.extensions?.retryAfterSeconds ?? 60))
      return show(reply, { ...signInPage(visit, site, login, limited.message), status: 429 })
    }
    if (!hasEnded({ errors })) throw new Unanswered(errors)
    const problem = 'There is no store with this login and authtoken. Look at both again.'
    return show(reply, { ...signInPage(visit, site, login, problem), status: 401 })
  }

  /** The credentials of a session were taken back. */
  function sayEnded(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    sessions.end(reply)
    const problem = 'The authtoken has been reset since you signed in. Sign in with the new one.'
    return show(reply, { ...signInPage(visitOf(request, reply), site, '', problem), status: 401 })
  }

  const visitOf = (request: FastifyRequest, reply: FastifyReply): Visit => sessions.visitOf(request) ?? sessions.welcome(reply)

  function asking({ login, authtoken }: Pick<Session, 'login' | 'authtoken'>, request: FastifyRequest, reply: FastifyReply): Ask {
    const authorization = `Basic ${Buffer.from(`${login}:${authtoken}`, 'utf8').toString('base64')}`
    return askOf(client, request, reply, { authorization })
  }

  const showFramed = (reply: FastifyReply, row: ConsoleRow, body: Html, visit: Visit): FastifyReply =>
    show(reply, framed(row, ROWS, body, { visit, site }))

  const toConsole = (reply: FastifyReply, path = overview.path): FastifyReply =>
    reply.header('cache-control', 'no-store').redirect(site.at(path), 303)

  const show = (reply: FastifyReply, page: Page): FastifyReply => sendPage(reply, page, site, 'no-store')
}

/** Whether credentials were refused. */
const hasEnded = ({ errors }: Pick<Unanswered, 'errors'>): boolean =>
  errors.some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED')
