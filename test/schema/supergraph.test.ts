import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
  parse,
} from 'graphql'
import { expect, test } from 'vitest'
import { apiSchemaOf, breakingChanges, compose } from '../../gateway/planning/composition.ts'

const ROOT = join(import.meta.dirname, '../..')
const SUBGRAPHS = ['directory', 'social', 'store', 'trust'] as const

const sdlOf = (name: string) =>
  globSync(`schema/${name}/*.graphql`, { cwd: ROOT })
    .sort()
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n')
const compositionOf = (change: (sdl: string) => string = (sdl) => sdl) =>
  compose(SUBGRAPHS.map((name) => ({ name, typeDefs: parse(change(sdlOf(name))) })))
const committed = readFileSync(join(ROOT, 'schema/supergraph.graphql'), 'utf8')

/** Every type, field, argument, input field and enum value of a schema without a description. */
function undescribed(sdl: string): string[] {
  const schema = buildSchema(sdl)
  const found: string[] = []
  const look = (name: string, thing: { description?: string | null | undefined }) => {
    if (!thing.description?.trim()) found.push(name)
  }
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__') || isSpecifiedScalarType(type)) continue
    look(type.name, type)
    if (isEnumType(type)) for (const value of type.getValues()) look(`${type.name}.${value.name}`, value)
    if (isInputObjectType(type)) for (const field of Object.values(type.getFields())) look(`${type.name}.${field.name}`, field)
    if (isObjectType(type) || isInterfaceType(type)) {
      for (const field of Object.values(type.getFields())) {
        look(`${type.name}.${field.name}`, field)
        for (const argument of field.args) look(`${type.name}.${field.name}(${argument.name}:)`, argument)
      }
    }
  }
  for (const directive of schema.getDirectives()) if (!isSpecifiedDirective(directive)) look(`@${directive.name}`, directive)
  return found
}

test('every type, field, argument and enum value that a client sees is described', () => {
  expect(undescribed(apiSchemaOf(committed))).toEqual([])
})

test('a missing description is found', () => {
  expect(undescribed('type Query { "a" a("b" b: Int, c: Int): E } "e" enum E { X }')).toEqual(['Query', 'Query.a(c:)', 'E.X'])
})

test('the committed supergraph is what composition gives: run `npm run generate` after a change of the schema', () => {
  expect(compositionOf() === committed).toBe(true)
})

test('no change breaks clients without `npm run generate -- --breaking` saying so', () => {
  expect(breakingChanges(committed, compositionOf())).toEqual([])
})

test('a field that goes is a breaking change', () => {
  const without = compositionOf((sdl) =>
    sdl.replace(/ {2}"True when the server does not work without it."\n {2}required: Boolean!\n/, ''),
  )
  expect(breakingChanges(committed, without)).toEqual(['EnvVar.required was removed.'])
})
