import { type KafkaTopicReader, metadataOf } from './kafka-metadata.ts'
import { type FetchedPartition, readRecords } from './kafka-records.ts'

/** A larger record is sent alone, so it arrives as well. */
const MAX_PARTITION_BYTES = 1_048_576
/** Timestamps of ListOffsets. */
const [LATEST, EARLIEST] = [-1n, -2n]
/** Error codes of the protocol: the offset was deleted, or does not exist yet. */
const OFFSET_OUT_OF_RANGE = 1
/** Partitions whose leader moved, or that are created or deleted: a look at the metadata helps. */
const MOVED: ReadonlySet<number> = new Set([3, 5, 6, 9, 74, 75, 100])

/** A topic without a leader for one of its partitions ends after this time. */
const MAX_LEADERLESS_MS = 30_000

/** Response to a fetch, without what is not read here. */
export type FetchedTopics = {
  readonly responses: readonly {
    readonly topicId: string
    readonly partitions: readonly (FetchedPartition & { readonly partitionIndex: number; readonly errorCode: number })[]
  }[]
}

type Topic = {
  readonly name: string
  readonly onMessage: (text: string) => void
  readonly onGone: () => void
  /** Changes when the topic is created again. */
  id: string
  /** Whether the fetching client looks it up; one without a leader would fail its look for all. */
  isTracked: boolean
  /** Since when a partition has no leader, in milliseconds; null: all have one. */
  leaderlessSince: number | null
  /** Leader and offset to read next, by partition. */
  readonly partitions: Map<number, { leader: number; offset: bigint }>
}

/** The names of topics that the fetching client looks up. */
type TrackedNames = { readonly track: (name: string) => unknown; readonly untrack: (name: string) => unknown }

/** Tracks each topic once. */
function trackingIn(names: TrackedNames) {
  return {
    track(topic: Topic): void {
      if (!topic.isTracked) names.track(topic.name)
      topic.isTracked = true
    },
    untrack(topic: Topic): void {
      if (topic.isTracked) names.untrack(topic.name)
      topic.isTracked = false
    },
  }
}

/**
 * Positions of the topics that have subscribers; they are in memory only. `names`: the topics that
 * the fetching client looks up, for compatible brokers whose Fetch takes no identifiers.
 */
export function createKafkaTopics(reader: KafkaTopicReader, names: TrackedNames) {
  const topics = new Map<string, Topic>()
  const { track, untrack } = trackingIn(names)
  return { add, refresh, leaders, wantedFrom, deliver, deliverPart }

  /** Adds a topic, from its end; returns the remove function. Rejects for a topic that does not exist. */
  async function add(
    name: string,
    { onMessage, onGone }: { readonly onMessage: (text: string) => void; readonly onGone: () => void },
  ): Promise<() => void> {
    const topic: Topic = { name, onMessage, onGone, id: '', isTracked: false, leaderlessSince: null, partitions: new Map() }
    await locate(reader, topic, LATEST)
    const earlier = topics.get(name)
    if (earlier) untrack(earlier)
    topics.set(name, topic)
    track(topic)
    return () => void remove(topic)
  }

  /**
   * Looks up leaders and new partitions; ends topics that were deleted, and those that have had no
   * leader for long.
   */
  async function refresh(isUnknownTopic: (error: unknown) => boolean, now = performance.now()): Promise<void> {
    await Promise.all(
      [...topics.values()].map(async (topic) => {
        try {
          // No record of a new partition was missed yet: it is read from its beginning.
          await locate(reader, topic, EARLIEST)
        } catch (error) {
          if (isUnknownTopic(error)) end(topic)
          return
        }
        const isLeaderless = [...topic.partitions.values()].some(({ leader }) => leader < 0)
        topic.leaderlessSince = isLeaderless ? (topic.leaderlessSince ?? now) : null
        if (isLeaderless) untrack(topic)
        else if (topics.get(topic.name) === topic) track(topic)
        if (topic.leaderlessSince !== null && now - topic.leaderlessSince >= MAX_LEADERLESS_MS) end(topic)
      }),
    )
  }

  /** Brokers that lead a partition. */
  function leaders(): ReadonlySet<number> {
    const found = [...topics.values()].flatMap(({ partitions }) => [...partitions.values()].map(({ leader }) => leader))
    return new Set(found.filter((leader) => leader >= 0))
  }

  /** The partitions that a broker leads, for a fetch. */
  function wantedFrom(node: number) {
    return [...topics.values()].flatMap(({ id: topicId, partitions }) => {
      const led = [...partitions].filter(([, { leader }]) => leader === node)
      const wanted = led.map(([partition, { offset: fetchOffset }]) => ({
        partition,
        fetchOffset,
        currentLeaderEpoch: -1,
        lastFetchedEpoch: -1,
        partitionMaxBytes: MAX_PARTITION_BYTES,
      }))
      return wanted.length === 0 ? [] : [{ topicId, partitions: wanted }]
    })
  }

  function deliver({ responses }: FetchedTopics): void {
    for (const { topicId, partitions } of responses) {
      const topic = topicOf(topicId)
      for (const fetched of topic ? partitions : []) if (topic) deliverPartition(topic, fetched)
    }
  }

  /** Delivers what was fetched, and ends topics that cannot be read, such as forbidden ones. */
  async function deliverPart(response: FetchedTopics): Promise<void> {
    deliver(response)
    for (const { topicId, partitions } of response.responses) {
      for (const { partitionIndex, errorCode } of partitions) {
        const topic = topicOf(topicId)
        if (!topic || errorCode === 0 || MOVED.has(errorCode)) continue
        if (errorCode === OFFSET_OUT_OF_RANGE) await moveIntoRange(reader, topic, partitionIndex)
        else end(topic)
      }
    }
  }

  function topicOf(topicId: string): Topic | undefined {
    return [...topics.values()].find(({ id }) => id === topicId)
  }

  function end(topic: Topic): void {
    if (remove(topic)) topic.onGone()
  }

  function remove(topic: Topic): boolean {
    // A newer subscription may have replaced this one.
    if (topics.get(topic.name) !== topic) return false
    untrack(topic)
    return topics.delete(topic.name)
  }
}

function deliverPartition(
  { partitions, onMessage }: Topic,
  fetched: FetchedPartition & { readonly partitionIndex: number },
): void {
  const partition = partitions.get(fetched.partitionIndex)
  if (!partition) return
  const { texts, next } = readRecords(fetched, partition.offset)
  // A fetch from before a newer subscription may end before its beginning.
  if (next !== null && next > partition.offset) partition.offset = next
  for (const text of texts) onMessage(text)
}

/**
 * Reads leaders, and offsets of partitions that are new, which begin at `start`. Rejects for a new
 * topic of which a partition has no leader, since its end cannot be known.
 */
async function locate(reader: KafkaTopicReader, topic: Topic, start: bigint): Promise<void> {
  const { name, partitions } = topic
  const found = await metadataOf(reader, name, start !== LATEST)
  if (topic.id !== found.id) partitions.clear()
  const added = found.partitions.flatMap(({ leader }, index) => (partitions.has(index) || leader < 0 ? [] : [index]))
  const offsets = added.length === 0 ? [] : await offsetsOf(reader, name, added, start)
  topic.id = found.id
  for (const [index, { leader }] of found.partitions.entries()) {
    const known = partitions.get(index)
    if (known) known.leader = leader
    else if (added.includes(index)) partitions.set(index, { leader, offset: offsets[index] ?? 0n })
  }
}

/** Continues at the oldest record that is left, or at the end of a log that was cut. */
async function moveIntoRange(reader: KafkaTopicReader, { name, partitions }: Topic, index: number): Promise<void> {
  const oldest = (await offsetsOf(reader, name, [index], EARLIEST))[index] ?? 0n
  const latest = (await offsetsOf(reader, name, [index], LATEST))[index] ?? oldest
  const partition = partitions.get(index)
  if (!partition) return
  if (partition.offset < oldest) partition.offset = oldest
  if (partition.offset > latest) partition.offset = latest
}

async function offsetsOf(reader: KafkaTopicReader, name: string, partitions: number[], timestamp: bigint) {
  return (await reader.listOffsets({ topics: [name], partitions: { [name]: partitions }, timestamp })).get(name) ?? []
}
