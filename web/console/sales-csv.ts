import type { FastifyInstance } from 'fastify'
import { ConsoleSalesDocument } from '#generated/operations.ts'
import { csvField } from '../../platform/text/csv.ts'
import { parseQuery } from '../../rest-facade/http/parameters.ts'
import { PAGE_HEADERS } from '../frame/headers.ts'
import { dataOf } from '../frame/page.ts'
import { withoutEmptyFields } from '../frame/serve.ts'
import type { ConsoleResponder } from './responder.ts'
import { CURRENCY } from './sales.ts'

const COLUMNS = ['day', 'ordersPlaced', 'ordersPaid', 'ordersCanceled', 'gross', 'net', 'refunded'] as const

/** The days of the overview as CSV (RFC 4180), for spreadsheets of the signed-in owner. */
export function serveSalesCsv(scope: FastifyInstance, { sessionOf, runnerOf, toConsole }: ConsoleResponder): void {
  scope.get('/console/sales.csv', async (request, reply) => {
    const session = await sessionOf(request, reply)
    if (!session) return toConsole(reply)
    const { values, refusals } = parseQuery({ currency: CURRENCY }, withoutEmptyFields(request.raw.url ?? ''))
    // The schema has parsed it.
    const currency = refusals.length > 0 ? null : (values.currency as string | null)
    const { salesReport } = dataOf(await runnerOf(session, request, reply)(ConsoleSalesDocument, { currency }))
    const rows = salesReport.days.map((day) => [
      ...COLUMNS.map((column) => csvField(day[column])),
      csvField(salesReport.currency),
    ])
    return reply
      .headers(PAGE_HEADERS)
      .header('cache-control', 'no-store')
      .header('content-disposition', 'attachment; filename="sales.csv"')
      .type('text/csv; charset=utf-8')
      .send([[...COLUMNS, 'currency'], ...rows].map((row) => `${row.join()}\r\n`).join(''))
  })
}
