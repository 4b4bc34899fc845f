import { z } from 'zod'
import { flag, options, text, wholeNumber } from './validate-options.ts'

/** Options of a candidate supergraph that runs copies of queries. */
export const shadowOptions = options({
  /** SDL of the candidate. */
  supergraph: text('the SDL of a supergraph'),
  /** Percentage of queries that also run on the candidate. */
  percent: z.number('a number from 0 to 100').min(0, 'a number from 0 to 100').max(100, 'a number from 0 to 100'),
  /** Whether results are compared. Default: true. */
  compare: flag().optional(),
  /** Maximum concurrent queries on the candidate; others are skipped. Default: 10. */
  maxConcurrency: wholeNumber(1, 1_000).optional(),
  /** Whether recorded differences contain values, which may be personal data. Default: false. */
  values: flag().optional(),
})
