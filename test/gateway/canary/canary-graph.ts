import { buildSubgraphSchema } from '@apollo/subgraph'
import { parse } from 'graphql'
import { onTestFinished } from 'vitest'
import { type CreateGatewayOptions, createGateway } from '../../../gateway/library/create-gateway.ts'
import { type RunningServer, serveGateway } from '../../../gateway/library/serve-gateway.ts'
import { composeOnce } from '../support/compose.ts'
import { recordingLog } from '../support/graph.ts'
import { type Remote, serveRemote } from '../support/remote.ts'

export const CANARY_TOKEN = 'a-token-of-tests-0123'

const HEADER = `
  extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@composeDirective"])
    @link(url: "https://atrium.example/cacheControl/v1.0", import: ["@cacheControl"])
    @composeDirective(name: "@cacheControl")
  directive @cacheControl(maxAge: Int) on FIELD_DEFINITION | OBJECT
`
const GOODS = `${HEADER}
  type Query { goods: [Good!]! @cacheControl(maxAge: 60) plain: Int }
  type Mutation { touch: Int }
  type Good @key(fields: "id") @cacheControl(maxAge: 60) { id: ID! }`
const prices = (field: string) =>
  `${HEADER} type Good @key(fields: "id") @cacheControl(maxAge: 60) { id: ID! price: Int ${field}: Int }`

type Named = { readonly sdl: string; readonly resolvers: object }

async function serve({ sdl, resolvers }: Named): Promise<Remote> {
  const schema = buildSubgraphSchema([{ typeDefs: parse(sdl), resolvers } as never])
  const remote = await serveRemote({
    name: '',
    schema,
    context: () => ({}),
    contexts: () => 0,
    ready: async () => {},
    close: async () => {},
  })
  onTestFinished(() => void remote.server.close().closeAllConnections())
  return remote
}

const priced = (price: number, field: string): Named => ({
  sdl: prices(field),
  resolvers: {
    Good: { __resolveReference: ({ id }: { id: string }) => ({ id }), price: () => price, [field]: () => price },
  },
})

/**
 * Two supergraphs over real servers: prices are 1 in the served one, and 2 in the candidate, whose
 * prices come from another server. Field `old` is in the served one alone, `fresh` in the candidate.
 */
export async function twoSupergraphs() {
  const goods = await serve({
    sdl: GOODS,
    resolvers: { Query: { goods: () => [{ id: 'g1' }, { id: 'g2' }], plain: () => 7 }, Mutation: { touch: () => 1 } },
  })
  const [served, candidate] = [await serve(priced(1, 'old')), await serve(priced(2, 'fresh'))]
  const composed = (field: string, { url }: Remote) =>
    composeOnce([
      { name: 'goods', url: goods.url, typeDefs: parse(GOODS) },
      { name: 'prices', url, typeDefs: parse(prices(field)) },
    ])
  return {
    goods,
    prices: { served, candidate },
    supergraphs: { served: composed('old', served), candidate: composed('fresh', candidate) },
  }
}

type CanaryOptions = NonNullable<CreateGatewayOptions['canary']>

/** A gateway with a candidate, over HTTP. */
export async function aCanary(given: Partial<CanaryOptions> = {}, others: Partial<CreateGatewayOptions> = {}) {
  const graphs = await twoSupergraphs()
  const { log, lines } = recordingLog()
  const gateway = await createGateway({
    supergraph: graphs.supergraphs.served,
    canary: { supergraph: graphs.supergraphs.candidate, percent: 0, compare: false, ...given },
    log,
    ...others,
  })
  const server = await serveGateway(gateway, { port: 0, canaryToken: CANARY_TOKEN, graceSeconds: 0 })
  onTestFinished(async () => {
    await server.close()
    await gateway.close()
  })
  const { canary } = gateway
  if (!canary) throw new Error('Expected a canary.')
  return { ...graphs, gateway, canary, server, lines, ...clientOf(server) }
}

export type Answer = {
  readonly data?: { readonly goods: readonly { readonly price?: number }[] } | null
  readonly errors?: readonly { readonly message: string; readonly extensions: Readonly<Record<string, unknown>> }[]
}

/** Requests to a server, by the callers that they name. */
export function clientOf({ url }: Pick<RunningServer, 'url'>) {
  const send = (body: object, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', ...headers },
      body: JSON.stringify(body),
    })
  const post = async (query: string, headers: Record<string, string> = {}) =>
    (await (await send({ query }, headers)).json()) as Answer
  /** The price of all goods: 1 of the served supergraph, 2 of the candidate. */
  const priceFor = async (headers: Record<string, string>): Promise<unknown> => {
    const { data, errors } = await post('{ goods { price } }', headers)
    const found = new Set((data?.goods ?? []).map(({ price }) => price))
    if (errors || found.size !== 1) throw new Error(JSON.stringify({ data, errors }))
    return [...found][0]
  }
  const admin = (init: RequestInit = {}, token = CANARY_TOKEN) =>
    fetch(url.replace('/graphql', '/canary'), {
      ...init,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...init.headers },
    })
  return { send, post, priceFor, admin }
}

export const caller = (name: string | number) => ({ 'x-api-key': `key-${name}` })
