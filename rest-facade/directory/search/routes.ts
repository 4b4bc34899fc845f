import { type DirectoryKind, SearchDirectoryDocument } from '#generated/operations.ts'
import { route } from '../../http/route.ts'
import { withKnownFacts } from '../known-facts.ts'
import {
  exactText,
  LOCATIONS,
  licenseParameter,
  SORT_ORDERS,
  searchText,
  serverParameters,
  sortParameter,
} from '../parameters.ts'

/** Kinds that the filter `type` selects; null is every kind. */
const KINDS = {
  mcp: ['MCP_SERVER'],
  skill: ['SKILL'],
  plugin: ['PLUGIN'],
  all: null,
} as const satisfies Readonly<Record<string, readonly DirectoryKind[] | null>>

/** Kinds in results. They differ from the filter's, and clients depend on both. */
const TYPES: Readonly<Record<DirectoryKind, string>> = { MCP_SERVER: 'mcp_server', PLUGIN: 'plugin', SKILL: 'skill' }

export const searchRoutes = [
  route({
    on: 'GET /api/search',
    run: SearchDirectoryDocument,
    parameters: {
      q: { ...searchText, required: true },
      type: { kind: 'enum', values: ['mcp', 'skill', 'plugin', 'all'], default: 'all' },
      limit: { kind: 'integer', min: 1, max: 25, default: 10 },
      sort: sortParameter,
      official: { kind: 'boolean' },
      ...serverParameters,
      tag: exactText,
      owner: exactText,
      license: licenseParameter,
    },
    variables: ({ query: { q, type, limit, sort, location, ...filter } }) => ({
      q,
      kinds: KINDS[type],
      limit,
      sort: sort && SORT_ORDERS[sort],
      filter: { ...filter, location: location && LOCATIONS[location] },
    }),
    body: ({ search }, { query }) => ({
      query: query.q,
      type: query.type,
      count: search.edges.length,
      results: search.edges.map(({ node }) => ({ ...withKnownFacts(node), type: TYPES[node.type] })),
    }),
  }),
]
