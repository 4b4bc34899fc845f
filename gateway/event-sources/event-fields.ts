import {
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  type TypeNode,
  valueFromASTUntyped,
} from 'graphql'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { argumentsIn, type FieldArguments } from './channel-template.ts'
import { compileFilter, type EventFilter } from './event-filter.ts'

/** Broker kinds by directive, with the argument that lists channels. */
const DIRECTIVES = {
  edfs__natsSubscribe: { kind: 'nats', list: 'subjects' },
  edfs__redisSubscribe: { kind: 'redis', list: 'channels' },
  edfs__kafkaSubscribe: { kind: 'kafka', list: 'topics' },
} as const

export type BrokerKind = (typeof DIRECTIVES)[keyof typeof DIRECTIVES]['kind']

/** A `Subscription` field whose events come from a broker. */
export type EventField = {
  readonly name: string
  /** Subgraph that declares the field; it has no server. */
  readonly subgraph: string
  readonly kind: BrokerKind
  /** Name of the broker in options. */
  readonly providerId: string
  /** Templates of channels, subjects or topics. */
  readonly channels: readonly string[]
  readonly filter: EventFilter | null
  /** Type of the events. */
  readonly typeName: string
  readonly defaults: FieldArguments
}

/**
 * Finds the fields with `@edfs__natsSubscribe`, `@edfs__redisSubscribe` or `@edfs__kafkaSubscribe`
 * in a supergraph. Throws an `OperatorError` for an invalid directive.
 */
export function eventFieldsIn(document: DocumentNode): readonly EventField[] {
  const graphs = graphNames(document)
  const root = subscriptionName(document)
  return document.definitions.flatMap((definition) =>
    definition.kind === Kind.OBJECT_TYPE_DEFINITION && definition.name.value === root
      ? (definition.fields ?? []).flatMap((field) => eventFieldOf(field, graphOf(definition.directives, 'join__type'), graphs))
      : [],
  )
}

/**
 * `typeGraph`: the subgraph of the root type, used when fields name none because only one subgraph
 * has the type.
 */
function eventFieldOf(field: FieldDefinitionNode, typeGraph: string, graphs: ReadonlyMap<string, string>): readonly EventField[] {
  const name = field.name.value
  const found = field.directives?.find((each) => Object.hasOwn(DIRECTIVES, each.name.value))
  if (!found) {
    const other = field.directives?.find((each) => each.name.value.startsWith('edfs__'))
    if (other) throw new OperatorError(`Subscription.${name} has @${other.name.value}, which this gateway does not support.`)
    return []
  }
  // The directive was found by the names of this table.
  const { kind, list } = DIRECTIVES[found.name.value as keyof typeof DIRECTIVES]
  const given = argumentsOf(found)
  const channels = [given[list]].flat().filter((each) => typeof each === 'string')
  const declared = new Set(field.arguments?.map((each) => each.name.value))
  const unknown = channels.flatMap(argumentsIn).find((each) => !declared.has(each))
  if (unknown !== undefined)
    throw new OperatorError(`Subscription.${name} has no argument "${unknown}", which its channel names.`)
  if (channels.length === 0) throw new OperatorError(`Expected @${found.name.value} of Subscription.${name} to name ${list}.`)
  const graph = graphOf(field.directives, 'join__field') || typeGraph
  const filter = field.directives?.find((each) => each.name.value === 'openfed__subscriptionFilter')
  return [
    {
      name,
      subgraph: graphs.get(graph) ?? '',
      kind,
      providerId: typeof given.providerId === 'string' ? given.providerId : 'default',
      channels,
      filter: filter ? filterOf(filter, name) : null,
      typeName: namedTypeOf(field.type),
      defaults: Object.fromEntries(
        (field.arguments ?? []).flatMap((each) =>
          each.defaultValue ? [[each.name.value, valueFromASTUntyped(each.defaultValue)]] : [],
        ),
      ),
    },
  ]
}

function filterOf(directive: ConstDirectiveNode, field: string): EventFilter {
  try {
    return compileFilter(argumentsOf(directive).condition)
  } catch (cause) {
    throw new OperatorError(`The filter of Subscription.${field} cannot be read: expected IN, AND, OR and NOT.`, { cause })
  }
}

/** Argument `graph` of a directive; '' when absent. */
function graphOf(directives: readonly ConstDirectiveNode[] | undefined, name: string): string {
  const found = directives?.find((each) => each.name.value === name)
  return String((found && argumentsOf(found).graph) ?? '')
}

/** Subgraph names by their enum value in `join__Graph`. */
function graphNames(document: DocumentNode): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.ENUM_TYPE_DEFINITION || definition.name.value !== 'join__Graph') continue
    for (const { name, directives } of definition.values ?? []) {
      const graph = directives?.find((each) => each.name.value === 'join__graph')
      if (graph) names.set(name.value, String(argumentsOf(graph).name))
    }
  }
  return names
}

function subscriptionName(document: DocumentNode): string {
  const schema = document.definitions.find(({ kind }) => kind === Kind.SCHEMA_DEFINITION)
  if (schema?.kind !== Kind.SCHEMA_DEFINITION) return 'Subscription'
  return schema.operationTypes.find(({ operation }) => operation === 'subscription')?.type.name.value ?? 'Subscription'
}

const argumentsOf = ({ arguments: nodes = [] }: ConstDirectiveNode): Record<string, unknown> =>
  Object.fromEntries(nodes.map(({ name, value }) => [name.value, valueFromASTUntyped(value)]))

const namedTypeOf = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : namedTypeOf(type.type))
