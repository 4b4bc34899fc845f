import { z } from 'zod'
import { headerOptions } from '../headers/header-options.ts'
import type { AwsCredentials } from '../subgraph-client/request-signing.ts'
import { chosen, flag, fn, httpUrl, options, text, wholeNumber } from './validate-options.ts'

const awsCredentials = options({ accessKeyId: text(), secretAccessKey: text(), sessionToken: text().optional() })

const headerName = () => {
  const expectation = 'the name of a header in lower case that starts with x-'
  return z.string(expectation).regex(/^x-[a-z\d-]{1,98}$/, expectation)
}
const secret = () => z.string('a secret of at least 16 characters').min(16, 'a secret of at least 16 characters')

const signing = z.discriminatedUnion(
  'kind',
  [
    options({
      /** AWS Signature Version 4, as `Authorization`. */
      kind: z.literal('aws-sigv4'),
      region: text(),
      /** Such as `lambda`, `execute-api` or `appsync`. */
      service: text(),
      /** Keys, or a function that finds the present ones for each request. */
      credentials: chosen(
        (value) => typeof value === 'function',
        fn<() => AwsCredentials | Promise<AwsCredentials>>(),
        awsCredentials,
      ),
    }),
    options({
      /** HMAC-SHA256 of the body in a header, as `sha256=` with hexadecimal digits. */
      kind: z.literal('hmac'),
      secret: secret(),
      /** Default: `x-hub-signature-256`. */
      header: headerName().default('x-hub-signature-256'),
    }),
    options({
      /** HMAC-SHA256 of query and variables in the extensions of the request, as Hive's. */
      kind: z.literal('hmac-extension'),
      secret: secret(),
      /** Default: `hmac-signature`. */
      extension: text().default('hmac-signature'),
    }),
  ],
  'one of { kind: "aws-sigv4" }, { kind: "hmac" } and { kind: "hmac-extension" }',
)

const TLS_VERSION = 'TLSv1.2 or TLSv1.3'

/** TLS to a subgraph; files are PEM and are read again when they change. */
const tls = options({
  /** Authorities that are trusted in place of the system's. */
  caFile: text('the path of a file').optional(),
  /** Certificate of the gateway (mTLS), with `keyFile`. */
  certFile: text('the path of a file').optional(),
  keyFile: text('the path of a file').optional(),
  passphrase: text().optional(),
  /** Name that the certificate of the subgraph must have, in place of its host. */
  servername: text('the name of a host').optional(),
  /** Default: TLSv1.2. */
  minVersion: z.enum(['TLSv1.2', 'TLSv1.3'], TLS_VERSION).optional(),
}).refine(({ certFile, keyFile }) => (certFile === undefined) === (keyFile === undefined), {
  error: 'an object with both "certFile" and "keyFile" or neither',
})

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
  /**
   * Attempts in a row to connect again, over event streams those with ids only; 0: a lost connection
   * ends its subscriptions. Default: 5.
   */
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
  /** Header rules, both ways. Those of `allSubgraphs` come first. */
  headers: headerOptions.optional(),
  /** How requests are signed. Default: not. */
  signing: signing.optional(),
  /** TLS. Default: authorities of the system, TLS 1.2 or newer, no client certificate. */
  tls: tls.optional(),
  /** Bounds of connections. */
  connections: options({
    /** Milliseconds to connect. Default: 2000, at most `timeoutMilliseconds`. */
    connectTimeoutMilliseconds: wholeNumber(1, 60_000).optional(),
    /** Milliseconds until the head of a response. Default: `timeoutMilliseconds` alone counts. */
    headersTimeoutMilliseconds: wholeNumber(1, 60_000).optional(),
    /** Milliseconds between parts of a body. Default: `timeoutMilliseconds` alone counts. */
    bodyTimeoutMilliseconds: wholeNumber(1, 60_000).optional(),
    /** Milliseconds after which an idle connection closes. Default: 4000. */
    keepAliveMilliseconds: wholeNumber(1, 600_000).optional(),
    /** Connections at once. Default: 64. */
    maxConnections: wholeNumber(1, 1_024).optional(),
    /** Requests that a connection of HTTP/1.1 carries before their responses. Default: 1. */
    pipelining: wholeNumber(1, 16).optional(),
    /** Whether HTTP/2 is used where the subgraph offers it over TLS. Default: false. */
    http2: flag().optional(),
  }).optional(),
  /** Retries of queries. */
  retries: options({
    /** Attempts after the first; 0 retries nothing. Default: 2. */
    maxRetries: wholeNumber(0, 10).optional(),
    /** Bounds retries by the number of requests of the last ten seconds. Default: no budget. */
    budget: options({
      /** Retries per request. Default: 0.2. */
      ratio: z.number('a number from 0 to 1').min(0, 'a number from 0 to 1').max(1, 'a number from 0 to 1').default(0.2),
      /** Retries per second that are always allowed. Default: 10. */
      minimumPerSecond: wholeNumber(0, 10_000).default(10),
    }).optional(),
  }).optional(),
  /** Whether equal queries of one operation that are in flight are sent once. Default: true. */
  deduplication: flag().optional(),
  /** Sends queries of one operation that begin together as one JSON list. Default: not. */
  batching: options({
    /** Most queries in one request. Default: 10. */
    maxOperations: wholeNumber(2, 100).default(10),
  }).optional(),
  /** Sends the SHA-256 of a query in place of its text (automatic persisted queries). Default: false. */
  persistedQueries: flag().optional(),
})
/** Options of a remote subgraph, validated. */
export type ValidSubgraphOptions = z.output<typeof remoteSubgraphOptions>
