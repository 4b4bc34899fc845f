import { GraphQLInputObjectType, GraphQLObjectType, GraphQLString } from 'graphql'
import { expect, test } from 'vitest'
import { lookupTable, ownValue } from '../../platform/collections/lookup-table.ts'
import { unguardedTextKeys } from './support/text-keys.ts'

type Excuse = { readonly why: string; readonly places: Readonly<Record<string, readonly string[]>> }

/**
 * Where a text may be a key of a plain object, file by file and as it is written there, and why no
 * request finds anything inherited by it.
 */
const EXCUSED: readonly Excuse[] = [
  {
    why: 'graphql-js makes these without a prototype: see the test below',
    places: {
      'gateway/authorization/operation-guard.ts': ['type.getFields()[name]'],
      'gateway/authorization/refused-part.ts': ['parent.getFields()[name]'],
      'gateway/authorization/allowed-document.ts': ['parent.getFields()[selection.name.value]'],
      'gateway/caching/entity-cache-policy.ts': ['parent.getFields()[name.value]'],
      'gateway/event-sources/event-selection.ts': ['type.getFields()[field]'],
      'gateway/executor/federated/query-path.ts': ['parent.getFields()[name.value]'],
      'gateway/caching/policy.ts': ['type.getFields()[name]'],
      'gateway/executor/graphql/selection-plan.ts': ['type.getFields()[name]'],
      'gateway/executor/federated/projection.ts': ['type.getFields()[name]'],
      'gateway/executor/federated/answer-match.ts': ['type.getFields()[name]'],
      'gateway/executor/federated/client-order.ts': ['type.getFields()[field.name.value]'],
      'mcp/answer.ts': ['fields[name]', 'meanings[name]'],
      'mcp/arguments.ts': ['input.getFields()[name.value]'],
      'mcp/graph/describe.ts': ['fields[fieldName]'],
      'rest-facade/store/wire/selection.ts': ['parent.getFields()[value]'],
    },
  },
  {
    why: 'keys are field names of the schema, which sources and resolvers agree on; the client chose none',
    places: {
      'gateway/executor/graphql/complete-value.ts': [
        'parent[field.definition.name]',
        '(source as Record<string, unknown>)[name]',
        '(source as Record<string, (...all: unknown[]) => unknown>)[name]',
      ],
      'gateway/executor/graphql/arguments.ts': ['values[origin.name]'],
    },
  },
  {
    why: 'response keys: answers have no prototype (gateway/executor/response-object.ts)',
    places: {
      'gateway/executor/graphql/complete-value.ts': ['results[field.key]'],
      'gateway/executor/graphql/pending.ts': ['join.results[key]'],
      'gateway/executor/graphql/root-fields.ts': ['results[field.key]'],
      'gateway/executor/federated/project-value.ts': ['result[field.key]'],
      'gateway/executor/federated/plan.ts': ['result.data?.[key]'],
    },
  },
  {
    why: 'response keys of fetches: what every object has is renamed before it is planned (RESERVED_KEYS of planned-document.ts)',
    places: {
      'gateway/executor/federated/entity-identity.ts': ['object[only]', 'object[key]'],
      'gateway/executor/federated/merge.ts': ['source[key]', 'target[key]', 'value[key]', 'copy[key]'],
      'gateway/executor/federated/flatten-path.ts': ['value[key]', '(value as Data)[key]'],
      'gateway/executor/federated/rewrites.ts': [
        'object[key]',
        'object[rewrite.renameKeyTo]',
        'value[element]',
        'existing[key]',
        'part[key]',
      ],
      'gateway/executor/federated/project-value.ts': ['from[field.from]'],
      'gateway/executor/federated/deduplicate-entities.ts': ['value[key]'],
      'gateway/executor/federated/context-path.ts': ['value[step]'],
      'gateway/executor/federated/contexts.ts': ['value[segment.key]'],
      'gateway/executor/federated/query-path.ts': ['value[step]'],
      'gateway/event-sources/event-selection.ts': ['copy[key]'],
      'gateway/executor/federated/representation.ts': ['from[key]', 'to[name]'],
    },
  },
  {
    why: 'fragments of a validated document: each that is spread is there, in an object without a prototype',
    places: {
      'gateway/executor/graphql/compile-operation.ts': ['fragments[name]'],
      'subgraphs/toolkit/selected-columns.ts': ['fragments[selection.name.value]'],
    },
  },
  {
    why: 'variables are written, and read as own keys; the one read here is a condition, which is declared',
    places: {
      'gateway/operations/variables.ts': ['coerced[name]'],
      'gateway/executor/federated/fetch.ts': ['own[name]'],
      'gateway/limits/request-limits.ts': ['coerced[name]'],
    },
  },
  {
    why: "the planner's names of contextual arguments, and aliases _0, _1 … of our own",
    places: {
      'gateway/executor/federated/contexts.ts': ['values[name]', 'own[representationsOf(index)]', `own[\`\${name}_\${index}\`]`],
      'gateway/executor/federated/joined-documents.ts': ['data[alias]'],
      'gateway/executor/federated/merged-fetch.ts': [
        'variables[representationsOf(index)]',
        `data?.[found.length === 1 ? ENTITIES : \`_\${index}\`]`,
      ],
    },
  },
  {
    why: "names of headers in the operator's rules and settings; clients' names go into an object without a prototype",
    places: {
      'gateway/headers/client-headers.ts': ['picked[name]'],
      'gateway/headers/request-rules.ts': [
        'headers[name]',
        'given[name]',
        'headers[insert]',
        'given[propagate]',
        'headers[rename]',
      ],
      'gateway/headers/response-rules.ts': ['received[name]', 'received[propagate]'],
      'gateway/authorization/token-verifier.ts': ['credentials[source.name]', 'headers?.[source.name]'],
    },
  },
  {
    why: 'keys are of the object that is gone through',
    places: {
      'subgraphs/store/product-record/change.ts': ['after[key]', 'before[key]'],
      'gateway/event-sources/event-fields.ts': ['DIRECTIVES[found.name.value as keyof typeof DIRECTIVES]'],
      'gateway/subgraph-client/tls-connector.ts': ['files[name as keyof Files]', 'OPTION_OF[name as keyof Files]'],
      'gateway/client.ts': ['variables[name]'],
      'rest-facade/store/contract.ts': ['properties[name]'],
      'subgraphs/store/checkout-custom-field/checkout-custom-field.ts': ['change[field as keyof CheckoutCustomFieldFields]'],
      'subgraphs/store/customer/customer.ts': ['change[field as keyof AddressChange]'],
      'subgraphs/store/location/location.ts': ['change[field as keyof LocationChange]'],
      'subgraphs/store/order/repository.ts': ['COLUMN_OF[field as keyof OrderChange]'],
      'subgraphs/store/product/columns.ts': ['fields[field as keyof ProductFields]'],
      'subgraphs/store/product/product.ts': ['product[field as keyof ProductFields]'],
      'subgraphs/trust/decision/replay.ts': [
        '(before as Record<string, unknown>)[key]',
        '(after as Record<string, unknown>)[key]',
      ],
      'subgraphs/store/country/country.ts': ['known[code as keyof typeof known]'],
    },
  },
  {
    why: 'names of parameters and properties of our contracts, tables of routes and documents',
    places: {
      'rest-facade/http/parameters.ts': ['values[parameter]'],
      'rest-facade/store/wire/parameters.ts': [
        'givenPath[name]',
        'path[name]',
        'query[name]',
        "parameters[location === 'path' ? 'path' : 'query'][name]",
      ],
      'rest-facade/store/wire/input.ts': ['value[name]', 'schema.properties?.[envelope]', 'given[envelope]'],
      'rest-facade/store/wire/request-body.ts': ['schema.properties?.[envelope]', 'given[optional]'],
      'rest-facade/store/wire/request.ts': ['values[variable]'],
      'rest-facade/store/wire/response-body.ts': ['asObject(value)[name]', 'properties[envelope]', 'data[name]'],
      'rest-facade/store/wire/shaped-body.ts': ['given[name]'],
      'rest-facade/store/wire/response.ts': ['data[name]', '(value as Data)[step]'],
      'mcp/arguments.ts': ['bounds[name]', 'shape[name]'],
      'mcp/answer.ts': ['value[key]'],
      'mcp/protocol.ts': ['input[name]'],
      'mcp/store/contract-tool.ts': [
        'input[parameter.name]',
        'input[key]',
        'rowArguments[parameter.name]',
        'rowArguments[key]',
        'schema.properties?.[envelope]',
        'input[name]',
      ],
      'web/reference/contract.ts': ['(inside as Record<string, unknown> | undefined)?.[part]'],
      'web/reference/caller.ts': ['schemes[name]'],
      'subgraphs/toolkit/lazy-members.ts': ['this.made[index][name]'],
      'subgraphs/directory/import/atrium.ts': ['(inner as Readonly<Record<PropertyKey, unknown>> | null | undefined)?.[name]'],
    },
  },
  {
    why: 'words of our own: settings, labels of metrics, kinds of items, hashes of documents',
    places: {
      'platform/config/config.ts': ['env[name]'],
      'gateway/standalone/config-file.ts': ['inner[key]'],
      'subgraphs/store/access/event-scopes.ts': ['TYPES_WITHIN[entity]'],
      'platform/graphql/authorization-rules.ts': [
        'names[feature as keyof DirectiveNames]',
        'names[original as keyof DirectiveNames]',
        'has[feature]',
      ],
      'platform/database/backup/backup.ts': ['rows[labelOf(table)]'],
      'platform/database/backup/export.ts': ['rows[name]'],
      'platform/database/backup/restore.ts': ['rows[label]', 'rows[mismatch[0]]'],
      'gateway/observability/history.ts': ['labels[label]'],
      'gateway/planning/plan-store.ts': ['before[keyOf(document)]', 'added[keyOf(document)]'],
      'subgraphs/directory/import/report.ts': ['totals[kind]'],
      'web/search/results.ts': ['counts[kind]'],
      'subgraphs/store/sample/sample.ts': ['dearer?.[value]'],
      'subgraphs/store/order-record/repository.ts': ['row[key]'],
      'subgraphs/store/product-record/repository.ts': ['row[key]'],
    },
  },
  {
    why: 'a private name, which no text is',
    places: { 'gateway/operations/serialized-result.ts': ['#bytes in result'] },
  },
  {
    why: 'the object has no prototype',
    places: {
      'subgraphs/directory/import/parse.ts': ['content[key]'],
    },
  },
]

const INHERITED = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf']

test('a text that a request may choose is a key of own keys only', () => {
  const found = unguardedTextKeys('{platform,subgraphs,gateway,rest-facade,mcp,web,clients,composition}/**/*.ts')
  const excused = EXCUSED.flatMap(({ places }) =>
    Object.entries(places).flatMap(([file, texts]) => texts.map((text) => `${file}: ${text}`)),
  )
  const left = found.filter(({ file, text }) => !excused.includes(`${file}: ${text}`))
  const remedy = 'make the object a lookupTable, ask Object.hasOwn or ownValue, or say above why it is safe'
  expect(left.map(({ file, line, text, type }) => `${file}:${line} ${text} (${type}): ${remedy}`)).toEqual([])
  const used = new Set(found.map(({ file, text }) => `${file}: ${text}`))
  expect(excused.filter((place) => !used.has(place))).toEqual([])
}, 400_000)

const EXAMPLES: readonly (readonly [code: string, isFound: boolean])[] = [
  ['(text: string) => open[text]', true],
  ["(text: string) => closed[text as 'a']", true],
  ['(text: string) => text in open', true],
  ['<T extends string>(text: T) => open[text]', true],
  [`(text: string | null) => open[\`x.\${text}\`]`, true],
  ['(text: string) => Object.hasOwn(closed, text) && open[text]', true],
  ["(text: 'a' | 'b') => closed[text] + (open.a ?? 0)", false],
  ['(text: string) => table[text] ?? null', false],
  ['(place: number) => [1][place]', false],
  ['(text: string) => (Object.hasOwn(open, text) ? open[text] : null)', false],
]

test('the search for keys finds keys, and nothing else', () => {
  const folder = new URL('../../platform/collections/', import.meta.url).pathname
  const files = EXAMPLES.map(
    ([code], index) =>
      [
        `${folder}example-${index}.ts`,
        `import { lookupTable } from './lookup-table.ts'
export const open: Readonly<Record<string, number>> = { a: 1 }
export const closed = { a: 1, b: 2 } as const
export const table = lookupTable({ a: 1 })
export const example = ${code}`,
      ] as const,
  )
  const found = unguardedTextKeys('', new Map(files)).map(({ file }) => file)
  for (const [index, [code, isFound]] of EXAMPLES.entries())
    expect(found.includes(`platform/collections/example-${index}.ts`), code).toBe(isFound)
}, 400_000)

test.each(INHERITED)('%s is nothing in a table, and no own value of an object', (key) => {
  expect(lookupTable({ a: 1 })[key]).toBeUndefined()
  expect(ownValue<unknown>({ a: 1 }, key)).toBeUndefined()
  expect(ownValue({ a: 1 }, 'a')).toBe(1)
  const object = new GraphQLObjectType({ name: 'A', fields: { a: { type: GraphQLString } } })
  const input = new GraphQLInputObjectType({ name: 'B', fields: { a: { type: GraphQLString } } })
  for (const fields of [object.getFields(), input.getFields(), object.toConfig().fields])
    expect(Reflect.get(fields, key)).toBeUndefined()
})
