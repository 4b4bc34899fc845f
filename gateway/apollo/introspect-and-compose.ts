import { parse } from 'graphql'
import { compose } from '../planning/composition.ts'
import type { ServiceEndpoint, SubgraphDataSource, SupergraphManager, SupergraphManagerOptions } from './gateway-interface.ts'

type HeadersInput = NonNullable<ConstructorParameters<typeof Headers>[0]>
type HeadersOf = (service: ServiceEndpoint) => HeadersInput | Promise<HeadersInput>

/** Options of `IntrospectAndCompose`, with Apollo's names. */
export type IntrospectAndComposeOptions = {
  readonly subgraphs: readonly Required<ServiceEndpoint>[]
  /** Headers of the requests for SDL. */
  readonly introspectionHeaders?: HeadersInput | HeadersOf
  /** Poll interval of the subgraphs in ms. Default: no polling. */
  readonly pollIntervalInMs?: number
  /** Whether a new supergraph is served only when all its subgraphs respond. Default: false. */
  readonly subgraphHealthCheck?: boolean
  readonly logger?: { readonly error: (message: string) => void }
}

const SDL_QUERY = 'query SubgraphSdl { _service { sdl } }'

/**
 * Composes the supergraph from the SDL of running subgraphs. The first composition must succeed;
 * when a later one fails, it is logged and the previous supergraph stays.
 */
export class IntrospectAndCompose implements SupergraphManager {
  readonly #options: IntrospectAndComposeOptions

  constructor(options: IntrospectAndComposeOptions) {
    if (options.subgraphs.length === 0) throw new Error('Expected "subgraphs" to name at least one subgraph.')
    this.#options = options
  }

  async initialize({ update, healthCheck, getDataSource }: SupergraphManagerOptions) {
    const { subgraphs, pollIntervalInMs, subgraphHealthCheck = false, logger = console } = this.#options
    const sources = subgraphs.map((service) => ({ service, source: getDataSource(service) }))
    let current = await this.#composed(sources)
    if (subgraphHealthCheck) await healthCheck(current)
    let timer: NodeJS.Timeout | undefined
    let isStopped = false
    const poll = async () => {
      try {
        const next = await this.#composed(sources)
        if (next !== current && !isStopped) {
          if (subgraphHealthCheck) await healthCheck(next)
          if (!isStopped) update(next)
          current = next
        }
      } catch (error) {
        logger.error(`The supergraph was not updated: ${error instanceof Error ? error.message : error}`)
      }
      schedule()
    }
    const schedule = () => {
      if (pollIntervalInMs !== undefined && !isStopped) timer = setTimeout(() => void poll(), pollIntervalInMs).unref()
    }
    schedule()
    return {
      supergraphSdl: current,
      cleanup: async () => {
        isStopped = true
        clearTimeout(timer)
      },
    }
  }

  async #composed(
    sources: readonly { readonly service: Required<ServiceEndpoint>; readonly source: SubgraphDataSource }[],
  ): Promise<string> {
    const { introspectionHeaders = {} } = this.#options
    const definitions = await Promise.all(
      sources.map(async ({ service, source }) => {
        const given = typeof introspectionHeaders === 'function' ? await introspectionHeaders(service) : introspectionHeaders
        return { ...service, typeDefs: parse(await sdlOf(service, source, new Headers(given))) }
      }),
    )
    return compose(definitions)
  }
}

async function sdlOf({ name, url }: Required<ServiceEndpoint>, source: SubgraphDataSource, headers: Headers): Promise<string> {
  const http = { method: 'POST', url, headers }
  const unavailable = (reason: string, cause?: unknown) =>
    new Error(`Expected the SDL of subgraph "${name}": ${reason}.`, { cause })
  const response = await source
    .process({ kind: 'loading schema', request: { query: SDL_QUERY, http }, context: {} })
    .catch((error: unknown) => {
      throw unavailable(error instanceof Error ? error.message.replace(/\.$/, '') : 'it cannot be reached', error)
    })
  const sdl: unknown = response.data?._service?.sdl
  if (typeof sdl === 'string') return sdl
  throw unavailable(response.errors?.map(({ message }) => message).join(' ') || 'it has no field _service')
}
