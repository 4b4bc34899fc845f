import type { Resolvers } from '#generated/store/resolvers.ts'
import { present } from '../ids.ts'
import { completeDays, reportDaysOf } from './sales-report.ts'

export const salesReportResolvers = {
  Query: {
    salesReport: async (_, { period }, { storeId, salesReports, load, now }) => {
      const store = await storeId()
      const { currency, timezone } = await present(load.storeById.load(store), 'store')
      const { days, starts } = reportDaysOf(period, { now: now(), timezone })
      return { currency, timezone, days: completeDays(days, await salesReports.salesBetween(store, currency, starts)) }
    },
  },
} satisfies Resolvers
