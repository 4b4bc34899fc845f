import type { z } from 'zod'
import { options, text, wholeNumber } from './validate-options.ts'

/** A subgraph over HTTP. */
export const remoteSubgraphOptions = options({
  /** URL in place of the one in the supergraph; http or https, without credentials. */
  url: text('an http or https URL').optional(),
  /** Timeout of one fetch with its retries, in milliseconds. Default: 5000. */
  timeoutMilliseconds: wholeNumber(1, 60_000).optional(),
})
export type RemoteSubgraphOptions = z.input<typeof remoteSubgraphOptions>
