import type { FastifyReply, FastifyRequest } from 'fastify'
import { ConsoleSessionDocument } from '#generated/operations.ts'
import type { GatewayClient } from '../../gateway/client.ts'
import type { AccountResponder } from '../account/responder.ts'
import type { Visit } from '../frame/form-token.ts'
import type { Html } from '../frame/html.ts'
import { dataOf, type RunPageOperation, type WebPage } from '../frame/page.ts'
import { operationRunner, sendPage } from '../frame/serve.ts'
import type { Site } from '../frame/site.ts'
import { access } from './access.ts'
import { apps } from './apps.ts'
import { audit } from './audit.ts'
import { customers } from './customers.ts'
import { drafts } from './drafts.ts'
import { imports } from './imports.ts'
import { orders } from './orders.ts'
import { overview } from './overview.ts'
import { type ConsoleRow, framed } from './page.ts'
import { priceLists } from './price-lists.ts'
import { products } from './products.ts'
import { promotions } from './promotions.ts'
import { reports } from './reports.ts'
import { returns } from './returns.ts'
import { searchSynonyms } from './search-synonyms.ts'
import type { OpenSession, StoreCredentials, sessionsOf } from './session.ts'
import { settings } from './settings.ts'
import { signInPage } from './sign-in.ts'
import { staff } from './staff.ts'
import { transfers } from './transfers.ts'
import { webhooks } from './webhooks.ts'

/** The sections of the console, as its navigation shows them. */
export const SECTIONS: readonly ConsoleRow[] = [
  overview,
  reports,
  orders,
  drafts,
  returns,
  products,
  transfers,
  customers,
  imports,
  priceLists,
  promotions,
  searchSynonyms,
  webhooks,
  apps,
  settings,
  staff,
  audit,
  access,
]

/** Sections that a session may open. */
export const sectionsOf = ({ rights }: Pick<OpenSession, 'rights'>): readonly ConsoleRow[] =>
  SECTIONS.filter(({ needs }) => needs.every((right) => rights.has(right)))

const SESSION_OVER =
  'You are signed out: the session was ended, is older than eight hours, or the server was restarted without CONSOLE_SECRET. Sign in again.'

/** Runs operations for a session, and answers with pages of the console. */
export type ConsoleResponder = ReturnType<typeof consoleResponder>

export function consoleResponder(
  client: GatewayClient,
  site: Site,
  { sessions, accounts }: { readonly sessions: ReturnType<typeof sessionsOf>; readonly accounts: AccountResponder },
) {
  return { runnerFor, runnerOf, sessionOf, visitOf, showSessionEnded, showSignIn, showFramed, toConsole, show }

  /**
   * The signed-in merchant; null: none, or the session has ended. Throws `Unanswered` without an
   * answer of the store.
   */
  async function sessionOf(request: FastifyRequest, reply: FastifyReply): Promise<OpenSession | null> {
    const session = sessions.of(request)
    // A cookie of a release before this one has no secret.
    if (!session?.secret) return null
    const user = 'storeCode' in session ? await accounts.sessionOf(request, reply) : null
    if (user || !('storeCode' in session)) {
      const userToken = user?.token ?? null
      const run = runnerOf({ ...session, userToken }, request, reply)
      const { isOpen, access, grants } = dataOf(await run(ConsoleSessionDocument, { secret: session.secret }))
      const rights = new Set([...grants.scopes, ...grants.policies])
      if (isOpen) return { ...session, userToken, role: access.role ?? null, rights }
    }
    sessions.end(reply)
    return null
  }

  /** For a session whose credentials were revoked. */
  function showSessionEnded(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    sessions.end(reply)
    const problem = 'The authtoken has been reset since you signed in, or you do not work in the store any more. Sign in again.'
    return show(reply, { ...signInPage(visitOf(request, reply), site, '', problem), status: 401 })
  }

  /** The sign-in form, with the reason for a merchant who was signed in. */
  function showSignIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const hadSession = sessions.wasBegun(request)
    if (hadSession) sessions.end(reply)
    return show(reply, signInPage(visitOf(request, reply), site, '', hadSession ? SESSION_OVER : null))
  }

  function visitOf(request: FastifyRequest, reply: FastifyReply): Visit {
    return sessions.visitOf(request) ?? sessions.welcome(reply)
  }

  /** Runs operations with the credentials of a store. */
  function runnerFor(
    { login, authtoken }: StoreCredentials,
    request: FastifyRequest,
    reply: FastifyReply,
    signal?: AbortSignal,
  ): RunPageOperation {
    const authorization = `Basic ${Buffer.from(`${login}:${authtoken}`, 'utf8').toString('base64')}`
    return operationRunner(client, request, reply, { authorization }, signal)
  }

  /**
   * The same for a session: a user's is that of the account, in the store that was opened. Operations
   * end when the browser disconnects, or with `signal` where it is given.
   */
  function runnerOf(
    session: Pick<OpenSession, 'userToken'> & (StoreCredentials | { readonly storeCode: string }),
    request: FastifyRequest,
    reply: FastifyReply,
    signal?: AbortSignal,
  ): RunPageOperation {
    if (!('storeCode' in session)) return runnerFor(session, request, reply, signal)
    const authorization = `Bearer ${session.userToken}`
    return operationRunner(client, request, reply, { authorization, 'x-store-code': session.storeCode }, signal)
  }

  function showFramed(reply: FastifyReply, row: ConsoleRow, body: Html, session: OpenSession, status = 200): FastifyReply {
    return show(reply, { ...framed(row, sectionsOf(session), body, { session, site }), status })
  }

  function toConsole(reply: FastifyReply, path = overview.path): FastifyReply {
    return reply.header('cache-control', 'no-store').redirect(site.at(path), 303)
  }

  function show(reply: FastifyReply, page: WebPage): FastifyReply {
    return sendPage(reply, page, site, 'no-store')
  }
}
