import type { GatewayClient } from '../gateway/client.ts'
import { httpLink } from '../gateway/http-link.ts'
import type { Link } from '../gateway/link.ts'
import { localLink } from '../gateway/local-link.ts'
import type { ReadinessCheck } from '../gateway/server.ts'
import { remoteDoor } from '../gateway/split/remote-door.ts'
import { signer } from '../gateway/split/signature.ts'
import { linkSecretsOf, locationsOf } from '../gateway/split/variables.ts'
import { resources } from '../rest-facade/store/resources.ts'
import type { Door } from '../subgraphs/runtime/door.ts'
import type { Defer } from '../subgraphs/runtime/program.ts'
import type { Subgraph } from '../subgraphs/runtime/subgraph.ts'
import { OAUTH_ROUTES } from '../subgraphs/store/oauth/door.ts'
import { type AtriumConfig, type Making, STARTED } from './subgraphs.ts'

/** The subgraphs as a gateway reaches them, and what of them its process answers for. */
export type Graph = {
  readonly links: readonly Link[]
  readonly checks: readonly ReadinessCheck[]
  /** What clients ask the store beside the graph; null for nothing. */
  readonly door: Door | null
  /** Listeners to events in this process. */
  readonly listeners: () => number
  readonly jobs?: Subgraph['jobs']
  /** Called when the graph can be asked. */
  readonly begin: (client: GatewayClient) => Promise<void>
  /** Called when this process listens: subgraphs begin what they do unasked. */
  readonly start: () => void
}

/** All subgraphs, in this process. */
export async function graphInside(making: Making): Promise<Graph> {
  const directory = await STARTED.directory(making)
  const social = await STARTED.social(making)
  const store = await STARTED.store(making)
  const trust = await STARTED.trust(making)
  const subgraphs: readonly Subgraph[] = [directory, social, store, trust]
  return {
    links: subgraphs.map(localLink),
    checks: subgraphs.map(({ name, ready }) => ({ name, check: ready })),
    door: store.door ?? null,
    listeners: () => subgraphs.reduce((sum, { listeners }) => sum + (listeners?.() ?? 0), 0),
    jobs: store.jobs,
    begin: async (client) => making.defer(await store.deliverWebhooks(await resources(client))),
    start() {
      for (const { start } of subgraphs) start?.()
    },
  }
}

/** All subgraphs, each in processes of its own. */
export function graphOutside(config: AtriumConfig, { log, defer }: Pick<Making, 'log'> & { readonly defer: Defer }): Graph {
  const locations = locationsOf(config)
  const sign = signer(linkSecretsOf(config), Date.now)
  const timeoutMilliseconds = config.SUBGRAPH_TIMEOUT_MILLISECONDS
  const links = locations.map(({ name, url }) => httpLink({ name, url: `${url}/graphql`, timeoutMilliseconds, log, sign }))
  const store = remoteDoor(OAUTH_ROUTES, { url: locations.find(({ name }) => name === 'store')?.url ?? '', sign })
  defer(async () => {
    await Promise.all([...links.map((link) => link.close()), store.close()])
  })
  return {
    links,
    checks: [{ name: 'subgraphs', check: (signal) => someReady(locations, signal) }],
    door: store.door,
    listeners: () => 0,
    begin: async () => {},
    start: () => {},
  }
}

/** A gateway is of use as long as it reaches any subgraph: what the others would have said is null, with an error that says why. */
async function someReady(
  locations: readonly { readonly name: string; readonly url: string }[],
  signal: AbortSignal,
): Promise<{ readonly degraded: readonly string[] }> {
  const answers = await Promise.all(
    locations.map(async ({ name, url }) => {
      const isReady = await fetch(`${url}/ready`, { signal }).then(
        ({ ok }) => ok,
        () => false,
      )
      return { name, isReady }
    }),
  )
  if (!answers.some(({ isReady }) => isReady)) throw new Error('No subgraph is ready.')
  return { degraded: answers.filter(({ isReady }) => !isReady).map(({ name }) => name) }
}
