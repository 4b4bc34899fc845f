import { subgraphUrlProblem } from '../planning/subgraph-url.ts'
import { subgraphLocations } from '../planning/supergraph.ts'
import type { ServiceEndpoint, SubgraphDataSource } from './gateway-interface.ts'
import { RemoteGraphQLDataSource } from './remote-data-source.ts'

/** Creates the data source of a subgraph. */
export type BuildService = (service: ServiceEndpoint) => SubgraphDataSource

/** Data sources of a gateway, one per name and URL. */
export type DataSources = {
  /** Returns the data source of a subgraph, created on first use. Throws for an invalid URL. */
  readonly get: BuildService
  readonly close: (service: ServiceEndpoint) => Promise<void>
  readonly closeAll: () => Promise<void>
  /** Rejects unless every subgraph of the supergraph responds to `{ __typename }`. */
  readonly checkHealth: (supergraphSdl: string) => Promise<void>
}

/** Creates data sources on demand. */
export function createDataSources(buildService: BuildService): DataSources {
  const sources = new Map<string, SubgraphDataSource>()
  return {
    get,
    async close(service) {
      const key = keyOf(service)
      const source = sources.get(key)
      sources.delete(key)
      await source?.close?.()
    },
    async closeAll() {
      const all = [...sources.values()]
      sources.clear()
      await Promise.all(all.map((source) => source.close?.()))
    },
    async checkHealth(supergraphSdl) {
      await Promise.all(
        subgraphLocations(supergraphSdl).map(async (service) => {
          const request = { query: '{ __typename }' }
          const { errors = [] } = await get(service).process({ kind: 'health check', request, context: {} })
          if (errors.length > 0) throw new Error(`The subgraph "${service.name}" is not healthy: ${errors[0]?.message}`)
        }),
      )
    },
  }

  function get(service: ServiceEndpoint): SubgraphDataSource {
    const { name, url = '' } = service
    const key = keyOf(service)
    const known = sources.get(key)
    if (known) return known
    const source = buildService({ name, url })
    if (source instanceof RemoteGraphQLDataSource) {
      source.url ||= url
      source.name ||= name
      const problem = subgraphUrlProblem(source.url)
      if (problem !== null) throw new Error(`The subgraph "${name}" is at ${problem}`)
    }
    sources.set(key, source)
    return source
  }
}

const keyOf = ({ name, url = '' }: ServiceEndpoint): string => JSON.stringify([name, url])

/** Data source for the URL in the supergraph; it forwards no client headers. */
export const defaultDataSource: BuildService = ({ url }) => new RemoteGraphQLDataSource({ url })
