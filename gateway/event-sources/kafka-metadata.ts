/** Identifier and partitions of a topic; a leader of -1 is none. */
export type TopicMetadata = { readonly id: string; readonly partitions: readonly { readonly leader: number }[] }

/** The requests of a Kafka client that find partitions and offsets. */
export type KafkaTopicReader = {
  readonly metadata: (options: { topics: string[]; forceUpdate: boolean }) => Promise<{
    readonly topics: ReadonlyMap<string, TopicMetadata>
  }>
  readonly listOffsets: (options: {
    topics: string[]
    partitions: Record<string, number[]>
    timestamp: bigint
  }) => Promise<ReadonlyMap<string, readonly bigint[]>>
}

/** The part of a Metadata response that is read here; the client rejects one with errors. */
type MetadataResponse = {
  readonly topics?: readonly {
    readonly name: string | null
    readonly topicId: string
    readonly errorCode: number
    readonly partitions: readonly { readonly partitionIndex: number; readonly leaderId: number }[]
  }[]
}

/** Metadata of a topic. `mayLackLeaders`: also where the client rejects it for want of a leader, -1. */
export async function metadataOf(reader: KafkaTopicReader, name: string, mayLackLeaders: boolean): Promise<TopicMetadata> {
  try {
    const found = (await reader.metadata({ topics: [name], forceUpdate: true })).topics.get(name)
    if (!found) throw new Error('Expected metadata of the topic.')
    return found
  } catch (error) {
    const topic = mayLackLeaders ? responseIn(error)?.topics?.find((each) => each.name === name) : undefined
    if (topic?.errorCode !== 0) throw error
    const partitions = topic.partitions.toSorted((one, other) => one.partitionIndex - other.partitionIndex)
    return { id: topic.topicId, partitions: partitions.map(({ leaderId }) => ({ leader: leaderId })) }
  }
}

/** The response that an error, or one that it wraps, has. */
function responseIn(error: unknown): MetadataResponse | null {
  if (!(error instanceof Error)) return null
  // A property of the client's ResponseError.
  const { response } = error as { readonly response?: MetadataResponse }
  if (response) return response
  const inner = error instanceof AggregateError ? error.errors : [error.cause]
  for (const each of inner) {
    const found = responseIn(each)
    if (found) return found
  }
  return null
}
