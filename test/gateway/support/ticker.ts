import { buildSubgraphSchema } from '@apollo/subgraph'
import { GraphQLError, parse } from 'graphql'
import { type Gateway, startGateway } from '../../../gateway/gateway.ts'
import type { Budget } from '../../../gateway/limits/budget.ts'
import { DEFAULT_LIMITS, type Limits } from '../../../gateway/limits/limits.ts'
import { type SubscriptionSlots, subscriptionSlots } from '../../../gateway/limits/subscription-slots.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import type { Subgraph } from '../../../platform/graphql/subgraph.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { composeOnce } from './compose.ts'
import { recordingLog } from './graph.ts'

export const TICKER_SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@tag", "@listSize"])
  type Query { now: Int! later(milliseconds: Int!): Int! }
  type Mutation { tick(text: String): Int! }
  type Subscription { ticked(channel: String! = "main"): Tick! refused: Tick! failing: Tick! many(first: Int!): [Tick!]! @listSize(slicingArguments: ["first"]) }
  type Tick { number: Int! text: String! thing: Thing! mine: String @tag(name: "viewer") }
  type Thing @key(fields: "id") { id: ID! }
`
export const LABEL_SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
  type Query { labels: Int! }
  type Thing @key(fields: "id") { id: ID! label: String! described(language: String!): Description }
  type Description { text: String! }
`

type Tick = { readonly number: number; readonly text: string }

/**
 * A graph of two subgraphs, one of which ticks: its source is a plain queue, and everything that
 * happens is counted.
 */
export type Ticker = {
  readonly gateway: Gateway
  /** Tells everybody who listens to `channel`, and everybody is told the same object. */
  readonly tick: (text?: string, channel?: string) => number
  /** Iterators that are open now. */
  readonly listening: () => number
  /**
   * How often a field of an event was worked out: `text` by the ticking subgraph, `label` by the
   * other one, `mine` for a caller.
   */
  readonly worked: { text: number; label: number; mine: number }
  /** The parts, to be served over HTTP instead. */
  readonly subgraphs: readonly Subgraph[]
  readonly supergraphSdl: string
  /** The supergraph with addresses of the parts. */
  readonly sdlAt: (urls: { readonly ticking: string; readonly labels: string }) => string
  readonly lines: readonly Record<string, unknown>[]
}

export async function startTicker(
  limits: Limits = DEFAULT_LIMITS,
  budget: Budget | null = null,
  slots: SubscriptionSlots = subscriptionSlots(),
): Promise<Ticker> {
  const worked = { text: 0, label: 0, mine: 0 }
  const sources = new Map<string, Set<(event: Tick) => void>>()
  let number = 0
  let open = 0

  function tick(text = '', channel = 'main'): number {
    const event: Tick = Object.freeze({ number: ++number, text })
    for (const push of sources.get(channel) ?? []) push(event)
    return number
  }

  function listen(channel: string): AsyncIterableIterator<Tick> {
    const waiting: Tick[] = []
    let wake: ((result: IteratorResult<Tick>) => void) | null = null
    let isOpen = true
    const push = (event: Tick) => {
      if (wake) wake({ done: false, value: event })
      else waiting.push(event)
      wake = null
    }
    const channelSources = sources.get(channel) ?? new Set()
    sources.set(channel, channelSources.add(push))
    open++
    const iterator: AsyncIterableIterator<Tick> = {
      async next() {
        const event = waiting.shift()
        if (event) return { done: false, value: event }
        if (!isOpen) return { done: true, value: undefined }
        return new Promise((resolve) => {
          wake = resolve
        })
      },
      async return() {
        if (isOpen) open--
        isOpen = false
        channelSources.delete(push)
        wake?.({ done: true, value: undefined })
        return { done: true, value: undefined }
      },
      [Symbol.asyncIterator]: () => iterator,
    }
    return iterator
  }

  const ticking: Subgraph = {
    name: 'ticking',
    schema: buildSubgraphSchema([
      {
        typeDefs: parse(TICKER_SDL),
        resolvers: {
          Query: {
            now: () => number,
            later: (_: unknown, { milliseconds }: { milliseconds: number }) =>
              new Promise((resolve) => setTimeout(resolve, milliseconds, number)),
          },
          Mutation: { tick: (_: unknown, { text }: { text?: string }) => tick(text) },
          Subscription: {
            ticked: {
              subscribe: (_: unknown, { channel }: { channel: string }) => listen(channel),
              resolve: (event: Tick) => event,
            },
            refused: {
              subscribe: () => {
                throw new GraphQLError('Expected a better day.', { extensions: { code: 'FORBIDDEN' } })
              },
            },
            failing: {
              async *subscribe() {
                yield { number: 1, text: 'first' }
                throw new Error('password=hunter2')
              },
              resolve: (event: Tick) => event,
            },
            many: { subscribe: () => listen('many'), resolve: (event: Tick) => [event] },
          },
          Tick: {
            text: ({ text }: Tick) => {
              worked.text++
              if (text === 'broken') throw new Error('password=hunter2')
              return text
            },
            thing: ({ number }: Tick) => ({ id: String(number) }),
            mine: (_: Tick, __: unknown, { caller }: { caller: Caller }) => {
              worked.mine++
              return caller.credentials.authorization ?? null
            },
          },
        } as never,
      },
    ]),
    context: (caller) => ({ caller }),
    ready: async () => {},
    close: async () => {},
  }
  const labels: Subgraph = {
    name: 'labels',
    schema: buildSubgraphSchema([
      {
        typeDefs: parse(LABEL_SDL),
        resolvers: {
          Query: { labels: () => 0 },
          Thing: {
            __resolveReference: ({ id }: { id: string }) => ({ id }),
            label: ({ id }: { id: string }) => {
              worked.label++
              return `Label ${id}`
            },
            described: (_: unknown, { language }: { language: string }) => (language === 'none' ? null : { text: language }),
          },
        },
      },
    ]),
    context: (caller) => ({ caller }),
    ready: async () => {},
    close: async () => {},
  }

  const { log, lines } = recordingLog()
  const sdlAt = (urls: { readonly ticking?: string; readonly labels?: string }) =>
    composeOnce([
      { name: 'ticking', typeDefs: parse(TICKER_SDL), ...(urls.ticking && { url: urls.ticking }) },
      { name: 'labels', typeDefs: parse(LABEL_SDL), ...(urls.labels && { url: urls.labels }) },
    ])
  const supergraphSdl = sdlAt({})
  const gateway = await startGateway({ supergraphSdl, links: [ticking, labels].map(createLocalLink), limits, budget, slots, log })
  return { gateway, subgraphs: [ticking, labels], supergraphSdl, sdlAt, tick, listening: () => open, worked, lines }
}
