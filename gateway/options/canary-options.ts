import { z } from 'zod'
import { supergraphSourceOptions } from '../planning/sources/source-options.ts'
import { chosen, flag, options, text, wholeNumber } from './validate-options.ts'

const percent = () => {
  const expected = 'a number from 0 to 100'
  return z.number(expected).min(0, expected).max(100, expected)
}

/** Options of a candidate supergraph that serves a share of the operations. */
export const canaryOptions = options({
  /** SDL of the candidate, or a source: each new supergraph of it is a new candidate. */
  supergraph: chosen((value) => typeof value !== 'object', text('the SDL of a supergraph'), supergraphSourceOptions),
  /** Percentage of callers whose operations run on the candidate. */
  percent: percent(),
  /** Header that identifies callers. Default: their credentials, or else their address. */
  header: text('the name of a header').optional(),
  /** Requests with this header run on the candidate at any percentage. */
  optIn: options({ header: text('the name of a header'), value: text('the value of a header') }).optional(),
  /** Whether queries of the candidate also run on the served supergraph, to compare answers. Default: true. */
  compare: flag().optional(),
  /** Maximum concurrent queries of comparisons; others are skipped. Default: 10. */
  maxConcurrency: wholeNumber(1, 1_000).optional(),
  /** Whether recorded differences contain values, which may be personal data. Default: false. */
  values: flag().optional(),
  /** When the candidate is rolled back by itself. */
  rollback: options({
    /** Percentage points of operations with errors above the served supergraph; 100: never. Default: 5. */
    errorPercent: percent().optional(),
    /** Operations within the window before anything is judged. Default: 50. */
    minRequests: wholeNumber(1, 1_000_000).optional(),
    /** Length of the window in seconds. Default: 60. */
    windowSeconds: wholeNumber(1, 3_600).optional(),
  }).optional(),
})
