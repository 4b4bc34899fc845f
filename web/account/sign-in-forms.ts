import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AccountSignInDocument, AccountSignOutDocument, AccountSignUpDocument } from '#generated/operations.ts'
import type { ClientResult } from '../../gateway/client.ts'
import { fieldOf } from '../frame/form.ts'
import { isFormOf } from '../frame/form-token.ts'
import { OperationFailed } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import type { AccountResponder } from './responder.ts'
import type { UserSessions } from './session.ts'
import { foreignAccountForm, signInPage, signUpPage } from './sign-in.ts'

const ACCOUNT = '/account'
const MAX_NEXT_CHARACTERS = 500

type NextQuery = { Querystring: { readonly next?: unknown } }

/** Serves the forms that begin and end a session. */
export function serveSignInForms(
  scope: FastifyInstance,
  { runnerFor, runAnonymously, sessionOf, visitOf, showSignIn, to, show }: AccountResponder,
  { site, sessions }: { readonly site: Site; readonly sessions: UserSessions },
): void {
  scope.get<NextQuery>('/account/sign-in', async (request, reply) => {
    const next = nextOf(request.query.next)
    return (await sessionOf(request, reply)) ? to(reply, next || ACCOUNT) : showSignIn(request, reply, next)
  })
  scope.get<NextQuery>('/account/sign-up', async (request, reply) => {
    const next = nextOf(request.query.next)
    if (await sessionOf(request, reply)) return to(reply, next || ACCOUNT)
    return show(reply, signUpPage(visitOf(request, reply), site, { next }))
  })
  scope.post('/account/sign-in', async (request, reply) => {
    const visit = sessions.visitOf(request)
    if (!visit || !isFormOf(visit, request)) return show(reply, foreignAccountForm(site))
    return signIn(request, reply)
  })
  scope.post('/account/sign-up', signUp)
  scope.post('/account/sign-out', async (request, reply) => {
    const session = await sessionOf(request, reply)
    // A form of another site comes without the cookie, and must not end the session.
    if (!session) return to(reply, ACCOUNT)
    if (!isFormOf(session, request)) return show(reply, foreignAccountForm(site))
    const { errors } = await runnerFor(session, request, reply)(AccountSignOutDocument, {})
    // While the graph does not answer, a copy of the cookie would go on: the user can try again.
    const isOver = errors.some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED')
    if (errors.length > 0 && !isOver) throw new OperationFailed(errors)
    sessions.end(reply)
    return to(reply, '/')
  })

  async function signIn(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const email = fieldOf(request, 'email').trim()
    const next = nextOf(fieldOf(request, 'next'))
    const answer = await runAnonymously(request, reply)(AccountSignInDocument, { email, password: fieldOf(request, 'password') })
    const visit = visitOf(request, reply)
    const limited = limitOf(answer, reply)
    if (limited !== null) return show(reply, { ...signInPage(visit, site, { next, email, problem: limited }), status: 429 })
    if (answer.data === null) throw new OperationFailed(answer.errors)
    const { login } = answer.data
    if (login.__typename === 'LoginSuccess') {
      sessions.begin(reply, login)
      return to(reply, next || ACCOUNT)
    }
    const problem = login.__typename === 'AccountLocked' ? login.message : 'The e-mail address or the password is wrong.'
    return show(reply, { ...signInPage(visit, site, { next, email, problem }), status: 401 })
  }

  async function signUp(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const visit = sessions.visitOf(request)
    if (!visit || !isFormOf(visit, request)) return show(reply, foreignAccountForm(site))
    const [name, email] = [fieldOf(request, 'name'), fieldOf(request, 'email').trim()]
    const state = { next: nextOf(fieldOf(request, 'next')), name, email }
    const refuse = (problem: string, status: number) => show(reply, { ...signUpPage(visit, site, { ...state, problem }), status })
    const password = fieldOf(request, 'password')
    const answer = await runAnonymously(request, reply)(AccountSignUpDocument, { name, email, password })
    const limited = limitOf(answer, reply)
    if (limited !== null) return refuse(limited, 429)
    if (answer.data === null) throw new OperationFailed(answer.errors)
    const { errors } = answer.data.createUser
    if (errors.length > 0) return refuse(errors.map(({ message }) => message).join(' '), 422)
    return signIn(request, reply)
  }
}

/** Why the address of the client has to wait, with the header that says how long; null: it has not. */
function limitOf({ errors }: ClientResult<unknown>, reply: FastifyReply): string | null {
  const limited = errors.find(({ extensions }) => extensions?.code === 'RATE_LIMITED')
  if (!limited) return null
  reply.header('retry-after', String(limited.extensions?.retryAfterSeconds ?? 60))
  return limited.message
}

/**
 * A path of ours, to go on with after signing in; empty for anything else: `//host` and `/\host`
 * are other sites.
 */
export const nextOf = (text: unknown): string =>
  typeof text === 'string' && text.length <= MAX_NEXT_CHARACTERS && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text) ? text : ''
