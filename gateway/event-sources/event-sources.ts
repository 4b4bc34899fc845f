import { buildASTSchema, parse } from 'graphql'
import type { Logger } from 'pino'
import { OperatorError } from '../../platform/process/operator-error.ts'
import type { EventSourceOptions } from '../options/event-source-options.ts'
import type { Link } from '../subgraph-client/link.ts'
import { type EventBroker, eventBroker } from './event-broker.ts'
import { type BrokerKind, type EventField, eventFieldsIn } from './event-fields.ts'
import { createEventLink } from './event-link.ts'
import { kafkaClient } from './kafka-client.ts'
import { natsClient } from './nats-client.ts'
import { redisClient } from './redis-client.ts'

/** Brokers of a gateway, which survive a hot swap of the graph. */
export type EventSources = {
  /**
   * Links of a supergraph's event subgraphs, by name. Throws an `OperatorError` when a broker is
   * missing in the options.
   */
  readonly linksOf: (supergraphSdl: string) => ReadonlyMap<string, Link>
  /** The broker with this name in the options. */
  readonly brokerOf: (name: string) => EventBroker | undefined
  readonly close: () => Promise<void>
}

const RECONNECT_SECONDS = 30

const CLIENTS = { nats: natsClient, redis: redisClient, kafka: kafkaClient } as const

/** Connects to brokers; unreachable ones are retried in the background. */
export async function createEventSources(
  options: Readonly<Record<string, EventSourceOptions>>,
  log: Logger,
): Promise<EventSources> {
  const brokers = new Map<string, { readonly kind: BrokerKind; readonly broker: EventBroker }>()
  await Promise.all(
    Object.entries(options).map(async ([name, { url, reconnectSeconds = RECONNECT_SECONDS }]) => {
      const kind = kindOf(url)
      const client = CLIENTS[kind]
      const reconnectMs = reconnectSeconds * 1_000
      const connect: Parameters<typeof eventBroker>[0]['connect'] = (onConnection) => client(url, onConnection)
      brokers.set(name, { kind, broker: await eventBroker({ name, connect, reconnectMs, log }) })
    }),
  )

  return {
    linksOf(supergraphSdl) {
      // Fast path without parsing, because most supergraphs have no such directive.
      if (!supergraphSdl.includes('@edfs__')) return new Map()
      const document = parse(supergraphSdl, { noLocation: true })
      const fields = eventFieldsIn(document)
      for (const field of fields) checkBroker(field)
      const schema = buildASTSchema(document, { assumeValid: true, assumeValidSDL: true })
      const bySubgraph = Map.groupBy(fields, ({ subgraph }) => subgraph)
      return new Map(
        [...bySubgraph].map(
          ([name, own]) => [name, createEventLink({ name, fields: own, schema, brokerOf: checkedBrokerOf })] as const,
        ),
      )
    },
    brokerOf: (name) => brokers.get(name)?.broker,
    close: async () => {
      await Promise.all([...brokers.values()].map(({ broker }) => broker.close()))
    },
  }

  function checkBroker({ name, providerId, kind }: EventField): void {
    const found = brokers.get(providerId)
    if (found?.kind === kind) return
    const got = found ? `one of ${found.kind}` : 'none'
    throw new OperatorError(
      `Expected "eventSources" to have "${providerId}" with a URL of ${kind}, which Subscription.${name} names, got ${got}.`,
    )
  }

  function checkedBrokerOf(providerId: string): EventBroker {
    const found = brokers.get(providerId)
    if (!found) throw new Error('Expected a broker that was checked.')
    return found.broker
  }
}

function kindOf(url: string): BrokerKind {
  if (/^rediss?:/.test(url)) return 'redis'
  return /^kafkas?:/.test(url) ? 'kafka' : 'nats'
}
