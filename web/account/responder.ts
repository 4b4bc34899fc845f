import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AccountRefreshDocument } from '#generated/operations.ts'
import type { GatewayClient } from '../../gateway/client.ts'
import { boundedCache } from '../../platform/collections/bounded-cache.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { Visit } from '../frame/form-token.ts'
import { dataOf, type RunPageOperation, type WebPage } from '../frame/page.ts'
import { operationRunner, sendPage } from '../frame/serve.ts'
import type { Site } from '../frame/site.ts'
import type { UserSession, UserSessions, UserTokens } from './session.ts'
import { signInPage } from './sign-in.ts'

/** An access token that ends sooner is refreshed first: an operation must not outlive it. */
const REFRESH_BEFORE_MS = 60_000

/**
 * Refreshed tokens by the hash of the refresh token before. Tabs that load at once come with one
 * refresh token, which is good once: using it twice would end the session.
 */
const MAX_REFRESHES = 10_000
/**
 * For how long requests with the same refresh token get the same tokens. Later, the token is a copy
 * that somebody kept, and the graph ends the session.
 */
const SHARED_REFRESH_MS = 60_000

type Refresh = { readonly until: number; readonly tokens: Promise<UserTokens | null> }

/** Runs operations for a user, and answers with pages that are for this user only. */
export type AccountResponder = ReturnType<typeof accountResponder>

export function accountResponder(client: GatewayClient, site: Site, sessions: UserSessions, now: () => number) {
  const refreshes = boundedCache<Refresh>({ maxEntries: MAX_REFRESHES, maxCharacters: MAX_REFRESHES * 64 })
  return { runnerFor, runAnonymously, sessionOf, visitOf, showSessionEnded, showSignIn, to, show }

  /** The signed-in user; null: none, or the session has ended. */
  async function sessionOf(request: FastifyRequest, reply: FastifyReply): Promise<UserSession | null> {
    const session = sessions.of(request)
    if (session === null || Date.parse(session.expiresAt) - now() > REFRESH_BEFORE_MS) return session
    const tokens = await refreshed(session, request, reply)
    if (tokens) return sessions.begin(reply, tokens, session.formToken)
    sessions.end(reply)
    return null
  }

  function refreshed({ refreshToken }: UserSession, request: FastifyRequest, reply: FastifyReply): Promise<UserTokens | null> {
    const key = createHash('sha256').update(refreshToken).digest('base64url')
    const pending = refreshes.get(key)
    if (pending && pending.until > now()) return pending.tokens
    const tokens = refresh(refreshToken, request, reply)
    refreshes.set(key, { until: now() + SHARED_REFRESH_MS, tokens })
    // The next request tries again.
    tokens.catch(() => {
      if (refreshes.get(key)?.tokens === tokens) refreshes.delete(key)
    })
    return tokens
  }

  async function refresh(refreshToken: string, request: FastifyRequest, reply: FastifyReply): Promise<UserTokens | null> {
    // Other tabs wait for it, and the token is used up: it goes on when this one is closed.
    const run = operationRunner(client, request, reply, {}, new AbortController().signal)
    const { refreshSession } = dataOf(await run(AccountRefreshDocument, { refreshToken }))
    return refreshSession.__typename === 'LoginSuccess' ? refreshSession : null
  }

  function visitOf(request: FastifyRequest, reply: FastifyReply): Visit {
    return sessions.visitOf(request) ?? sessions.welcome(reply)
  }

  function runAnonymously(request: FastifyRequest, reply: FastifyReply): RunPageOperation {
    return operationRunner(client, request, reply)
  }

  function runnerFor(
    { token }: UserSession,
    request: FastifyRequest,
    reply: FastifyReply,
    further: Caller['credentials'] = {},
  ): RunPageOperation {
    return operationRunner(client, request, reply, { ...further, authorization: `Bearer ${token}` })
  }

  /** For a session that the graph does not know any more. `next`: where signing in leads to. */
  function showSessionEnded(request: FastifyRequest, reply: FastifyReply, next = ''): FastifyReply {
    sessions.end(reply)
    return show(reply, { ...signInPage(visitOf(request, reply), site, { next, problem: ENDED }), status: 401 })
  }

  /** The sign-in form, with the reason for a user who was signed in. `next`: where it leads to. */
  function showSignIn(request: FastifyRequest, reply: FastifyReply, next = ''): FastifyReply {
    const wasSignedIn = sessions.wasBegun(request) && sessions.of(request) === null
    if (wasSignedIn) sessions.end(reply)
    return show(reply, signInPage(visitOf(request, reply), site, { next, problem: wasSignedIn ? ENDED : null }))
  }

  function to(reply: FastifyReply, path: string): FastifyReply {
    return reply.header('cache-control', 'no-store').redirect(site.at(path), 303)
  }

  function show(reply: FastifyReply, page: WebPage): FastifyReply {
    return sendPage(reply, page, site, 'no-store')
  }
}

const ENDED =
  'You are signed out: the session was ended, was not used for 30 days, or the server was restarted without CONSOLE_SECRET. Sign in again.'
