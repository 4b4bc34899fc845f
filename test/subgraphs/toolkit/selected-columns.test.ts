import { buildSchema, type GraphQLResolveInfo, graphqlSync } from 'graphql'
import { expect, test } from 'vitest'
import { selectedColumns } from '../../../subgraphs/toolkit/selected-columns.ts'

type Note = { readonly id: number; readonly text: string; readonly authorId: number; readonly at: Date }

const columnsOf = () =>
  selectedColumns<Note>({ all: ['id', 'text', 'authorId', 'at'], always: ['id', 'authorId'], besides: ['number', 'author'] })

const SCHEMA = buildSchema(`
  type Query { notes: Notes }
  type Notes { nodes: [Note] edges: [Edge] totalCount: Int pageInfo: PageInfo }
  type Edge { node: Note cursor: String }
  type PageInfo { text: String }
  type Note { id: ID number: Int text: String author: Author at: String length: Int }
  type Author { at: String }`)

/** What the resolver of a root field is told by graphql-js. */
function infoOf(source: string, field = 'notes', schema = SCHEMA): GraphQLResolveInfo {
  const seen: GraphQLResolveInfo[] = []
  const resolve = (_: unknown, __: unknown, info: GraphQLResolveInfo) => void seen.push(info)
  const { errors } = graphqlSync({ schema, source, rootValue: { [field]: resolve } })
  expect(errors).toBeUndefined()
  const [info] = seen
  if (!info) throw new Error(`Expected ${field} to be asked for.`)
  return info
}

test.each([
  [
    'nothing but what is always read',
    '{ notes { nodes { id number author { at } } totalCount pageInfo { text } } }',
    ['id', 'authorId'],
  ],
  ['what is asked for', '{ notes { nodes { at } } }', ['id', 'authorId', 'at']],
  ['under another name', '{ notes { nodes { id: at } } }', ['id', 'authorId', 'at']],
  ['of edges', '{ notes { edges { cursor node { text } } } }', ['id', 'text', 'authorId']],
  ['in two places', '{ notes { nodes { text } } notes { nodes { at } } }', ['id', 'text', 'authorId', 'at']],
  ['what may be left out', '{ notes { nodes { text @skip(if: true) } } }', ['id', 'text', 'authorId']],
  [
    'in fragments',
    '{ notes { ...A } } fragment A on Notes { nodes { ... { ...B } } } fragment B on Note { at }',
    ['id', 'authorId', 'at'],
  ],
  ['all, for a field that nothing is said of', '{ notes { nodes { length } } }', ['id', 'text', 'authorId', 'at']],
])('reads %s', (_, query, columns) => {
  expect(columnsOf().of(infoOf(query))).toEqual(columns)
})

test('equal sets of columns are one object', () => {
  const { of: by } = columnsOf()
  expect(by(infoOf('{ notes { nodes { at id } } }'))).toBe(by(infoOf('{ notes { edges { node { at number } } } }')))
})

test('the number of sets of columns is bounded: further ones read whole rows', () => {
  const columns = Array.from({ length: 50 }, (_, index) => `column${index}`)
  const schema = buildSchema(`type Query { rows: [Row] } type Row { ${columns.map((name) => `${name}: Int`).join(' ')} }`)
  const { of: by } = selectedColumns<Record<string, number>>({ all: columns, always: [], besides: [] })
  const sets = columns.map((name) => by(infoOf(`{ rows { ${name} } }`, 'rows', schema)))
  expect(sets.slice(0, 40)).toEqual(columns.slice(0, 40).map((name) => [name]))
  for (const set of sets.slice(40)) expect(set).toEqual(columns)
})

test('what an operation selects is computed once', () => {
  const { of: by } = columnsOf()
  const info = infoOf('{ notes { nodes { ...A } } } fragment A on Note { at }')
  expect(by(info)).toBe(by({ ...info, fragments: {} }))
})
