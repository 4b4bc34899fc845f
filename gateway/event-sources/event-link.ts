import { hash } from 'node:crypto'
import { type FieldNode, GraphQLError, type GraphQLSchema, Kind, parse, valueFromASTUntyped } from 'graphql'
import { boundedCache } from '../../platform/collections/bounded-cache.ts'
import { boundedQueue } from '../../platform/collections/bounded-queue.ts'
import { documentIndex, type Fragments } from '../operations/document-index.ts'
import { SubgraphError } from '../subgraph-client/error-masking.ts'
import type { EventSource, Link, RequestContext, SubgraphRequest, SubscribeResult } from '../subgraph-client/link.ts'
import { channelOf, type FieldArguments } from './channel-template.ts'
import type { EventBroker } from './event-broker.ts'
import type { EventField } from './event-fields.ts'
import { eventSelection } from './event-selection.ts'

/** Cache of parsed operations, which are the planner's and repeat. */
const OPERATIONS = { maxEntries: 500, maxCharacters: 500_000 }

/** One event for subscribers; `value` is undefined for a message that is not a JSON object. */
type BrokerEvent = { readonly value: unknown; readonly characters: number }

type EventLinkOptions = {
  readonly name: string
  readonly fields: readonly EventField[]
  /** Schema of the supergraph. */
  readonly schema: GraphQLSchema
  readonly brokerOf: (providerId: string) => EventBroker
}

/**
 * Link of a subgraph without a server, whose subscriptions are broker events. Events have the keys
 * of their entity and other fields of this subgraph; all other fields are fetched from other
 * subgraphs.
 */
export function createEventLink({ name, fields, schema, brokerOf }: EventLinkOptions): Link {
  const select = eventSelection(schema)
  const operations = boundedCache<ReturnType<typeof readOperation>>(OPERATIONS)
  /**
   * Event objects by value and by caller identity, so that a result is computed once for all
   * subscribers with the same identity.
   */
  const events = new WeakMap<object, Map<string, BrokerEvent>>()

  return {
    name,
    async execute() {
      throw new SubgraphError('SUBGRAPH_UNAVAILABLE', `The ${name} service sends events only.`)
    },
    subscribe,
  }

  async function subscribe(
    { query, variables }: SubgraphRequest,
    context: RequestContext,
  ): Promise<SubscribeResult<EventSource, GraphQLError>> {
    context.signal.throwIfAborted()
    const { root, fragments } = operationOf(query)
    const field = fields.find((each) => each.name === root.name.value)
    if (!field) throw new Error(`Expected a subscription of ${name}, got "${root.name.value}".`)
    const values: FieldArguments = { ...field.defaults, ...argumentsIn(root, variables) }
    const found = channelsOf(field, values)
    if ('problem' in found) return { kind: 'refused', errors: [badInput(found.problem)] }
    const viewer = viewerOf(context)
    const stops: (() => void)[] = []
    const queue = boundedQueue<BrokerEvent>({
      charactersOf: ({ characters }) => characters,
      onDone() {},
      onReleased() {
        for (const stop of stops.splice(0)) stop()
      },
    })
    const release = () => void queue.iterator.return?.()
    const listener = {
      onEvent(value: unknown, characters: number) {
        if (value !== undefined && field.filter && !field.filter(value, values)) return
        queue.push(eventOf(value, viewer, characters))
      },
      onGone: () => queue.end(gone(null)),
    }
    try {
      const broker = brokerOf(field.providerId)
      for (const channel of found.channels) stops.push(await broker.listen(channel, listener))
      context.signal.throwIfAborted()
    } catch (error) {
      release()
      context.signal.throwIfAborted()
      throw gone(error)
    }
    const key = (root.alias ?? root.name).value
    const { selectionSet } = root
    return {
      kind: 'open',
      source: {
        next: () => queue.iterator.next(),
        return: release,
        // Other subgraphs may respond differently per caller.
        isPersonal: true,
        // The queue contains `BrokerEvent`s only.
        async resolve(event) {
          const { value } = event as BrokerEvent // of this queue
          if (value === undefined) return { data: null, errors: [invalidEvent()] }
          return { data: { [key]: select(value, selectionSet, field.typeName, fragments) } }
        },
      },
    }
  }

  function operationOf(query: string) {
    const known = operations.get(query)
    if (known) return known
    const read = readOperation(query)
    operations.set(query, read)
    return read
  }

  function eventOf(value: unknown, viewer: string, length: number): BrokerEvent {
    // A message that is no event is not kept.
    const characters = value === undefined ? 0 : length
    if (typeof value !== 'object' || value === null) return { value, characters }
    const known = events.get(value) ?? new Map<string, BrokerEvent>()
    events.set(value, known)
    const event = known.get(viewer) ?? Object.freeze({ value, characters })
    known.set(viewer, event)
    return event
  }
}

function readOperation(query: string): { readonly root: FieldNode; readonly fragments: Fragments } {
  const { operations, fragments } = documentIndex(parse(query, { noLocation: true }))
  const root = operations[0]?.selectionSet.selections.find(({ kind }) => kind === Kind.FIELD)
  if (root?.kind !== Kind.FIELD) throw new Error('Expected a subscription with a field.')
  return { root, fragments }
}

const argumentsIn = ({ arguments: nodes = [] }: FieldNode, variables: SubgraphRequest['variables']): FieldArguments =>
  Object.fromEntries(
    nodes.flatMap(({ name, value }) => {
      const given = valueFromASTUntyped(value, variables)
      return given === undefined ? [] : [[name.value, given]]
    }),
  )

/**
 * Key of callers to whom other subgraphs respond the same, because their fields are part of the
 * result.
 */
function viewerOf({ caller: { credentials, headers = {}, grantedScopes = [] } }: RequestContext): string {
  const seen = [Object.entries(credentials).sort(), Object.entries(headers).sort(), grantedScopes]
  return hash('sha256', JSON.stringify(seen), 'base64url')
}

const gone = (cause: unknown): SubgraphError =>
  new SubgraphError('SUBGRAPH_UNAVAILABLE', 'The source of these events is not available.', { cause })

const invalidEvent = (): GraphQLError =>
  new GraphQLError('Expected an event that is a JSON object of at most 1,000,000 characters.', {
    extensions: { code: 'INVALID_SUBGRAPH_ANSWER' },
  })

/** Distinct channels of a subscription, or the problem of an argument. */
function channelsOf(
  field: EventField,
  values: FieldArguments,
): { readonly channels: ReadonlySet<string> } | { readonly problem: string } {
  const channels = new Set<string>()
  for (const template of field.channels) {
    const found = channelOf(template, values)
    if ('problem' in found) return found
    channels.add(found.channel)
  }
  return { channels }
}

const badInput = (message: string): GraphQLError => new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })
