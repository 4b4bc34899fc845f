import { globSync } from 'node:fs'
import { join } from 'node:path'
import { type FieldDefinitionNode, Kind, type ObjectTypeExtensionNode, parse } from 'graphql'
import { EVENTS } from '../../subgraphs/store/events.ts'
import { codeOf, generatedFrom, readText, tableOf } from './markdown.ts'

const ROOT = join(import.meta.dirname, '../..')
const described = (node: { readonly description?: { readonly value: string } | undefined } | undefined): string =>
  (node?.description?.value ?? '').replaceAll(/\s+/g, ' ')

const sdlFiles = (): readonly string[] =>
  globSync('schema/*/*.graphql', { cwd: ROOT })
    .map((file) => file.replaceAll('\\', '/'))
    .sort()

/** Fields of Subscription in the SDL of all subgraphs, with their subgraph. */
const subscriptionFields = (): readonly { readonly subgraph: string; readonly field: FieldDefinitionNode }[] =>
  sdlFiles().flatMap((file) =>
    parse(readText(file))
      .definitions.filter(
        (node): node is ObjectTypeExtensionNode => node.kind === Kind.OBJECT_TYPE_EXTENSION && node.name.value === 'Subscription',
      )
      .flatMap(({ fields = [] }) => fields.map((field) => ({ subgraph: file.split('/')[1] ?? '', field }))),
  )

/** Meanings of the events of stores, by their names in the schema. */
function webhookMeanings(): ReadonlyMap<string, string> {
  const { definitions } = parse(readText('schema/store/webhook-subscription.graphql'))
  const values = definitions.flatMap((node) =>
    node.kind === Kind.ENUM_TYPE_DEFINITION && node.name.value === 'WebhookEvent' ? (node.values ?? []) : [],
  )
  return new Map(values.map((value) => [value.name.value, described(value)]))
}

/** Events that webhooks and subscriptions deliver. */
export function eventsPage(): string {
  const meanings = webhookMeanings()
  return `# Events
## Webhooks of a store
The name is \`event\` in \`POST /v1/hooks.json\`; the graph writes it in capitals. Headers, retries and signatures: [the store](../store.md#webhooks).

${tableOf(
  ['event', 'when', 'also sends'],
  Object.entries(EVENTS).map(([name, also]) => [
    codeOf(name),
    meanings.get(name.toUpperCase()) ?? '',
    also.map(codeOf).join(', ') || '–',
  ]),
)}

## Webhooks of watched domains
A watched domain sends one request for each change of its decision: [trust](../trust.md#watched-domains).

## Subscriptions
Over WebSocket and server-sent events: [subscribe and resume](../guides/subscribe-and-resume.md). Bounds: [subscriptions](subscriptions.md).

${tableOf(
  ['field', 'subgraph', 'sends'],
  subscriptionFields().map(({ subgraph, field }) => [
    codeOf(field.name.value + (field.arguments?.length ? `(${field.arguments.map(({ name }) => name.value).join(', ')})` : '')),
    subgraph,
    described(field),
  ]),
)}

${generatedFrom('the schema and subgraphs/store/events.ts')}`
}
