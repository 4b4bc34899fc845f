import { GetSkillDocument, ListSkillsDocument } from '#generated/operations.ts'
import { route } from '../../http/route.ts'
import { exactly, listParameters, words } from '../parameters.ts'
import { MEANING, SPELLING } from './source.ts'

export const skillRoutes = [
  route({
    on: 'GET /api/skills',
    run: ListSkillsDocument,
    parameters: {
      q: words,
      category: exactly,
      source: { kind: 'enum', values: ['built-in', 'optional', 'community', 'plugin', 'mcp'] },
      ...listParameters,
    },
    variables: ({ query }) => ({ ...query, source: query.source && MEANING[query.source] }),
    page: ({ page }) => ({
      total: page.total,
      results: page.edges.map(({ node }) => ({ ...node, source: SPELLING[node.source] })),
    }),
  }),
  route({
    on: 'GET /api/skills/{slug}',
    run: GetSkillDocument,
    variables: ({ path }) => path,
    body: ({ skill }) => skill && { ...skill, source: SPELLING[skill.source] },
  }),
]
