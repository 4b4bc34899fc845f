import { buildSchema, type OperationDefinitionNode, parse, validate } from 'graphql'
import { expect, test } from 'vitest'
import { COST_OPERATIONS } from '../../../bench/store/cost-operations.ts'
import { builtInSupergraph } from '../../../composition/built-in-supergraph.ts'
import { compileCostModel } from '../../../gateway/limits/cost-limit.ts'
import { readCostWeights } from '../../../gateway/limits/cost-weights.ts'
import { DEFAULT_LIMITS } from '../../../gateway/limits/limits.ts'
import { apiSchemaOf } from '../../../gateway/planning/composition.ts'

const { supergraphSdl } = builtInSupergraph()
const schema = buildSchema(apiSchemaOf(supergraphSdl))
const weights = readCostWeights(parse(supergraphSdl))

function costOf(text: string): number {
  const document = parse(text)
  expect(validate(schema, document)).toEqual([])
  // Every document of this file has one operation.
  return compileCostModel(schema, weights, document, document.definitions[0] as OperationDefinitionNode).cost({})
}

test.each(Object.entries(COST_OPERATIONS))('%s are within the usual limit', (_, query) => {
  expect(costOf(query)).toBeLessThanOrEqual(DEFAULT_LIMITS.cost)
})

test('the longest page that is offered fits with every leaf of its products', () => {
  const leaves = /nodes \{([^{}]+)\}/.exec(COST_OPERATIONS['50 products, every leaf'] ?? '')?.[1]
  expect(costOf(`{ products(first: 250) { nodes { ${leaves} } pageInfo { endCursor hasNextPage } } }`)).toBeLessThan(500)
})

test('what a page of a page reads counts for every object of both', () => {
  const nested = (first: number) => `{ customers(first: 250) { nodes { orders(first: ${first}) { nodes { lines { sku } } } } } }`
  expect(costOf(nested(250))).toBeGreaterThan(DEFAULT_LIMITS.cost * 10)
  expect(costOf(nested(2))).toBeGreaterThan(costOf(nested(1)) + 250)
})

test('every alias of a leaf counts', () => {
  const aliases = (count: number) => Array.from({ length: count }, (_, index) => `a${index}: sku`).join(' ')
  const page = (count: number) => costOf(`{ products(first: 250) { nodes { ${aliases(count)} } } }`)
  expect(page(200)).toBeGreaterThan(DEFAULT_LIMITS.cost)
})

test('an export of a customer account costs half of the usual limit', () => {
  const account = (fields: string) => costOf(`{ storefront(store: "a") { customerAccount(token: "b") { ${fields} } } }`)
  expect(account('dataExport')).toBeGreaterThanOrEqual(DEFAULT_LIMITS.cost / 2)
  expect(account('a: dataExport b: dataExport')).toBeGreaterThan(DEFAULT_LIMITS.cost)
  expect(account('a: sessionCount b: sessionCount')).toBeGreaterThan(account('sessionCount'))
})
