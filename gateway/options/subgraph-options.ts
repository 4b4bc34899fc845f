import { z } from 'zod'
import { httpUrl, options, text, wholeNumber } from './validate-options.ts'

const PROTOCOLS = ['sse', 'graphql-transport-ws', 'subscriptions-transport-ws', 'callback'] as const

/** How subscriptions reach the gateway from a subgraph. */
const subscriptionOptions = options({
  /**
   * `sse`: event streams of graphql-sse, the default. `graphql-transport-ws`: WebSockets of
   * graphql-ws. `subscriptions-transport-ws`: its predecessor, as in Apollo Server 2. `callback`: the subgraph calls the gateway.
   */
  protocol: z.enum(PROTOCOLS, `one of ${PROTOCOLS.join(', ')}`).optional(),
  /** URL of the WebSockets; ws or wss. Default: that of the subgraph. */
  url: z
    .string('a ws or wss URL')
    .refine((url) => /^wss?:$/.test(URL.parse(url)?.protocol ?? ''), 'a ws or wss URL')
    .optional(),
  /** With `callback`: the URL under which the subgraph reaches `/callbacks` of this process. */
  callbackUrl: httpUrl().optional(),
  /** Which subscriptions share a WebSocket. Default: those with the same credentials. */
  socketPer: z.enum(['credentials', 'subscription'], 'credentials or subscription').optional(),
  /**
   * Seconds between pings, or between the calls of a subgraph; one that is silent is dead. Default:
   * 15.
   */
  heartbeatSeconds: wholeNumber(1, 3_600).optional(),
  /** Attempts in a row to connect again; 0: a lost connection ends its subscriptions. Default: 5. */
  reconnectAttempts: wholeNumber(0, 100).optional(),
}).superRefine(({ protocol, callbackUrl }, context) => {
  if (protocol === 'callback' && callbackUrl === undefined) {
    context.addIssue({ code: 'custom', path: ['callbackUrl'], message: 'an http or https URL, for callbacks' })
  }
})
export type SubgraphSubscriptionOptions = z.input<typeof subscriptionOptions>

/** A subgraph over HTTP. */
export const remoteSubgraphOptions = options({
  /** URL in place of the one in the supergraph; http or https, without credentials. */
  url: text('an http or https URL').optional(),
  /** Timeout of one fetch with its retries, in milliseconds. Default: 5000. */
  timeoutMilliseconds: wholeNumber(1, 60_000).optional(),
  subscriptions: subscriptionOptions.optional(),
})
export type RemoteSubgraphOptions = z.input<typeof remoteSubgraphOptions>
