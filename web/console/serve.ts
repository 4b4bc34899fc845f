import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  ConsoleResetAuthtokenDocument,
  ConsoleSalesDocument,
  ConsoleSessionDocument,
  ConsoleSignInDocument,
  ConsoleSignOutDocument,
  ConsoleStoresDocument,
} from '#generated/operations.ts'
import type { GatewayClient } from '../../gateway/client.ts'
import { ServiceOverloadedError } from '../../platform/http/load-shedding.ts'
import { compressResponses } from '../../platform/http/server.ts'
import { parseQuery } from '../../rest-facade/http/parameters.ts'
import type { AccountResponder } from '../account/responder.ts'
import { noticesOf } from '../frame/change.ts'
import { type FormProblems, problemSummary } from '../frame/fields.ts'
import { acceptForms, fieldNamesOf, fieldOf, MAX_FORM_BYTES } from '../frame/form.ts'
import { isFormOf } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { OperationFailed } from '../frame/page.ts'
import { notReadable, refused, unavailable } from '../frame/refusals.ts'
import type { Seal } from '../frame/seal.ts'
import { pathOf, pathWithoutQuery, routed, withoutEmptyFields } from '../frame/serve.ts'
import type { Site } from '../frame/site.ts'
import { isUnauthenticated, serveAccountForms } from './account-forms.ts'
import { appsChanges } from './apps.ts'
import { serveAuditCsv } from './audit-csv.ts'
import type { ConsoleChange } from './change.ts'
import { currencies, currencyChanges } from './currencies.ts'
import { customer, customerChanges } from './customer.ts'
import { draft, draftChanges, newDraft } from './draft.ts'
import { fieldId, formState, type RefusedChange } from './form-state.ts'
import { acceptImageForms } from './image-form.ts'
import { importChanges, importPage } from './import.ts'
import { FILE_OPERATIONS, serveImportFiles } from './import-files.ts'
import { mailTextChanges, mailTexts } from './mail-texts.ts'
import { order, orderChanges } from './order.ts'
import { overview } from './overview.ts'
import type { ConsoleRow, Uses } from './page.ts'
import { newPriceList, priceList, priceListChanges } from './price-list.ts'
import { fixedPriceChanges } from './price-list-prices.ts'
import { product, productChanges } from './product.ts'
import { newProduct, newProductChange } from './product-new.ts'
import { newPromotion, promotion, promotionChanges } from './promotion.ts'
import { serveReportsCsv } from './reports-csv.ts'
import { type ConsoleResponder, consoleResponder, SECTIONS, sectionsOf } from './responder.ts'
import { serveSalesCsv } from './sales-csv.ts'
import { searchSynonym, searchSynonymChanges } from './search-synonyms.ts'
import { type OpenSession, sessionsOf } from './session.ts'
import { settingsChanges } from './settings.ts'
import { foreignForm, notForRole, unreadableForm } from './sign-in.ts'
import { staffChanges } from './staff.ts'
import { serveStoreChoice } from './store-choice.ts'
import { transfer, transferChanges } from './transfer.ts'
import { newTransfer, newTransferChange } from './transfer-new.ts'
import { webhook, webhookChanges } from './webhook.ts'
import { webhooksChanges } from './webhooks.ts'

/** The sections of the console, and the pages below them. */
const ROWS: readonly ConsoleRow[] = [
  ...SECTIONS,
  order,
  newDraft,
  draft,
  newProduct,
  product,
  newTransfer,
  transfer,
  customer,
  newPriceList,
  priceList,
  newPromotion,
  promotion,
  searchSynonym,
  currencies,
  mailTexts,
  webhook,
  importPage,
]
const CHANGES: readonly ConsoleChange[] = [
  ...webhooksChanges,
  ...webhookChanges,
  ...appsChanges,
  newProductChange,
  newTransferChange,
  ...transferChanges,
  ...productChanges,
  ...orderChanges,
  ...draftChanges,
  ...customerChanges,
  ...priceListChanges,
  ...fixedPriceChanges(priceList),
  ...promotionChanges,
  ...searchSynonymChanges,
  ...currencyChanges,
  ...mailTextChanges,
  ...importChanges,
  ...settingsChanges,
  ...staffChanges,
]

const OPERATIONS = [
  ConsoleSignInDocument,
  ConsoleSessionDocument,
  ConsoleSignOutDocument,
  ConsoleResetAuthtokenDocument,
  ConsoleSalesDocument,
  ConsoleStoresDocument,
  ...FILE_OPERATIONS,
  ...[...ROWS, ...CHANGES].flatMap(({ operations }) => operations),
]

/** A description of a product has up to 100,000 characters, each of up to 12 bytes in a form. */
const MAX_CHANGE_BYTES = 1_300_000

/** What the console needs besides the graph. */
export type ConsoleOptions = {
  readonly seal: Seal
  /** Sessions of users, who may work in stores. */
  readonly accounts: AccountResponder
  /** Nobody has used anything where it is absent. */
  readonly uses?: Uses | undefined
  readonly now?: () => number
}

type Shown = { readonly status?: number; readonly refused?: RefusedChange; readonly problems?: readonly string[] }

/**
 * Serves the console of stores at `/console`: who has the login and authtoken of a store signs in with
 * them, its owner and staff with their accounts. They see what these open, nothing else. Works without a script. Nobody keeps its pages,
 * and every form holds a token of the visit.
 */
export async function serveConsole(
  app: FastifyInstance,
  client: GatewayClient,
  site: Site,
  { seal, accounts, uses = async () => [], now = Date.now }: ConsoleOptions,
): Promise<void> {
  for (const document of OPERATIONS) await client.prepare(document)
  const sessions = sessionsOf(seal, site.publicUrl.startsWith('https:'), now)
  const responder = consoleResponder(client, site, { sessions, accounts })
  const refuseRow = rowRefusal(responder, site)
  const { runnerOf, sessionOf, showSignIn, showFramed, toConsole, show } = responder

  // Long forms, such as descriptions of products, only where somebody is signed in.
  const handle = async (scope: FastifyInstance, maxFormBytes: number) => {
    compressResponses(scope)
    acceptForms(scope, maxFormBytes)
    scope.setErrorHandler(errorHandlerOf(responder, site))
  }
  await app.register(async (scope) => {
    await handle(scope, MAX_CHANGE_BYTES)
    acceptImageForms(scope)
    // Before the body is read: only our own seal opens, and the session is looked up afterwards.
    scope.addHook('onRequest', async (request, reply) => {
      if (request.method === 'POST' && sessions.of(request) === null) return show(reply, foreignForm(site))
    })
    for (const row of ROWS)
      scope.get(routed(row.path), async (request, reply) => {
        const session = await sessionOf(request, reply)
        if (session) return refuseRow(row, session, reply) ?? showRow(row, session, request, reply)
        return row === overview ? showSignIn(request, reply) : toConsole(reply)
      })
    for (const each of CHANGES) scope.post(routed(each.path), (request, reply) => change(each, request, reply))
    serveSalesCsv(scope, responder)
    serveReportsCsv(scope, responder, site)
    serveAuditCsv(scope, responder, site)
  })
  await app.register(async (scope) => {
    await handle(scope, MAX_FORM_BYTES)
    serveImportFiles(scope, responder, site)
  })
  await app.register(async (scope) => {
    await handle(scope, MAX_FORM_BYTES)
    serveAccountForms(scope, responder, { site, sessions })
    serveStoreChoice(scope, responder, { site, sessions, accounts })
  })

  async function showRow(
    row: ConsoleRow,
    session: OpenSession,
    request: FastifyRequest,
    reply: FastifyReply,
    { status = 200, refused: form, problems = [] }: Shown = {},
  ): Promise<FastifyReply> {
    const { values, refusals } = parseQuery(row.parameters, withoutEmptyFields(request.raw.url ?? ''))
    if (refusals.length > 0) return show(reply, notReadable(refusals, site, pathWithoutQuery(request, '/console')))
    const body = await row.body({
      // Parameters of a path are texts.
      path: request.params as Readonly<Record<string, string>>,
      // The row's schema has parsed them.
      query: values as never,
      run: runnerOf(session, request, reply),
      uses,
      site,
      visit: session,
      typed: (field) => fieldOf(request, field),
      form: (path) => formState(path, form ?? null),
    })
    if (body === null) return showFramed(reply, row, nothing(site), session, 404)
    const notices =
      form && Object.keys(form.problems).length > 0
        ? problemSummary(byId(form))
        : noticesOf(row.notices[String(values.done)], problems)
    return showFramed(reply, row, html`${notices}${body}`, session, status)
  }

  async function change({ on, make }: ConsoleChange, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const session = await sessionOf(request, reply)
    if (!session || !isFormOf(session, request)) return show(reply, foreignForm(site))
    const changed = await make({
      // Parameters of a path are texts.
      path: request.params as Readonly<Record<string, string>>,
      field: (name) => fieldOf(request, name),
      fieldNames: fieldNamesOf(request),
      run: runnerOf(session, request, reply),
    })
    if (changed.kind === 'done') return toConsole(reply, `${changed.at}?done=${changed.notice}`)
    if (changed.kind === 'shown') return showFramed(reply, on, changed.body, session)
    if (changed.kind === 'gone') return showFramed(reply, on, nothing(site), session, 404)
    const { problems, fields = {}, isConflict = false } = changed
    const refused: RefusedChange = {
      path: pathOf(request),
      field: (name) => fieldOf(request, name),
      problems: fields,
      isConflict,
    }
    return showRow(on, session, request, reply, { status: 422, refused, problems })
  }
}

/**
 * Answers for a page that the session has no right to: the first page leads to one that it has.
 * Null: it may open the page.
 */
const rowRefusal =
  ({ toConsole, show }: ConsoleResponder, site: Site) =>
  (row: ConsoleRow, session: OpenSession, reply: FastifyReply): FastifyReply | null => {
    if (row.needs.every((right) => session.rights.has(right))) return null
    const [first] = sectionsOf(session)
    return row === overview && first ? toConsole(reply, first.path) : show(reply, notForRole(site))
  }

/** Answers what failed with a page of the console. */
const errorHandlerOf =
  ({ show, showSessionEnded }: ConsoleResponder, site: Site) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (error instanceof ServiceOverloadedError) return show(reply, unavailable(503))
    if (error instanceof OperationFailed) {
      if (isUnauthenticated(error)) return showSessionEnded(request, reply)
      const forbidden = error.errors.filter(({ extensions }) => extensions?.code === 'FORBIDDEN')
      if (forbidden.length > 0) return show(reply, notForRole(site, [...new Set(forbidden.map(({ message }) => message))]))
      return show(reply, refused(error.errors, site, pathWithoutQuery(request, '/console')))
    }
    // Fastify's errors have a `statusCode`.
    const { statusCode = 500 } = error as { readonly statusCode?: number }
    if (statusCode < 500) return show(reply, unreadableForm(statusCode, site))
    request.log.error({ err: error }, 'a page of the console failed')
    return show(reply, unavailable(500))
  }

/** Problems of a form by the ids of its fields, for links to them. */
const byId = ({ path, problems }: RefusedChange): FormProblems =>
  Object.fromEntries(Object.entries(problems).map(([name, problem]) => [fieldId(path, name), problem]))

/** What an address of the console, or a form, is about is not there. */
const nothing = ({ at }: Site): Html => html`<h1>Page not found</h1>
<p>The object does not exist in this store, or was deleted. <a href="${at(overview.path)}">Open the overview</a></p>`
