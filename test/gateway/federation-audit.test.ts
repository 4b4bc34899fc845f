import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { abstractThemes } from './audit/abstract.ts'
import { entityThemes } from './audit/entities.ts'
import { ownershipThemes } from './audit/ownership.ts'
import { requirementThemes } from './audit/requirements.ts'
import { ask } from './support/graph.ts'
import { gatewayOf, type PartsGateway } from './support/parts.ts'

/**
 * The themes of the public federation audit, each on a supergraph and data of our own, over
 * subgraphs in this process and over HTTP.
 */
const THEMES = [...entityThemes, ...requirementThemes, ...abstractThemes, ...ownershipThemes]

describe.each(THEMES.flatMap((theme) => (['local', 'http'] as const).map((where) => ({ ...theme, where }))))(
  '$theme, $where',
  ({ parts, cases, where }) => {
    let graph: PartsGateway
    let close = async () => {}
    beforeAll(async () => {
      graph = await gatewayOf(parts, where, {}, (closing) => {
        close = closing
      })
    })
    afterAll(() => close())

    test.each(cases)('$query', async ({ query, variables, data, errors = [] }) => {
      const answer = await ask(graph.gateway, query, variables)
      expect([answer.data, answer.errors ?? []]).toMatchObject([data ?? answer.data, errors])
      // The order of keys too, and nothing that was not asked for.
      if (data !== undefined) expect(JSON.stringify(answer.data)).toBe(JSON.stringify(data))
      else expect(answer.data).toBeUndefined()
    })
  },
)

test('there is a supergraph for every theme', () => {
  expect(new Set(THEMES.map(({ theme }) => theme)).size).toBeGreaterThanOrEqual(46)
})
