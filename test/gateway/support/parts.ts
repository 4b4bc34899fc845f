import { buildSubgraphSchema } from '@apollo/subgraph'
import { parse } from 'graphql'
import { onTestFinished } from 'vitest'
import { type Gateway, type StartGatewayOptions, startGateway } from '../../../gateway/gateway.ts'
import { DEFAULT_LIMITS } from '../../../gateway/limits/limits.ts'
import type { Link } from '../../../gateway/subgraph-client/link.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import { createRemoteLink } from '../../../gateway/subgraph-client/remote-subgraph.ts'
import { composeOnce } from './compose.ts'
import { recordingLog } from './graph.ts'
import { type Remote, serveRemote } from './remote.ts'

/** A subgraph: SDL without its link to federation, and resolvers. */
export type Part = { readonly sdl: string; readonly resolvers?: object }
export type Parts = Readonly<Record<string, Part>>

/** Subgraphs in this process, or over HTTP. */
export type Where = 'local' | 'http'

const IMPORTS = [
  '@key',
  '@requires',
  '@provides',
  '@external',
  '@shareable',
  '@override',
  '@inaccessible',
  '@interfaceObject',
  '@tag',
  '@context',
  '@fromContext',
  '@composeDirective',
  '@authenticated',
  '@extends',
]
const HEADER = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ${JSON.stringify(IMPORTS)})`

/** The SDL of a part with its link to federation 2; one that links or extends nothing stays as it is. */
export const typeDefsOf = ({ sdl }: Part) => parse(sdl.includes('# federation 1') ? sdl : `${HEADER}\n${sdl}`)

export const supergraphOf = (parts: Parts): string =>
  composeOnce(Object.entries(parts).map(([name, part]) => ({ name, typeDefs: typeDefsOf(part) })))

/** A gateway over subgraphs that run until the test, or what else `finish` tells, ends. */
export type PartsGateway = {
  readonly gateway: Gateway
  /** The subgraphs of all fetches so far, in the order of their arrival. */
  readonly fetches: string[]
  /** The servers of subgraphs over HTTP. */
  readonly remotes: Readonly<Record<string, Remote>>
  readonly lines: readonly Record<string, unknown>[]
}

export async function gatewayOf(
  parts: Parts,
  where: Where,
  options: Partial<StartGatewayOptions> = {},
  finish: (close: () => Promise<void>) => void = onTestFinished,
): Promise<PartsGateway> {
  const fetches: string[] = []
  const remotes: Record<string, Remote> = {}
  const links: (Link & { readonly close?: () => Promise<void> })[] = []
  for (const [name, part] of Object.entries(parts)) {
    const schema = buildSubgraphSchema([{ typeDefs: typeDefsOf(part), resolvers: part.resolvers ?? {} } as never])
    const subgraph = { name, schema, context: () => ({}), contexts: () => 0, ready: async () => {}, close: async () => {} }
    if (where === 'http') remotes[name] = await serveRemote(subgraph)
    links.push(remotes[name] ? createRemoteLink({ name, url: remotes[name].url }) : createLocalLink(subgraph))
  }
  const { log, lines } = recordingLog()
  const gateway = await startGateway({
    supergraphSdl: supergraphOf(parts),
    links: links.map((link) => counted(link, fetches)),
    limits: DEFAULT_LIMITS,
    log,
    ...options,
  })
  finish(async () => {
    await gateway.close()
    await Promise.all(links.map((link) => link.close?.()))
    for (const { server } of Object.values(remotes)) server.close().closeAllConnections()
  })
  return { gateway, fetches, remotes, lines }
}

const counted = (link: Link, fetches: string[]): Link => ({
  ...link,
  execute(...given) {
    fetches.push(link.name)
    return link.execute(...given)
  },
})
