import { GetSkillDocument, ListSkillsDocument } from '#generated/operations.ts'
import { route } from '../../http/route.ts'
import { withKnownFacts } from '../known-facts.ts'
import { exactText, licenseParameter, listParameters, searchText } from '../parameters.ts'
import { REST_SOURCES, SOURCE_NAMES } from './source.ts'

export const skillRoutes = [
  route({
    on: 'GET /api/skills',
    run: ListSkillsDocument,
    parameters: {
      q: searchText,
      category: exactText,
      source: { kind: 'enum', values: ['built-in', 'optional', 'community', 'plugin', 'mcp'] },
      license: licenseParameter,
      ...listParameters,
    },
    variables: ({ query }) => ({ ...query, source: query.source && SOURCE_NAMES[query.source] }),
    page: ({ page }) => ({
      total: page.total,
      results: page.edges.map(({ node }) => ({ ...withKnownFacts(node), source: REST_SOURCES[node.source] })),
    }),
  }),
  route({
    on: 'GET /api/skills/{slug}',
    run: GetSkillDocument,
    variables: ({ path }) => path,
    body: ({ skill }) => skill && { ...withKnownFacts(skill), source: REST_SOURCES[skill.source] },
  }),
]
