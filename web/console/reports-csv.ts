import type { FastifyInstance } from 'fastify'
import { ConsoleReportsDocument } from '#generated/operations.ts'
import { csvField } from '../../platform/text/csv.ts'
import { parseQuery } from '../../rest-facade/http/parameters.ts'
import { PAGE_HEADERS } from '../frame/headers.ts'
import { dataOf } from '../frame/page.ts'
import { notReadable } from '../frame/refusals.ts'
import { pathWithoutQuery, withoutEmptyFields } from '../frame/serve.ts'
import type { Site } from '../frame/site.ts'
import { REPORT_NAMES, reportTables } from './report-tables.ts'
import { orderPeriodOf, REPORT_PARAMETERS, REPORTS_PATH } from './reports.ts'
import type { ConsoleResponder } from './responder.ts'

/** Most that the graph has before the row that sums the others. */
const FILE_ROWS = 250

/** Each report as CSV (RFC 4180), for the period and currency of its page. */
export function serveReportsCsv(scope: FastifyInstance, responder: ConsoleResponder, site: Site): void {
  const { sessionOf, runnerOf, toConsole, show } = responder
  for (const name of REPORT_NAMES)
    scope.get(`${REPORTS_PATH}/${name}.csv`, async (request, reply) => {
      const session = await sessionOf(request, reply)
      if (!session) return toConsole(reply)
      const { values, refusals } = parseQuery(REPORT_PARAMETERS, withoutEmptyFields(request.raw.url ?? ''))
      if (refusals.length > 0) return show(reply, notReadable(refusals, site, pathWithoutQuery(request, '/console')))
      const run = runnerOf(session, request, reply)
      // The table has parsed it.
      const currency = values.currency as string | null
      const found = dataOf(
        await run(ConsoleReportsDocument, { period: orderPeriodOf(values.period), currency, first: FILE_ROWS }),
      )
      const table = reportTables(found)[name]
      const lines = (table?.rows ?? []).map((row) => [
        ...row.values.map((value) => csvField(String(value ?? ''))),
        table?.currency,
      ])
      const head = [...(table?.columns ?? []).map((column) => column.name), 'currency']
      return reply
        .headers(PAGE_HEADERS)
        .header('cache-control', 'no-store')
        .header('content-disposition', `attachment; filename="${name}.csv"`)
        .type('text/csv; charset=utf-8')
        .send([head, ...lines].map((line) => `${line.join()}\r\n`).join(''))
    })
}
