import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { buildSchema, Kind, type OperationDefinitionNode } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiSchemaOf } from '../../../gateway/planning/composition.ts'
import { compileRoute, operationOf } from '../../../rest-facade/store/compiled-route.ts'
import type { ContractSchema } from '../../../rest-facade/store/contract.ts'
import { storeRoutes } from '../../../rest-facade/store/routes.ts'
import { FIELD_SCOPES } from '../../subgraphs/store/support/field-scopes.ts'
import { PUBLIC_URL } from '../../subgraphs/store/support/store.ts'
import { askRaw } from '../ask.ts'
import { contract, operations, ROOM } from './contract.ts'
import { type StoreRestStack, startStoreStack } from './stack.ts'

let stack: StoreRestStack
beforeAll(async () => {
  stack = await startStoreStack()
})
afterAll(() => stack.close())

const rows = storeRoutes.map((route) => ({ route, operation: operationOf(route, operations) }))
type Documented = { operationId: string; summary?: string; tags: string[]; responses: object; 'x-extension'?: true }

test.each(['/v1/openapi.json', '/swagger.json'])(
  'at %s is the contract: valid OpenAPI 3.0, with the address of this installation',
  async (path) => {
    const { status, json, headers } = await askRaw(stack.url, path)
    expect([status, headers['content-type'], headers['access-control-allow-origin']]).toEqual([
      200,
      'application/json; charset=utf-8',
      '*',
    ])
    const { valid, errors } = await new Validator().validate(structuredClone(json))
    expect([valid, errors]).toEqual([true, undefined])
    expect([json.openapi, json.servers[0].url]).toEqual(['3.0.3', `${PUBLIC_URL}/v1`])
  },
)

test('it has the 109 published paths and 179 operations, and marked additions, each with a summary, an explained tag and its failures', () => {
  const { paths, tags } = contract as {
    paths: Record<string, Record<string, Documented>>
    tags: { name: string; description: string }[]
  }
  const all = Object.values(paths).flatMap((methods) => Object.values(methods))
  const published = Object.values(paths).filter((methods) => Object.values(methods).some((each) => !each['x-extension']))
  expect([published.length, all.filter((each) => !each['x-extension']).length]).toEqual([109, 179])
  const explained = new Set(tags.filter(({ description }) => description).map(({ name }) => name))
  for (const { operationId, summary, tags: own, responses } of all) {
    expect([operationId, typeof summary, own.filter((tag) => !explained.has(tag))]).toEqual([operationId, 'string', []])
    expect([operationId, Object.keys(responses)]).toEqual([operationId, expect.arrayContaining(['401', '429'])])
  }
})

test('every schema and every property has a description', () => {
  const undescribed: string[] = []
  const { components } = contract as { components: { schemas: Record<string, ContractSchema> } }
  for (const [name, schema] of Object.entries(components.schemas)) look(schema, name)
  expect(undescribed).toEqual([])

  // What is told by reference has the description of what it refers to.
  function look(schema: ContractSchema & { $ref?: string }, at: string): void {
    if (schema.$ref) return
    if (!schema.description && !at.endsWith('[]')) undescribed.push(at)
    for (const [name, property] of Object.entries(schema.properties ?? {})) look(property, `${at}.${name}`)
    if (schema.items) look(schema.items, `${at}[]`)
  }
})

test('every operation of the contract has a file and a row, and every file is named as its operation', () => {
  const files = readdirSync(ROOM, { withFileTypes: true, recursive: true })
    .filter(({ name, parentPath }) => name.endsWith('.graphql') && basename(parentPath) !== 'caller')
    .filter(({ parentPath, name }) => /^(query|mutation) /m.test(readFileSync(join(parentPath, name), 'utf8')))
    .map(({ name }) => basename(name, '.graphql'))
  const ids = rows.map(({ operation }) => operation.operationId)
  expect(files.sort()).toEqual([...ids].sort())
  expect(ids.sort()).toEqual([...operations.keys()].sort())
})

test('the scope of an operation covers every field that it selects', () => {
  for (const { route, operation } of rows) {
    const document = route.run.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION) as OperationDefinitionNode
    const type = document.operation === 'query' ? 'Query' : 'Mutation'
    for (const selection of document.selectionSet.selections) {
      if (selection.kind !== Kind.FIELD) throw new Error(`Expected ${operation.operationId} to select fields at the root.`)
      const demand = FIELD_SCOPES[`${type}.${selection.name.value}`]
      const scopes: readonly string[] | null = typeof demand === 'object' ? demand : null
      // The contract names no scope for the list of documents; what it lists belongs to orders.
      if (operation.operationId === 'listDocuments') continue
      const isOpen = scopes?.length === 0 || (operation.scope !== null && scopes?.includes(operation.scope))
      expect([operation.operationId, operation.scope, isOpen]).toEqual([operation.operationId, operation.scope, true])
    }
  }
})

test('rows do all that the contract documents: every key of bodies and answers, every parameter', () => {
  const schema = buildSchema(apiSchemaOf(readFileSync(join(ROOM, '../../schema/supergraph.graphql'), 'utf8')))
  const gaps = rows.flatMap(({ route, operation }) => compileRoute(route, operation, schema).gaps)
  expect(gaps).toEqual([])
})

test.each(rows.map(({ operation }) => operation))(
  '$operationId requires credentials, and describes how to send them',
  async ({ method, path }) => {
    const { status, headers, json } = await stack.ask(`${method} ${path.replaceAll(/\{\w+\}/g, '1')}`, { as: null })
    expect([status, headers['www-authenticate'], Object.keys(json)]).toEqual([
      401,
      'Basic realm="store", charset="UTF-8"',
      ['message'],
    ])
  },
)
