import { hash } from 'node:crypto'
import {
  type ExecutionResult,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql'
import { boundedCache } from '../../platform/collections/bounded-cache.ts'
import { boundedQueue } from '../../platform/collections/bounded-queue.ts'
import { documentIndex, type Fragments, fragmentOf } from '../operations/document-index.ts'
import { SubgraphError } from '../subgraph-client/error-masking.ts'
import type { EventSource, Link, RequestContext, SubgraphRequest, SubscribeResult } from '../subgraph-client/link.ts'
import { channelOf, type FieldArguments } from './channel-template.ts'
import type { EventBroker } from './event-broker.ts'
import type { EventField } from './event-fields.ts'

/** Bound of parsed operations: the planner's, which repeat. */
const OPERATIONS = { maxEntries: 500, maxCharacters: 500_000 }

/** One event for a subscriber; `value` is undefined for a message that is no JSON object. */
type BrokerEvent = { readonly value: unknown }

/**
 * A subgraph that nobody serves: its subscriptions are events of brokers. An event has the keys of
 * its entity, and other fields of this subgraph; the rest is fetched from other subgraphs.
 */
export function createEventLink({
  name,
  fields,
  schema,
  brokerOf,
}: {
  readonly name: string
  readonly fields: readonly EventField[]
  /** The supergraph. */
  readonly schema: GraphQLSchema
  readonly brokerOf: (providerId: string) => EventBroker
}): Link {
  const operations = boundedCache<ReturnType<typeof readOperation>>(OPERATIONS)
  /**
   * One event object per value and credentials: the result is worked out once for all subscribers
   * who see the same.
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
    const channels: string[] = []
    for (const template of field.channels) {
      const found = channelOf(template, values)
      if ('problem' in found) return { kind: 'refused', errors: [badInput(found.problem)] }
      channels.push(found.channel)
    }

    const viewer = hash('sha256', JSON.stringify(Object.entries(context.caller.credentials).sort()), 'base64url')
    const stops: (() => void)[] = []
    const queue = boundedQueue<BrokerEvent>({
      onDone() {},
      onReleased() {
        for (const stop of stops.splice(0)) stop()
      },
    })
    const release = () => void queue.iterator.return?.()
    const listener = {
      onEvent(value: unknown) {
        if (value !== undefined && field.filter && !field.filter(value, values)) return
        queue.push(eventOf(value, viewer))
      },
      onGone: () => queue.end(gone(null)),
    }
    try {
      const broker = brokerOf(field.providerId)
      for (const channel of new Set(channels)) stops.push(await broker.listen(channel, listener))
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
        // Other subgraphs may answer differently for each caller.
        isPersonal: true,
        // Events of this source are what its queue holds.
        resolve: async (event) => resultOf((event as BrokerEvent).value, key, selectionSet, fragments, field.typeName),
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

  function eventOf(value: unknown, viewer: string): BrokerEvent {
    if (typeof value !== 'object' || value === null) return { value }
    const known = events.get(value) ?? new Map<string, BrokerEvent>()
    events.set(value, known)
    const event = known.get(viewer) ?? Object.freeze({ value })
    known.set(viewer, event)
    return event
  }

  function gone(cause: unknown): SubgraphError {
    return new SubgraphError('SUBGRAPH_UNAVAILABLE', `The source of these events is not available.`, { cause })
  }

  function resultOf(
    value: unknown,
    key: string,
    selectionSet: SelectionSetNode | undefined,
    fragments: Fragments,
    typeName: string,
  ): ExecutionResult {
    if (value !== undefined) return { data: { [key]: select(value, selectionSet, typeName, fragments) } }
    const message = 'Expected an event that is a JSON object of at most 1,000,000 characters.'
    return { data: null, errors: [new GraphQLError(message, { extensions: { code: 'INVALID_SUBGRAPH_ANSWER' } })] }
  }

  /** A copy of what is selected: other subgraphs' data is merged into it. */
  function select(value: unknown, selectionSet: SelectionSetNode | undefined, typeName: string, fragments: Fragments): unknown {
    if (!selectionSet) return value
    if (Array.isArray(value)) return value.map((item) => select(item, selectionSet, typeName, fragments))
    if (typeof value !== 'object' || value === null) return value
    const copy: Record<string, unknown> = {}
    fill(copy, value, selectionSet, runtimeTypeOf(value, typeName), fragments)
    return copy
  }

  function fill(
    copy: Record<string, unknown>,
    value: object,
    { selections }: SelectionSetNode,
    typeName: string,
    fragments: Fragments,
  ): void {
    for (const selection of selections) {
      if (selection.kind !== Kind.FIELD) {
        const fragment = fragmentOf(selection, fragments)
        const condition = fragment?.typeCondition?.name.value
        if (fragment && (condition === undefined || isOf(typeName, condition))) {
          fill(copy, value, fragment.selectionSet, typeName, fragments)
        }
        continue
      }
      const key = (selection.alias ?? selection.name).value
      if (selection.name.value === '__typename') copy[key] = typeName
      else if (Object.hasOwn(value, selection.name.value)) {
        const inner: unknown = Reflect.get(value, selection.name.value)
        copy[key] = select(inner, selection.selectionSet, fieldTypeOf(typeName, selection.name.value), fragments)
      }
    }
  }

  /** An event of an abstract type says which type it is of. */
  function runtimeTypeOf(value: object, typeName: string): string {
    const said: unknown = Object.hasOwn(value, '__typename') ? Reflect.get(value, '__typename') : undefined
    return isAbstractType(schema.getType(typeName)) && typeof said === 'string' ? said : typeName
  }

  function isOf(typeName: string, condition: string): boolean {
    const [type, abstract] = [schema.getType(typeName), schema.getType(condition)]
    return typeName === condition || (isObjectType(type) && isAbstractType(abstract) && schema.isSubType(abstract, type))
  }

  function fieldTypeOf(typeName: string, field: string): string {
    const type = schema.getType(typeName)
    const found = isObjectType(type) || isInterfaceType(type) ? type.getFields()[field] : undefined
    return found ? getNamedType(found.type).name : ''
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

const badInput = (message: string): GraphQLError => new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })
