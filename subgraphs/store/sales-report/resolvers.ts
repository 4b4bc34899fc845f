import type { Resolvers } from '#generated/store/resolvers.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import { checkPageSize } from '../../toolkit/connection.ts'
import { isCurrency } from '../country/country.ts'
import { present } from '../ids.ts'
import { completeDays, MAX_REPORT_ROWS, reportDaysOf, type SalesReport, selectionOf } from './sales-report.ts'

const rowsOf = (first: number | null | undefined): number => checkPageSize('first', first ?? 50, MAX_REPORT_ROWS)

export const salesReportResolvers = {
  Query: {
    salesReport: async (_, { period: wantedPeriod, currency: wanted }, { storeId, load, now }): Promise<SalesReport> => {
      const store = await storeId()
      const { currency: own, timezone } = await present(load.storeById.load(store), 'store')
      const currency = wanted ?? own
      if (!isCurrency(currency)) throw badInput('currency', 'an ISO 4217 code', currency)
      const period = reportDaysOf(wantedPeriod, { now: now(), timezone })
      return { currency, timezone, period, selection: selectionOf(store, currency, period) }
    },
  },
  SalesReport: {
    days: async ({ period: { days, starts }, selection }, _, { salesReports }) =>
      completeDays(days, await salesReports.salesBetween(selection, starts)),
    products: ({ selection }, { first }, { salesReports }) => salesReports.salesOfProducts(selection, rowsOf(first)),
    shipping: ({ selection }, _, { salesReports }) => salesReports.salesOfShipping(selection),
    sources: ({ selection }, { first }, { salesReports }) => salesReports.salesOfSources(selection, rowsOf(first)),
    taxes: ({ selection }, { first }, { salesReports }) => salesReports.taxesOf(selection, rowsOf(first)),
  },
} satisfies Resolvers
