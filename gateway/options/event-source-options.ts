import { z } from 'zod'
import { parseKafkaUrl } from '../event-sources/kafka-url.ts'
import { options, wholeNumber } from './validate-options.ts'

const BROKER_URL = 'a redis, rediss, nats, tls, kafka or kafkas URL'

/** Options of a message broker for subscription events. */
export const eventSourceOptions = options({
  /**
   * Broker URL with scheme redis, rediss, nats, tls (NATS over TLS), kafka or kafkas (over TLS),
   * with user and password or NATS token. Kafka takes several hosts, separated by commas, and
   * `?mechanism=` SCRAM-SHA-256 (default), SCRAM-SHA-512 or, over TLS only, PLAIN.
   */
  url: z.string(BROKER_URL).refine(isBrokerUrl, BROKER_URL),
  /** Time that running subscriptions wait for reconnection. Default: 30. */
  reconnectSeconds: wholeNumber(0, 3_600).optional(),
})
export type EventSourceOptions = z.input<typeof eventSourceOptions>

function isBrokerUrl(url: string): boolean {
  return /^kafkas?:/.test(url) ? parseKafkaUrl(url) !== null : /^(rediss?|nats|tls):$/.test(URL.parse(url)?.protocol ?? '')
}
