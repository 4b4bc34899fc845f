import type { Logger } from 'pino'
import { z } from 'zod'
import { isHeaderValue } from '../headers/header-options.ts'
import { createHttpSink } from '../usage/http-sink.ts'
import type { UsageSink } from '../usage/usage-batch.ts'
import { createUsageRecorder, type UsageRecorder } from '../usage/usage-recorder.ts'
import { chosen, fn, httpUrl, options, wholeNumber } from './validate-options.ts'

const flushSeconds = {
  /** Interval of reports in seconds. Default: 10. */
  flushSeconds: wholeNumber(1, 3_600).optional(),
} as const

const httpSinkOptions = options({
  ...flushSeconds,
  /** URL to which batches are posted as JSON. */
  url: httpUrl(),
  /** Headers of each POST, such as a token. */
  headers: z
    .record(
      z.string().regex(/^[\w-]{1,100}$/, 'names of headers'),
      z.string('a header value').refine(isHeaderValue, 'a header value'),
      'an object by names of headers',
    )
    .optional(),
})

const functionSinkOptions = options({
  ...flushSeconds,
  /** Stores a batch. After a rejection it is called again with the same `id`. */
  record: fn<UsageSink['record']>(),
})

/** Destination and interval of usage reports. */
export const usageOptions = chosen(
  (value) => typeof value === 'object' && value !== null && 'record' in value,
  functionSinkOptions,
  httpSinkOptions,
)

/** Creates the usage recorder; null without options. */
export function usageRecorderOf(given: z.output<typeof usageOptions> | undefined, log: Logger): UsageRecorder | null {
  if (!given) return null
  const sink = 'record' in given ? { record: given.record } : createHttpSink(given.url, given.headers)
  return createUsageRecorder(sink, { log, ...(given.flushSeconds && { flushIntervalMs: given.flushSeconds * 1_000 }) })
}
