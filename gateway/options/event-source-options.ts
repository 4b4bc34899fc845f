import { z } from 'zod'
import { options, wholeNumber } from './validate-options.ts'

const BROKER_URL = 'a redis, rediss, nats or tls URL'

/** A broker whose messages are events of subscriptions. */
export const eventSourceOptions = options({
  /** redis, rediss, nats or tls (NATS over TLS); with user and password, or the token of NATS. */
  url: z.string(BROKER_URL).refine((url) => /^(rediss?|nats|tls):$/.test(URL.parse(url)?.protocol ?? ''), BROKER_URL),
  /** How long running subscriptions wait for a broker that is gone. Default: 30. */
  reconnectSeconds: wholeNumber(0, 3_600).optional(),
})
export type EventSourceOptions = z.input<typeof eventSourceOptions>
