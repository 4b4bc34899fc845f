import { z } from 'zod'
import { options, wholeNumber } from './validate-options.ts'

const BROKER_URL = 'a redis, rediss, nats or tls URL'

/** Options of a message broker for subscription events. */
export const eventSourceOptions = options({
  /**
   * Broker URL with scheme redis, rediss, nats or tls (NATS over TLS), with user and password or
   * NATS token.
   */
  url: z.string(BROKER_URL).refine((url) => /^(rediss?|nats|tls):$/.test(URL.parse(url)?.protocol ?? ''), BROKER_URL),
  /** Time that running subscriptions wait for reconnection. Default: 30. */
  reconnectSeconds: wholeNumber(0, 3_600).optional(),
})
export type EventSourceOptions = z.input<typeof eventSourceOptions>
