import {
  GetRegistryServerVersionDocument,
  ListRegistryServersDocument,
  ListRegistryServerVersionsDocument,
} from '#generated/operations.ts'
import { route } from '../../http/route.ts'
import { searchText } from '../parameters.ts'
import { registryServer } from './server-json.ts'

/** Longest text of a cursor or a time. */
const MAX_CHARACTERS = 1_000

/** The read-only API of the official MCP registry, for its clients. A server has one version here. */
export const registryRoutes = [
  route({
    on: 'GET /v0.1/servers',
    aliases: ['/v0/servers'],
    run: ListRegistryServersDocument,
    parameters: {
      limit: { kind: 'integer', min: 1, max: 100, default: 30 },
      cursor: { kind: 'text', max: MAX_CHARACTERS },
      search: searchText,
      updated_since: { kind: 'time' },
      version: { kind: 'enum', values: ['latest'] },
    },
    variables: ({ query: { updated_since, version: _, ...query } }) => ({ ...query, updatedSince: updated_since }),
    body: ({ page: { edges, pageInfo } }) => ({
      servers: edges.map(({ node }) => registryServer(node)),
      metadata: { count: edges.length, ...(pageInfo.hasNextPage && { nextCursor: pageInfo.endCursor }) },
    }),
  }),
  route({
    on: 'GET /v0.1/servers/{name}/versions',
    aliases: ['/v0/servers/{name}/versions'],
    run: ListRegistryServerVersionsDocument,
    variables: ({ path }) => path,
    body: ({ server }) => server && { servers: [registryServer(server)], metadata: { count: 1 } },
  }),
  route({
    on: 'GET /v0.1/servers/{name}/versions/{version}',
    aliases: ['/v0/servers/{name}/versions/{version}'],
    run: GetRegistryServerVersionDocument,
    variables: ({ path: { name } }) => ({ name }),
    body: ({ server }, { path: { version } }) =>
      server && (version === 'latest' || version === server.registryEntry.version) ? registryServer(server) : null,
  }),
]
