import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ConsoleResetAuthtokenDocument, ConsoleSignInDocument, ConsoleSignOutDocument } from '#generated/operations.ts'
import { fieldOf } from '../frame/form.ts'
import { isFormOf } from '../frame/form-token.ts'
import { dataOf, OperationFailed } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { access, newAuthtoken } from './access.ts'
import type { ConsoleResponder } from './responder.ts'
import type { ConsoleSession, StoreCredentials, sessionsOf } from './session.ts'
import { foreignForm, signInPage } from './sign-in.ts'

/** The forms that begin and end a session, and that reset the authtoken. */
export function serveAccountForms(
  scope: FastifyInstance,
  { runnerFor, runnerOf, sessionOf, showFramed, toConsole, show }: ConsoleResponder,
  { site, sessions }: { readonly site: Site; readonly sessions: ReturnType<typeof sessionsOf> },
): void {
  scope.post('/console/sign-in', signIn)
  scope.post('/console/sign-out', async (request, reply) => {
    const session = await sessionOf(request, reply)
    // A cross-site form comes without the cookie, and must not end the session.
    if (!session) return toConsole(reply)
    if (!isFormOf(session, request)) return show(reply, foreignForm(site))
    // First the session in the database: a copy of the cookie may exist. When that fails, the user
    // is still signed in, and can try again.
    dataOf(await runnerOf(session, request, reply)(ConsoleSignOutDocument, { secret: session.secret }))
    sessions.end(reply)
    return toConsole(reply)
  })
  scope.post('/console/access', async (request, reply) => {
    const session = await sessionOf(request, reply)
    if (!session || !isFormOf(session, request)) return show(reply, foreignForm(site))
    if (fieldOf(request, 'understood') !== 'yes') return toConsole(reply, access.path)
    const { resetAuthtoken } = dataOf(await runnerOf(session, request, reply)(ConsoleResetAuthtokenDocument, {}))
    if (resetAuthtoken.__typename !== 'ResetAuthtokenSuccess' || !resetAuthtoken.authtoken) {
      throw new Error(`Expected the authtoken to be reset, got ${resetAuthtoken.__typename}.`)
    }
    const { login, authtoken } = resetAuthtoken
    // The session of a user does not hang on the authtoken.
    if (session.userToken !== null) return showFramed(reply, access, newAuthtoken(login, authtoken, true), session)
    // The old authtoken is invalid by now: the new one is shown, whatever becomes of the session.
    let renewed: ConsoleSession | null = null
    try {
      renewed = await begin({ login, authtoken }, request, reply)
      await runnerFor({ login, authtoken }, request, reply)(ConsoleSignOutDocument, { secret: session.secret })
    } catch (error) {
      request.log.error({ err: error }, 'the sessions of a store did not follow its new authtoken')
    }
    const { userToken, role, rights } = session
    const shown = { ...(renewed ?? session), userToken, role, rights }
    return showFramed(reply, access, newAuthtoken(login, authtoken, renewed !== null), shown)
  })

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

  async function begin(credentials: StoreCredentials, request: FastifyRequest, reply: FastifyReply): Promise<ConsoleSession> {
    const { session } = dataOf(await runnerFor(credentials, request, reply)(ConsoleSignInDocument, {}))
    return sessions.begin(reply, credentials, session.secret)
  }
}

/** Whether credentials were refused. */
export const isUnauthenticated = ({ errors }: Pick<OperationFailed, 'errors'>): boolean =>
  errors.some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED')
