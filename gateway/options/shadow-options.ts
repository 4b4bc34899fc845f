import { z } from 'zod'
import { flag, options, text, wholeNumber } from './validate-options.ts'

/** A candidate supergraph that gets copies of queries. */
export const shadowOptions = options({
  /** SDL of the candidate. */
  supergraph: text('the SDL of a supergraph'),
  /** How many of 100 queries also run on the candidate. */
  percent: z.number('a number from 0 to 100').min(0, 'a number from 0 to 100').max(100, 'a number from 0 to 100'),
  /** Whether answers are compared. Default: true. */
  compare: flag().optional(),
  /** Queries that may run on the candidate at once; others are dropped. Default: 10. */
  maxConcurrency: wholeNumber(1, 1_000).optional(),
  /** Whether recorded differences have a pair of values, which may be personal data. Default: false. */
  values: flag().optional(),
})
