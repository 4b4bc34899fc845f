import type { SchemaPageQuery, SchemaTypeFragment } from '#generated/operations.ts'
import { nameOf } from './signature.ts'

type Schema = SchemaPageQuery['__schema']
type Field = NonNullable<SchemaTypeFragment['fields']>[number]

/** Leaves that an example selects at most. */
const MAX_LEAVES = 8

const isRequired = ({ type, defaultValue }: Field['args'][number]): boolean => type.kind === 'NON_NULL' && defaultValue === null

/** `[ID!]!`, as a document has it. */
function written({ kind, name, ofType }: Field['type']): string {
  // Lists of lists do not occur, so what is inside has the same form.
  const inner = ofType ? written(ofType as Field['type']) : ''
  if (kind === 'NON_NULL') return `${inner}!`
  return kind === 'LIST' ? `[${inner}]` : (name ?? '')
}

/**
 * A query that reads a type by the first root field that returns it, or pages of it. What the field
 * requires are variables. Null for types that no root field returns, and for those without leaves.
 */
export function exampleQuery(type: SchemaTypeFragment, { types, queryType }: Schema): string | null {
  const byName = new Map(types.map((each) => [each.name, each]))
  const root = byName.get(queryType.name)
  const leaves = (type.fields ?? [])
    .filter((field) => ['SCALAR', 'ENUM'].includes(byName.get(nameOf(field.type))?.kind ?? '') && !field.args.some(isRequired))
    .slice(0, MAX_LEAVES)
    .map(({ name }) => name)
  if (leaves.length === 0 || type.name === queryType.name) return null
  const fields = root?.fields ?? []
  const direct = fields.find((field) => nameOf(field.type) === type.name)
  const paged = fields.find((field) => pathToNodes(byName.get(nameOf(field.type)), byName) === type.name)
  const field = direct ?? paged
  if (field === undefined) return null
  const required = field.args.filter(isRequired)
  const first = field === paged && field.args.some(({ name }) => name === 'first') ? ['first: 5'] : []
  const passed = [...required.map(({ name }) => `${name}: $${name}`), ...first]
  const variables = required.map((argument) => `$${argument.name}: ${written(argument.type)}`)
  const selected = field === direct ? leaves : ['edges {', '  node {', ...leaves.map((leaf) => `    ${leaf}`), '  }', '}']
  return [
    `query Example${variables.length > 0 ? `(${variables.join(', ')})` : ''} {`,
    `  ${field.name}${passed.length > 0 ? `(${passed.join(', ')})` : ''} {`,
    ...selected.map((line) => `    ${line}`),
    '  }',
    '}',
  ].join('\n')
}

/** The type of the nodes of a connection; null: it is none. */
function pathToNodes(
  connection: SchemaTypeFragment | undefined,
  byName: ReadonlyMap<string | null, SchemaTypeFragment>,
): string | null {
  const edges = connection?.fields?.find(({ name }) => name === 'edges')
  const node = edges && byName.get(nameOf(edges.type))?.fields?.find(({ name }) => name === 'node')
  return node ? nameOf(node.type) : null
}
