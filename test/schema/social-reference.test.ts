import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildSchema,
  type DocumentNode,
  type EnumTypeDefinitionNode,
  type InputObjectTypeDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  printSchema,
  type UnionTypeDefinitionNode,
} from 'graphql'
import { expect, test } from 'vitest'
import { apiSchemaOf } from '../../gateway/planning/composition.ts'

const ROOT = join(import.meta.dirname, '../..')
const reference = parse(readFileSync(join(import.meta.dirname, 'social-reference.graphql'), 'utf8'))
const served = apiSchemaOf(readFileSync(join(ROOT, 'schema/supergraph.graphql'), 'utf8'))

/**
 * Everything that a client of the reference can rely on, a sentence each: `Query.user: User!`,
 * `enum Role: USER | ADMIN`.
 */
function promisesOf(document: DocumentNode): string[] {
  return document.definitions.flatMap((definition) => {
    switch (definition.kind) {
      case Kind.OBJECT_TYPE_DEFINITION:
        return fieldsOf(definition)
      case Kind.INPUT_OBJECT_TYPE_DEFINITION:
        return inputOf(definition)
      case Kind.ENUM_TYPE_DEFINITION:
        return [enumOf(definition)]
      case Kind.UNION_TYPE_DEFINITION:
        return [unionOf(definition)]
      default:
        throw new Error(`Expected only types in the reference, got ${definition.kind}.`)
    }
  })
}

const sortedNames = (nodes: readonly { readonly name: { readonly value: string } }[] = []): string =>
  nodes
    .map(({ name }) => name.value)
    .sort()
    .join(' | ')

const typed = ({ name, type, defaultValue }: InputValueDefinitionNode): string =>
  `${name.value}: ${print(type)}${defaultValue ? ` = ${print(defaultValue)}` : ''}`

const fieldsOf = ({ name, fields = [] }: ObjectTypeDefinitionNode): string[] =>
  fields.map(
    (field) => `${name.value}.${field.name.value}(${(field.arguments ?? []).map(typed).sort().join(', ')}): ${print(field.type)}`,
  )
const inputOf = ({ name, fields = [] }: InputObjectTypeDefinitionNode): string[] => [
  ...fields.map((field) => `${name.value}.${typed(field)}`),
  `input ${name.value} needs: ${sortedNames(fields.filter(({ type, defaultValue }) => type.kind === Kind.NON_NULL_TYPE && !defaultValue))}`,
]
const enumOf = ({ name, values = [] }: EnumTypeDefinitionNode): string => `enum ${name.value}: ${sortedNames(values)}`
const unionOf = ({ name, types = [] }: UnionTypeDefinitionNode): string => `union ${name.value}: ${sortedNames(types)}`

/**
 * What of the reference `sdl` does not promise in the same words; arguments, enum values and
 * members must be the same, fields may be more.
 */
function broken(sdl: string): string[] {
  const names = new Set(reference.definitions.flatMap((definition) => ('name' in definition ? [definition.name?.value] : [])))
  const definitions = parse(sdl).definitions.filter((definition) => 'name' in definition && names.has(definition.name?.value))
  const current = new Set(promisesOf({ kind: Kind.DOCUMENT, definitions }))
  return promisesOf(reference).filter((promise) => !current.has(promise))
}

test('every type, field, argument, default, nullability, enum value and member of the reference is served as it is written there', () => {
  expect(promisesOf(reference).length).toBe(50)
  expect(broken(served)).toEqual([])
})

const without = (text: string, replacement: string) => {
  const changed = printSchema(buildSchema(served)).replace(text, replacement)
  expect(changed).not.toBe(printSchema(buildSchema(served)))
  return broken(changed)
}

test.each([
  ['a type that changes', '  role: Role!', '  role: Role', ['User.role(): Role!']],
  [
    'a default that changes',
    'limit: Int = 10',
    'limit: Int = 20',
    expect.arrayContaining([expect.stringMatching(/limit: Int = 10/)]),
  ],
  ['a new enum value', '  MODERATOR\n', '  MODERATOR\n  ROBOT\n', ['enum Role: ADMIN | MODERATOR | USER']],
  [
    'a new member',
    'union UpdateUserPayload =',
    'union UpdateUserPayload = CreateUserPayload |',
    ['union UpdateUserPayload: NotFoundError | UpdateUserSuccess | ValidationError'],
  ],
  [
    'a newly required input',
    'the user exists but cannot sign in."""\n  password: String\n',
    'the user exists but cannot sign in."""\n  password: String!\n',
    ['input CreateUserInput needs: email | name'],
  ],
])('%s is found', (_, text, replacement, found) => {
  expect(without(text, replacement)).toEqual(found)
})

const SPECIFICATION = join(ROOT, '../shared/spec/002_067dea201f557dfe.txt')
test.skipIf(!existsSync(SPECIFICATION))('the reference holds every row of the specification (skipped without ../shared)', () => {
  const text = readFileSync(SPECIFICATION, 'utf8')
  const rows = text.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  const operations = rows.filter(
    ([, kind = '', name = '']) => /^(Query|Mutation|Subscription)$/.test(kind) && /^[a-z]/.test(name),
  )
  expect(operations.length).toBe(10)
  const promised = new Set(promisesOf(reference))
  const stated = operations.map(([, kind, name, list = '', result = '']) => {
    const given = list === 'none' ? [] : list.split(',').map((one) => one.trim().replace(/^(\w+) ([^=]+?)( = .+)?$/, '$1: $2$3'))
    return `${kind}.${name}(${given.sort().join(', ')}): ${result.replace(/ \(.*$/, '')}`
  })
  expect(stated.filter((promise) => !promised.has(promise))).toEqual([])
  const types = rows.filter(([, , kind = '']) => /^(enum|object|input|union)$/.test(kind))
  expect(types).toHaveLength(16)
  // "id ID!, posts(limit: Int = 10) [Post!]!": fields are only listed where the specification knows
  // their types.
  const fields = types.flatMap(([, type, kind, list = '']) =>
    kind === 'object' && type !== 'Error'
      ? list.split(/,\s*(?![^(]*\))/).map((field) => field.replace(/^(\w+)(?:\((.*)\))? (.+)$/, `${type}.$1($2): $3`))
      : [],
  )
  expect(fields).toHaveLength(29)
  expect(fields.filter((promise) => !promised.has(promise))).toEqual([])
})
