import type { Resolvers } from '#generated/store/resolvers.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import { isCurrency } from '../country/country.ts'
import { present } from '../ids.ts'
import { completeDays, reportDaysOf } from './sales-report.ts'

export const salesReportResolvers = {
  Query: {
    salesReport: async (_, { period, currency: wanted }, { storeId, salesReports, load, now }) => {
      const store = await storeId()
      const { currency: own, timezone } = await present(load.storeById.load(store), 'store')
      const currency = wanted ?? own
      if (!isCurrency(currency)) throw badInput('currency', 'an ISO 4217 code', currency)
      const { days, starts } = reportDaysOf(period, { now: now(), timezone })
      return { currency, timezone, days: completeDays(days, await salesReports.salesBetween(store, currency, starts)) }
    },
  },
} satisfies Resolvers
