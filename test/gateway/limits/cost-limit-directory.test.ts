import { buildSchema, type OperationDefinitionNode, parse } from 'graphql'
import { expect, test } from 'vitest'
import { builtInSupergraph } from '../../../composition/built-in-supergraph.ts'
import { compileCostModel } from '../../../gateway/limits/cost-limit.ts'
import { readCostWeights } from '../../../gateway/limits/cost-weights.ts'
import { apiSchemaOf } from '../../../gateway/planning/composition.ts'

const WHOLE = `owner repo title description category official tags stars transport installCommand
  installations { command transport } envVars { name required secret description } url docsUrl repoUrl deprecated
  provenance { field source path } createdAt updatedAt`

test('a page of 25 whole servers stays within the usual limit of 1,000', () => {
  const { supergraphSdl } = builtInSupergraph()
  const document = parse(`{ mcpServers(first: 25) { totalCount edges { node { ${WHOLE} } } } }`)
  // The document above has one operation.
  const operation = document.definitions[0] as OperationDefinitionNode
  const model = compileCostModel(
    buildSchema(apiSchemaOf(supergraphSdl)),
    readCostWeights(parse(supergraphSdl)),
    document,
    operation,
  )
  expect(model.cost({})).toBeLessThan(1_000)
  expect(model.cost({})).toBeGreaterThan(25)
})
