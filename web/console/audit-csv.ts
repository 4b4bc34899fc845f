import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { ConsoleAuditDocument, type ConsoleAuditQuery } from '#generated/operations.ts'
import { csvField } from '../../platform/text/csv.ts'
import { parseQuery } from '../../rest-facade/http/parameters.ts'
import { PAGE_HEADERS } from '../frame/headers.ts'
import { dataOf } from '../frame/page.ts'
import { notReadable } from '../frame/refusals.ts'
import { pathWithoutQuery, withoutEmptyFields } from '../frame/serve.ts'
import type { Site } from '../frame/site.ts'
import { AUDIT_PARAMETERS, actorLabel, auditFilterOf, type ConsoleAuditEntry, nounLabel } from './audit.ts'
import type { ConsoleResponder } from './responder.ts'

const COLUMNS = ['at', 'actor', 'name', 'role', 'operation', 'requestId', 'object', 'number', 'kind', 'field', 'before', 'after']
const PAGE_SIZE = 250
/** What one download has at most: the filters of the page get the rest. */
const MAX_ENTRIES = 100_000

/** The audit log as CSV (RFC 4180), a line for each field, with the filters of its page. */
export function serveAuditCsv(scope: FastifyInstance, responder: ConsoleResponder, site: Site): void {
  const { sessionOf, runnerOf, toConsole, show } = responder
  scope.get('/console/audit.csv', async (request, reply) => {
    const session = await sessionOf(request, reply)
    if (!session) return toConsole(reply)
    const { values, refusals } = parseQuery(AUDIT_PARAMETERS, withoutEmptyFields(request.raw.url ?? ''))
    // The table has parsed them.
    const filter = auditFilterOf(values as never)
    const refused = 'problem' in filter ? [{ parameter: 'filter', expected: filter.problem, got: null }] : []
    if (refusals.length + refused.length > 0)
      return show(reply, notReadable([...refusals, ...refused], site, pathWithoutQuery(request, '/console')))
    const run = runnerOf(session, request, reply)
    const page = async (after: string | null) =>
      dataOf(await run(ConsoleAuditDocument, { filter: 'problem' in filter ? null : filter, first: PAGE_SIZE, after }))
        .auditEntries
    const first = await page(null)
    return reply
      .headers(PAGE_HEADERS)
      .header('cache-control', 'no-store')
      .header('content-disposition', 'attachment; filename="audit.csv"')
      .type('text/csv; charset=utf-8')
      .send(Readable.from(pieces(first, page)))
  })
}

type Page = ConsoleAuditQuery['auditEntries']

/** A page at a time: the next one is read when the client has read the last. */
async function* pieces(beginning: Page, read: (after: string | null) => Promise<Page>): AsyncGenerator<string> {
  yield `${COLUMNS.join()}\r\n`
  let count = 0
  for (let at = beginning; ; at = await read(at.pageInfo.endCursor ?? null)) {
    count += at.nodes.length
    const text = at.nodes.flatMap(linesOf).join('')
    if (text !== '') yield text
    if (!at.pageInfo.hasNextPage || count >= MAX_ENTRIES) return
  }
}

function linesOf(entry: ConsoleAuditEntry): readonly string[] {
  const { at, actor, role, operation, requestId, noun, objectNumber, kind, fields } = entry
  const about = [at, actor, actorLabel(entry), role ?? '', operation, requestId ?? '', nounLabel(noun), objectNumber, kind]
  const shown = fields.length > 0 ? fields : [{ name: '', before: null, after: null }]
  return shown.map(
    ({ name, before, after }) => `${[...about, name, before ?? '', after ?? ''].map((each) => csvField(each)).join()}\r\n`,
  )
}
