import { operationFromDocument, ROUTER_SUPPORTED_SUPERGRAPH_FEATURES, Supergraph } from '@apollo/federation-internals'
import { QueryPlanner } from '@apollo/query-planner'
import { parse } from 'graphql'
import { expect, test } from 'vitest'
import { composed } from './small-graph.ts'
import { TABLES } from './tables.ts'

test('the tables reach every node of plans and every rewrite, with and without types in paths', () => {
  const reached = new Set<string>()
  for (const { subgraphs, cases, subscriptions = [] } of TABLES) {
    const supergraph = Supergraph.build(composed(subgraphs), { supportedFeatures: ROUTER_SUPPORTED_SUPERGRAPH_FEATURES })
    const planner = new QueryPlanner(supergraph, { typeConditionedFetching: true })
    for (const { query, operationName } of [...cases, ...subscriptions.map((one) => ({ ...one, operationName: undefined }))]) {
      const options = operationName === undefined ? {} : { operationName }
      notePlan(planner.buildQueryPlan(operationFromDocument(supergraph.apiSchema(), parse(query), options)))
    }
  }
  const all = ['Fetch', 'Sequence', 'Parallel', 'Flatten', 'Condition', 'Subscription', 'ValueSetter', 'KeyRenamer']
  const parts = ['requires', 'inputRewrites', 'outputRewrites', 'contextRewrites', 'ifClause', 'elseClause', 'rest']
  expect([...reached].sort()).toEqual(expect.arrayContaining([...all, ...parts, '@|[T]', 'field|[T]']))

  function notePlan(node: unknown): void {
    if (Array.isArray(node)) for (const element of node) notePlan(element)
    if (typeof node === 'string' && node.includes('|[')) reached.add(node.startsWith('@') ? '@|[T]' : 'field|[T]')
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return
    for (const [key, value] of Object.entries(node)) {
      if (key === 'kind') reached.add(String(value))
      else if (value !== undefined) reached.add(key)
      notePlan(value)
    }
  }
})

test('there are enough tables and cases', () => {
  expect(
    TABLES.reduce((sum, { cases, subscriptions = [] }) => sum + cases.length + subscriptions.length, 0),
  ).toBeGreaterThanOrEqual(80)
})
