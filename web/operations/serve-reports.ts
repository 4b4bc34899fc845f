import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  type OperatorList,
  OperatorReportsDocument,
  OperatorResolveReportDocument,
  OperatorSessionDocument,
} from '#generated/operations.ts'
import type { ClientResult, GatewayClient } from '../../gateway/client.ts'
import { ServiceOverloadedError } from '../../platform/http/load-shedding.ts'
import { compressResponses } from '../../platform/http/server.ts'
import { parseQuery, type ValuesOf } from '../../rest-facade/http/parameters.ts'
import { acceptForms, fieldOf } from '../frame/form.ts'
import { isFormOf, newFormToken } from '../frame/form-token.ts'
import { dataOf, OperationFailed, type RunPageOperation, type WebPage } from '../frame/page.ts'
import { notReadable, refused as refusedPage, unacceptable, unavailable } from '../frame/refusals.ts'
import type { Seal } from '../frame/seal.ts'
import { sealedSessions } from '../frame/sealed-sessions.ts'
import { operationRunner, pathWithoutQuery, sendPage, withoutEmptyFields } from '../frame/serve.ts'
import type { Site } from '../frame/site.ts'
import { createEndedSessions, type EndableSession } from './ended-sessions.ts'
import {
  foreignReportForm,
  LISTED_STATUSES,
  MAX_KEY_CHARACTERS,
  MAX_REASON_CHARACTERS,
  OPERATOR_REPORTS,
  operatorReportsPage,
  REPORT_ANSWER,
  REPORT_NOTICES,
  REPORT_SIGN_IN,
  REPORT_SIGN_OUT,
  type RefusedAnswer,
  reportSignInPage,
  STATUS_VALUES,
} from './report-pages.ts'

/** A working day, as sessions of the console. */
const SESSION_SECONDS = 8 * 3_600
/** Each with its evidence: some 10 kB of page. */
const REPORTS_PER_PAGE = 10
/** An answer of 2,000 characters of up to 12 bytes in a form, and a URL of 2,048. */
const MAX_ANSWER_BYTES = 60_000
const MAX_CURSOR_CHARACTERS = 500

/** An operator who is signed in. The graph verifies the key at each request. */
type OperatorSession = EndableSession & { readonly key: string }
type OperatorSessions = ReturnType<typeof sealedSessions<OperatorSession>>

const PARAMETERS = {
  status: { kind: 'enum', values: LISTED_STATUSES },
  after: { kind: 'text', max: MAX_CURSOR_CHARACTERS },
  done: { kind: 'enum', values: ['accepted', 'rejected', 'listed'] },
} as const

const SIGNED_OUT = 'You are signed out: the key was revoked, or the session is older than eight hours. Sign in again.'

/**
 * Serves `/operations/reports`: an operator signs in with an API key and answers reports of wrong decisions.
 * Works without a script; nobody stores its pages, and every form holds a token of the session.
 */
export async function serveOperatorReports(
  app: FastifyInstance,
  client: GatewayClient,
  site: Site,
  { seal, now = Date.now }: { readonly seal: Seal; readonly now?: () => number },
): Promise<void> {
  for (const document of [OperatorSessionDocument, OperatorReportsDocument, OperatorResolveReportDocument])
    await client.prepare(document)
  const isSecureSite = site.publicUrl.startsWith('https:')
  const options = { name: 'operator', lifetimeSeconds: SESSION_SECONDS, isSecureSite, sameSite: 'Strict', now } as const
  const sessions: OperatorSessions = sealedSessions<OperatorSession>(seal, options)
  const ended = createEndedSessions({ lifetimeMs: SESSION_SECONDS * 1_000, now })
  const { runnerOf, showSessionEnded, showSignIn, answerFailure, toReports, show } = reportResponder(client, site, sessions)

  await app.register(async (scope) => {
    compressResponses(scope)
    acceptForms(scope, MAX_ANSWER_BYTES)
    scope.setErrorHandler(answerFailure)
    scope.get(OPERATOR_REPORTS, (request, reply) => {
      const session = sessionOf(request)
      if (session) return showReports(session, request, reply)
      return showSignIn(request, reply, sessions.wasBegun(request) ? SIGNED_OUT : null)
    })
    scope.post(REPORT_SIGN_IN, signIn)
    scope.post(REPORT_SIGN_OUT, async (request, reply) => {
      const session = sessionOf(request)
      if (session && !isFormOf(session, request)) return show(reply, foreignReportForm(site))
      if (session) ended.end(session)
      sessions.end(reply)
      return toReports(reply)
    })
    scope.post(REPORT_ANSWER, answerReport)
  })

  /** The open session; null: none, or it was signed out. */
  function sessionOf(request: FastifyRequest): OperatorSession | null {
    const session = sessions.of(request)
    return session && !ended.has(session) ? session : null
  }

  async function signIn(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const visit = sessions.visitOf(request)
    if (!visit || !isFormOf(visit, request)) return show(reply, foreignReportForm(site))
    const key = fieldOf(request, 'key').trim()
    // Others are no value of a header of a request to a subgraph elsewhere.
    if (!KEY.test(key)) return showSignIn(request, reply, UNREADABLE_KEY, 422)
    const result = await runnerOf({ key }, request, reply)(OperatorSessionDocument, {})
    const refusal = refusalOf(result)
    if (refusal !== null) return showSignIn(request, reply, refusal, 422)
    dataOf(result)
    sessions.begin(reply, { formToken: newFormToken(), key, begunAt: now() })
    return toReports(reply)
  }

  async function showReports(
    session: OperatorSession,
    request: FastifyRequest,
    reply: FastifyReply,
    refused: RefusedAnswer | null = null,
  ): Promise<FastifyReply> {
    const { values, refusals } = parseQuery(PARAMETERS, withoutEmptyFields(request.raw.url ?? ''))
    if (refusals.length > 0) return show(reply, notReadable(refusals, site, pathWithoutQuery(request, OPERATOR_REPORTS)))
    // The table has parsed them.
    const { status, after, done } = values as ValuesOf<typeof PARAMETERS>
    const shown = status ?? 'open'
    const variables = { status: STATUS_VALUES[shown], first: REPORTS_PER_PAGE, after: after ?? null }
    const result = await runnerOf(session, request, reply)(OperatorReportsDocument, variables)
    if (hasNoAccess(result)) return showSessionEnded(request, reply)
    const reports = dataOf(result).allDecisionReports
    const notice = done == null ? undefined : REPORT_NOTICES[done]
    const list = { reports, status: shown, after: after ?? null, visit: session, site, notice, refused }
    return show(reply, operatorReportsPage(list))
  }

  async function answerReport(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const session = sessionOf(request)
    if (!session || !isFormOf(session, request)) return show(reply, foreignReportForm(site))
    const field = (name: string) => fieldOf(request, name)
    const verdict = field('verdict')
    const refuse = (problem: string) => showReports(session, request, reply, { id: field('id'), problem, field })
    if (verdict !== 'accept' && verdict !== 'reject') return refuse('Expected the report to be accepted or rejected.')
    const isAccepted = verdict === 'accept'
    const answer = field('answer').replaceAll('\r\n', '\n')
    // The graph refuses other words than those of the form.
    const list = (isAccepted && field('list') ? field('list') : null) as OperatorList | null
    const entry = list && { target: field('target').trim(), reason: reasonOf(answer) }
    const input = { id: field('id'), isAccepted, answer, list, entry }
    const result = await runnerOf(session, request, reply)(OperatorResolveReportDocument, { input })
    if (hasNoAccess(result)) return showSessionEnded(request, reply)
    const resolved = dataOf(result).result
    if (resolved.__typename === 'InvalidDecisionReport') return refuse(resolved.message)
    return toReports(reply, list ? 'listed' : isAccepted ? 'accepted' : 'rejected')
  }
}

/** Runs operations with the key of a session, and answers with pages. */
function reportResponder(client: GatewayClient, site: Site, sessions: OperatorSessions) {
  return { runnerOf, showSessionEnded, showSignIn, answerFailure, toReports, show }

  function runnerOf({ key }: Pick<OperatorSession, 'key'>, request: FastifyRequest, reply: FastifyReply): RunPageOperation {
    return operationRunner(client, request, reply, { 'x-api-key': key })
  }

  function showSessionEnded(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    sessions.end(reply)
    return showSignIn(request, reply, SIGNED_OUT, 401)
  }

  function showSignIn(request: FastifyRequest, reply: FastifyReply, problem: string | null, status = 200): FastifyReply {
    const visit = sessions.visitOf(request) ?? sessions.welcome(reply)
    return show(reply, { ...reportSignInPage(visit, site, problem), status })
  }

  function answerFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    if (error instanceof ServiceOverloadedError) return show(reply, unavailable(503))
    if (error instanceof OperationFailed) return show(reply, refusedPage(error.errors, site, OPERATOR_REPORTS))
    // Fastify's errors have a `statusCode`.
    const { statusCode = 500 } = error as { readonly statusCode?: number }
    if (statusCode < 500) return show(reply, unacceptable(statusCode))
    request.log.error({ err: error }, 'the page of reports failed')
    return show(reply, unavailable(500))
  }

  function toReports(reply: FastifyReply, notice?: keyof typeof REPORT_NOTICES): FastifyReply {
    const path = notice === undefined ? OPERATOR_REPORTS : `${OPERATOR_REPORTS}?done=${notice}`
    return reply.header('cache-control', 'no-store').redirect(site.at(path), 303)
  }

  function show(reply: FastifyReply, page: WebPage): FastifyReply {
    return sendPage(reply, page, site, 'no-store')
  }
}

/** What an API key may be made of. */
const KEY = new RegExp(`^[!-~]{1,${MAX_KEY_CHARACTERS}}$`)
const UNREADABLE_KEY = 'Expected an API key: "sk_" with letters, digits, "-" and "_".'

/** The beginning of an answer, without half of a character at its end. */
const reasonOf = (answer: string): string =>
  answer
    .trim()
    .slice(0, MAX_REASON_CHARACTERS)
    .replace(/[\uD800-\uDBFF]$/, '')

/** Codes of a key that is invalid, revoked, or not one of an operator. */
const NO_ACCESS: readonly unknown[] = ['UNAUTHENTICATED', 'FORBIDDEN']
const hasNoAccess = ({ errors }: ClientResult<unknown>): boolean =>
  errors.some(({ extensions }) => NO_ACCESS.includes(extensions?.code))

/** Why a key does not open the page; null for one that does, and for failures of ours. */
function refusalOf({ errors }: ClientResult<unknown>): string | null {
  const found = errors.find(({ extensions }) => [...NO_ACCESS, 'RATE_LIMITED'].includes(extensions?.code))
  return found?.message ?? null
}
