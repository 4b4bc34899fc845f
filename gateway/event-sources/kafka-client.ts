import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Consumer } from '@platformatic/kafka'
import type { BrokerClient } from './event-broker.ts'
import { readingConnections } from './kafka-fetch-response.ts'
import { createKafkaTopics, type FetchedTopics } from './kafka-topics.ts'
import { parseKafkaUrl } from './kafka-url.ts'

const CONNECT_TIMEOUT_MS = 2_000
const REQUEST_TIMEOUT_MS = 5_000
const RETRY_DELAY_MS = 500
/** A broker without new records holds a fetch for this long. */
const MAX_WAIT_MS = 500
const MAX_FETCH_BYTES = 5_242_880
/** Interval of looks for new partitions, moved leaders and deleted topics. */
const METADATA_INTERVAL_MS = 10_000
/** Consecutive errors of the protocol after which a broker counts as gone. */
const MAX_FAILURES = 3
/** The client's code for a topic that metadata do not have; it hides the one of the protocol. */
const UNKNOWN_TOPIC = 'PLT_KFK_USER'

/**
 * Client for Kafka. Every process reads all partitions of a topic, from its end at the time of the
 * subscription, without a consumer group: nothing is committed, and nothing is rebalanced.
 * Positions are in memory, so records that arrive while a broker is away are read afterwards. Never
 * creates topics. Needs the package `@platformatic/kafka`.
 */
export async function kafkaClient(url: string, onConnection: (isConnected: boolean) => void): Promise<BrokerClient> {
  const kafka = await import('@platformatic/kafka')
  const { Consumer, findErrorBy } = kafka
  const options = consumerOptions(url)
  // A broker answers one connection in order, so a fetch that waits would delay the others.
  const control = new Consumer(options)
  const fetcher = new Consumer(options)
  const connectionPool = readingConnections(kafka, fetcher.connections)
  const topics = createKafkaTopics(control, fetcher.topics)
  const connection = brokersInReach(onConnection)
  const loops = new Set<number>()
  let isClosed = false
  let isRefreshing = false
  const refreshing = setInterval(() => void refresh(), METADATA_INTERVAL_MS).unref()
  const connected = control.metadata({ topics: [] }).then(
    () => connection.isUp(),
    () => connection.isDown(),
  )
  // Bounded wait, so that a start does not depend on the brokers.
  const isLate = await Promise.race([connected, sleep(CONNECT_TIMEOUT_MS, true, { ref: false })])
  if (isLate) connection.isDown()

  return {
    async subscribe(name, onMessage, onGone) {
      const remove = await topics.add(name, { onMessage, onGone }).catch((error: Error) => {
        // A client chooses the topic, so an answer of the broker is no fault of it.
        if (!isAnswer(error)) connection.isDown()
        throw error
      })
      connection.isUp()
      startLoops()
      return remove
    },
    async close() {
      isClosed = true
      connection.close()
      clearInterval(refreshing)
      await Promise.allSettled([control.close(), fetcher.close()])
    },
  }

  async function refresh(): Promise<void> {
    if (isRefreshing || isClosed) return
    isRefreshing = true
    await topics.refresh((error) => isOf(error, UNKNOWN_TOPIC))
    isRefreshing = false
    startLoops()
  }

  function startLoops(): void {
    for (const node of topics.leaders()) {
      if (loops.has(node) || isClosed) continue
      loops.add(node)
      void fetchFrom(node)
    }
  }

  /** Fetches from a broker for as long as it leads a partition of a topic. */
  async function fetchFrom(node: number): Promise<void> {
    let failures = 0
    for (let wanted = topics.wantedFrom(node); wanted.length > 0 && !isClosed; wanted = topics.wantedFrom(node)) {
      try {
        const fetch = { node, topics: wanted, maxWaitTime: MAX_WAIT_MS, maxBytes: MAX_FETCH_BYTES, connectionPool }
        topics.deliver(await fetcher.fetch(fetch))
        connection.isUp(node)
        failures = 0
      } catch (error) {
        if (isClosed) break
        failures++
        const response = responseOf(error, findErrorBy)
        // Other partitions of the response are fine.
        if (response) await topics.deliverPart(response).catch(() => {})
        else if (!isAnswer(error) || failures === MAX_FAILURES) connection.isDown(node)
        fetcher.clearMetadata()
        await sleep(RETRY_DELAY_MS)
        await refresh()
      }
    }
    loops.delete(node)
    connection.isUp(node)
  }

  /** Whether a broker answered with an error, in contrast to no answer. */
  function isAnswer(error: unknown): boolean {
    return isOf(error, 'PLT_KFK_PROTOCOL') || isOf(error, UNKNOWN_TOPIC)
  }

  /** Whether an error, or one that it wraps, has this code. */
  function isOf(error: unknown, code: string): boolean {
    return error instanceof Error && findErrorBy(error, 'code', code) !== null
  }
}

/** The response with the errors of some partitions; null for any other error. */
function responseOf(error: unknown, findErrorBy: typeof import('@platformatic/kafka').findErrorBy): FetchedTopics | null {
  const found = error instanceof Error ? findErrorBy(error, 'code', 'PLT_KFK_RESPONSE') : null
  // Of the client's own Fetch, or of its look at the metadata before.
  const response = found?.response as Partial<FetchedTopics> | undefined
  const { responses } = response ?? {}
  return responses?.some(({ partitions }) => partitions.some(({ errorCode }) => errorCode !== 0)) ? { responses } : null
}

/** Reports when the first of the brokers is lost, and when all are in reach again. */
function brokersInReach(onConnection: (isConnected: boolean) => void) {
  /** Key of the bootstrap brokers, beside node numbers. */
  const bootstrap = -1
  const down = new Set<number>()
  let isClosed = false
  return {
    isDown(node = bootstrap) {
      if (isClosed || down.has(node)) return
      down.add(node)
      if (down.size === 1) onConnection(false)
    },
    /** A broker that responds is a way into the cluster, too. */
    isUp(node = bootstrap) {
      down.delete(bootstrap)
      down.delete(node)
      if (!isClosed && down.size === 0) onConnection(true)
    },
    close() {
      isClosed = true
    },
  }
}

function consumerOptions(url: string): ConstructorParameters<typeof Consumer>[0] {
  const address = parseKafkaUrl(url)
  if (!address) throw new Error('Expected a URL that was validated.')
  const { brokers, isTls, sasl } = address
  return {
    clientId: 'atrium-gateway',
    // Required, and never joined.
    groupId: 'atrium-gateway',
    bootstrapBrokers: [...brokers],
    connectTimeout: CONNECT_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    retries: 0,
    // Names of topics come from arguments of clients.
    autocreateTopics: false,
    // A server name is no IP address, RFC 6066 §3.
    ...(isTls && { tls: {}, tlsServerName: brokers.every(({ host }) => isIP(host) === 0) }),
    ...(sasl && { sasl }),
  }
}
