import { GetMcpServerDocument, GetMcpServerFeaturesDocument, ListMcpServersDocument } from '#generated/operations.ts'
import { route } from '../../http/route.ts'
import { withKnownFacts } from '../known-facts.ts'
import {
  exactText,
  LOCATIONS,
  licenseParameter,
  listParameters,
  SORT_ORDERS,
  searchText,
  serverParameters,
  sortParameter,
} from '../parameters.ts'
import { featuresBody } from './features.ts'

export const mcpServerRoutes = [
  route({
    on: 'GET /api/mcp',
    run: ListMcpServersDocument,
    parameters: {
      q: searchText,
      category: exactText,
      official: { kind: 'boolean' },
      sort: sortParameter,
      ...serverParameters,
      tag: exactText,
      owner: exactText,
      license: licenseParameter,
      ...listParameters,
    },
    variables: ({ query: { sort, location, ...query } }) => ({
      ...query,
      sort: sort && SORT_ORDERS[sort],
      location: location && LOCATIONS[location],
    }),
    page: ({ page }) => ({ total: page.total, results: page.edges.map(({ node }) => withKnownFacts(node)) }),
  }),
  route({
    on: 'GET /api/mcp/{owner}/{repo}',
    run: GetMcpServerDocument,
    variables: ({ path }) => path,
    body: ({ mcpServer }) => mcpServer && withKnownFacts(mcpServer),
  }),
  route({
    on: 'GET /api/mcp/{owner}/{repo}/features',
    run: GetMcpServerFeaturesDocument,
    variables: ({ path }) => path,
    body: ({ mcpServer }) => mcpServer && featuresBody(mcpServer.features),
  }),
]
