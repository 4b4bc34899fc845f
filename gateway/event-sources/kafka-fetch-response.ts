import type { Connection, ConnectionPool } from '@platformatic/kafka'
import { type RecordReading, readBatches } from './kafka-batches.ts'
import type { RecordBatch } from './kafka-records.ts'

type Kafka = typeof import('@platformatic/kafka')
type Reader = InstanceType<Kafka['Reader']>

const FETCH_API_KEY = 1
/** Versions whose response is read here; 12 has names of topics, not ids. */
const FIRST_VERSION = 12
const FIRST_VERSION_WITH_IDS = 13

/**
 * Connections of `pool` that read responses to fetches themselves: the client fails a response with
 * a batch that it cannot decode, of whatever topic, and decompresses without a bound.
 */
export function readingConnections(kafka: Kafka, pool: ConnectionPool): ConnectionPool {
  const parse = createFetchParser(kafka)
  const known = new WeakMap<Connection, Pick<Connection, 'send'>>()
  const reading = (connection: Connection): Pick<Connection, 'send'> => {
    const made = known.get(connection) ?? {
      send(apiKey, apiVersion, payload, parser, ...others) {
        // The response of a fetch, which the caller of this connection expects.
        const own = apiKey === FETCH_API_KEY && apiVersion >= FIRST_VERSION ? (parse as typeof parser) : parser
        return connection.send(apiKey, apiVersion, payload, own, ...others)
      },
    }
    known.set(connection, made)
    return made
  }
  const get = (broker: Parameters<ConnectionPool['get']>[0], callback: (error: Error | null, connection?: unknown) => void) =>
    pool.get(broker, (error, connection) => callback(error, connection && reading(connection)))
  // The client's fetch calls `get` of the pool, and `send` of what that returns.
  return { get } as unknown as ConnectionPool
}

function createFetchParser({ ResponseError, readKnownTaggedFields, ...reading }: Kafka & RecordReading) {
  return (_: number, apiKey: number, apiVersion: number, reader: Reader) => {
    const errors: [path: string, [code: number, message: null]][] = []
    const decoded = { count: 0 }
    const throttleTimeMs = reader.readInt32()
    const errorCode = reader.readInt16()
    if (errorCode !== 0) errors.push(['', [errorCode, null]])
    const sessionId = reader.readInt32()
    const responses = reader.readArray((topic, at) => ({
      topicId: apiVersion < FIRST_VERSION_WITH_IDS ? topic.readString() : topic.readUUID(),
      partitions: topic.readArray(
        (partition, index) => {
          const read = readPartition(partition)
          if (read.errorCode !== 0) errors.push([`/responses/${at}/partitions/${index}`, [read.errorCode, null]])
          return read
        },
        true,
        false,
      ),
    }))
    const response = { throttleTimeMs, errorCode, sessionId, nodeEndpoints: [], responses }
    // The rest are addresses of new leaders, which a look at the metadata finds as well.
    if (errors.length > 0) throw new ResponseError(apiKey, apiVersion, Object.fromEntries(errors), response)
    return response

    function readPartition(partition: Reader) {
      const read = {
        partitionIndex: partition.readInt32(),
        errorCode: partition.readInt16(),
        highWatermark: partition.readInt64(),
        lastStableOffset: partition.readInt64(),
        logStartOffset: partition.readInt64(),
        abortedTransactions: partition.readNullableArray((each) => ({
          producerId: each.readInt64(),
          firstOffset: each.readInt64(),
        })),
        preferredReadReplica: partition.readInt32(),
      }
      // One more than the number of bytes; 0 for null.
      const size = partition.readUnsignedVarInt() - 1
      const records: readonly RecordBatch[] =
        size > 0 ? readBatches(partition.buffer.slice(partition.position, partition.position + size), reading, decoded) : []
      if (size > 0) partition.skip(size)
      readKnownTaggedFields(partition, {})
      return { ...read, records: size < 0 ? null : records }
    }
  }
}
