import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  AccountRefreshDocument,
  AccountSignInDocument,
  AccountSignOutDocument,
  AccountSignUpDocument,
} from '#generated/operations.ts'
import type { GatewayClient } from '../../gateway/client.ts'
import { ServiceOverloadedError } from '../../platform/http/load-shedding.ts'
import { compressResponses } from '../../platform/http/server.ts'
import { parseQuery } from '../../rest-facade/http/parameters.ts'
import { noticesOf } from '../frame/change.ts'
import { acceptForms, fieldOf } from '../frame/form.ts'
import { changeForm, isFormOf } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { OperationFailed, PUBLIC_CACHE_CONTROL, type WebPage } from '../frame/page.ts'
import { notReadable, refused, unavailable } from '../frame/refusals.ts'
import { type CreateNotFoundPage, pathOf, pathWithoutQuery, routed, sendPage, withoutEmptyFields } from '../frame/serve.ts'
import type { Site } from '../frame/site.ts'
import { serveRoomEvents } from '../room/events.ts'
import type { UserForm, UserPageBody, UserPageRow } from './page.ts'
import type { AccountResponder } from './responder.ts'
import type { UserSession, UserSessions } from './session.ts'
import { foreignAccountForm } from './sign-in.ts'
import { nextOf, serveSignInForms } from './sign-in-forms.ts'
import type { StreamOperation } from './stream.ts'

/** Posts have at most 50,000 characters, of up to 12 bytes each in a form. */
const MAX_FORM_BYTES = 650_000

const SIGN_IN = '/account/sign-in'

/** What pages of users need besides the graph. */
export type AccountOptions = {
  readonly site: Site
  readonly sessions: UserSessions
  readonly lost: CreateNotFoundPage
  readonly rows: readonly UserPageRow[]
  readonly forms: readonly UserForm[]
  /** Answers with the events of a subscription; null: pages do not follow events. */
  readonly streamOperation: StreamOperation | null
  readonly responder: AccountResponder
}

type Shown = { readonly status?: number; readonly problems?: readonly string[] }

/**
 * Serves the pages that depend on who reads them: accounts, posts, rooms. They work without a
 * script. What a signed-in user sees is never stored; every form holds a token of the session.
 */
export async function serveAccounts(
  app: FastifyInstance,
  client: GatewayClient,
  { site, sessions, lost, rows, forms, streamOperation, responder }: AccountOptions,
): Promise<void> {
  const own = [AccountSignInDocument, AccountSignUpDocument, AccountSignOutDocument, AccountRefreshDocument]
  for (const document of [...own, ...[...rows, ...forms].flatMap(({ operations }) => operations)]) await client.prepare(document)
  const { runnerFor, runAnonymously, sessionOf, showSessionEnded, to, show } = responder
  if (streamOperation) serveRoomEvents(app, responder, streamOperation)
  const sections = rows.filter(({ label }) => label !== null)

  await app.register(async (scope) => {
    compressResponses(scope)
    acceptForms(scope, MAX_FORM_BYTES)
    scope.setErrorHandler((error, request, reply) => showError(error, request, reply))
    for (const row of rows)
      scope.get(routed(row.path), logged(row), async (request, reply) => {
        const session = await sessionOf(request, reply)
        if (session || row.isPublic) return showRow(row, session, request, reply)
        const next = nextOf(request.raw.url)
        if (sessions.wasBegun(request)) return showSessionEnded(request, reply, next)
        return to(reply, next === '' ? SIGN_IN : `${SIGN_IN}?${new URLSearchParams({ next })}`)
      })
    for (const form of forms) scope.post(routed(form.path), logged(form.on), (request, reply) => submit(form, request, reply))
    serveSignInForms(scope, responder, { site, sessions })
  })

  const showError = errorHandlerOf(responder, site, showNothing)

  async function showNothing(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return show(reply, await lost(pathOf(request), runAnonymously(request, reply)))
  }

  async function showRow(
    row: UserPageRow,
    session: UserSession | null,
    request: FastifyRequest,
    reply: FastifyReply,
    { status = 200, problems = [] }: Shown = {},
  ): Promise<FastifyReply> {
    const { values, refusals } = parseQuery(row.parameters, withoutEmptyFields(request.raw.url ?? ''))
    if (refusals.length > 0) return show(reply, notReadable(refusals, site, pathWithoutQuery(request, '/account')))
    const shown = await row.body({
      // Parameters of a path are texts.
      path: request.params as Readonly<Record<string, string>>,
      // The row's schema has parsed them.
      query: values as never,
      run: session ? runnerFor(session, request, reply) : runAnonymously(request, reply),
      site,
      session,
      typed: (field) => fieldOf(request, field),
    })
    if (shown === null) return showNothing(request, reply)
    const notices = noticesOf(row.notices[String(values.done)], problems)
    return showBody(row, shown, html`${notices}${shown.body}`, session, reply, status)
  }

  function showBody(
    row: UserPageRow,
    { title, scripts = [], canonical, description = 'For signed-in users.' }: Omit<UserPageBody, 'body'>,
    content: Html,
    session: UserSession | null,
    reply: FastifyReply,
    status = 200,
  ): FastifyReply {
    const body =
      session && row.label !== null
        ? html`${accountHead(row, sections, session, site)}<div class="console-body">${content}</div>`
        : content
    const page = {
      title,
      description,
      scripts,
      body,
      ...(canonical !== undefined && { canonical }),
      ...(status !== 200 && { status }),
    }
    return sendPage(reply, page, site, session === null && isCacheable(page) ? PUBLIC_CACHE_CONTROL : 'no-store')
  }

  async function submit({ on, submit: run }: UserForm, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const session = await sessionOf(request, reply)
    if (!session || !isFormOf(session, request)) return show(reply, foreignAccountForm(site))
    const changed = await run({
      // Parameters of a path are texts.
      path: request.params as Readonly<Record<string, string>>,
      field: (name) => fieldOf(request, name),
      session,
      run: runnerFor(session, request, reply),
      runWith: ({ login, authtoken }) => runnerFor(session, request, reply, { 'x-login-key': login, 'x-auth-token': authtoken }),
      rename: (name) => sessions.begin(reply, { ...session, user: { ...session.user, name } }, session.formToken),
      signOut: () => sessions.end(reply),
    })
    if (changed.kind === 'done') return to(reply, changed.notice === '' ? changed.at : `${changed.at}?done=${changed.notice}`)
    if (changed.kind === 'gone') return showNothing(request, reply)
    if (changed.kind === 'shown') return showBody(on, { title: on.label ?? 'Done' }, changed.body, session, reply)
    return showRow(on, session, request, reply, { status: 422, problems: changed.problems })
  }
}

/** Only those who were given the address of a page without a canonical one may read it. */
const isCacheable = ({ status, canonical }: Pick<WebPage, 'status' | 'canonical'>): boolean =>
  status === undefined && canonical !== undefined

/** How a route is logged: without its path where that holds a secret. */
const logged = ({ isSecret }: UserPageRow) => ({ config: { hasSecretPath: isSecret } })

/** Shows what went wrong: a session that ended, something that is not there, a form that is none of ours. */
const errorHandlerOf =
  ({ show, showSessionEnded }: AccountResponder, site: Site, showNothing: ShowNothing) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply | Promise<FastifyReply> => {
    if (error instanceof ServiceOverloadedError) return show(reply, unavailable(503))
    if (error instanceof OperationFailed) {
      const codes = error.errors.map(({ extensions }) => extensions?.code)
      if (codes.includes('UNAUTHENTICATED'))
        return showSessionEnded(request, reply, request.method === 'GET' ? nextOf(request.raw.url) : '')
      if (codes.includes('NOT_FOUND') || codes.includes('FORBIDDEN')) return showNothing(request, reply)
      return show(reply, refused(error.errors, site, pathWithoutQuery(request, '/account')))
    }
    // Fastify's errors have a `statusCode`.
    const { statusCode = 500 } = error as { readonly statusCode?: number }
    if (statusCode < 500) return show(reply, { ...foreignAccountForm(site), status: statusCode })
    request.log.error({ err: error }, 'a page of a user failed')
    return show(reply, unavailable(500))
  }

type ShowNothing = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** The navigation of the account. */
const accountHead = (here: UserPageRow, sections: readonly UserPageRow[], session: UserSession, site: Site): Html =>
  html`<div class="console-head"><nav aria-label="Account">${sections.map(({ path, label }) => html`<a href="${site.at(path)}"${here.path === path && html` aria-current="page"`}>${label}</a> `)}</nav>
${changeForm('/account/sign-out', session, site, html`<button class="plain">Sign out</button>`)}</div>`
