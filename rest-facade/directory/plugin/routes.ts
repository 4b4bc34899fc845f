import { GetPluginDocument, ListPluginsDocument } from '#generated/operations.ts'
import { route } from '../../http/route.ts'
import { withKnownFacts } from '../known-facts.ts'
import { exactText, licenseParameter, listParameters, searchText } from '../parameters.ts'

export const pluginRoutes = [
  route({
    on: 'GET /api/plugins',
    run: ListPluginsDocument,
    parameters: { q: searchText, category: exactText, ecosystem: exactText, license: licenseParameter, ...listParameters },
    variables: ({ query }) => query,
    page: ({ page }, { query }) => ({
      total: page.total,
      // A plugin made for several agents is listed under the requested one.
      results: page.edges.map(({ node }) => ({ ...withKnownFacts(node), ecosystem: query.ecosystem ?? node.ecosystem })),
    }),
  }),
  route({
    on: 'GET /api/plugins/{marketplace}/{plugin}',
    run: GetPluginDocument,
    variables: ({ path }) => path,
    body: ({ plugin }) => plugin && withKnownFacts(plugin),
  }),
]
