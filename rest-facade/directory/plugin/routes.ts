import { GetPluginDocument, ListPluginsDocument } from '#generated/operations.ts'
import { route } from '../../http/route.ts'
import { exactly, listParameters, words } from '../parameters.ts'

export const pluginRoutes = [
  route({
    on: 'GET /api/plugins',
    run: ListPluginsDocument,
    parameters: { q: words, category: exactly, ecosystem: exactly, ...listParameters },
    variables: ({ query }) => query,
    page: ({ page }) => ({ total: page.total, results: page.edges.map(({ node }) => node) }),
  }),
  route({
    on: 'GET /api/plugins/{marketplace}/{plugin}',
    run: GetPluginDocument,
    variables: ({ path }) => path,
    body: ({ plugin }) => plugin,
  }),
]
