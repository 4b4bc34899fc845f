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
      /** AWS Signature Version 4 in `Authorization`. */
      kind: z.literal('aws-sigv4'),
      region: text(),
      /** AWS service such as `lambda`, `execute-api` or `appsync`. */
      service: text(),
      /** Credentials, or a function that returns the current ones per request. */
      credentials: chosen(
        (value) => typeof value === 'function',
        fn<() => AwsCredentials | Promise<AwsCredentials>>(),
        awsCredentials,
      ),
    }),
    options({
      /** HMAC-SHA256 of the body in a header: `sha256=` and hexadecimal digits. */
      kind: z.literal('hmac'),
      secret: secret(),
      /** Header name. Default: `x-hub-signature-256`. */
      header: headerName().default('x-hub-signature-256'),
    }),
    options({
      /** HMAC-SHA256 of query and variables in the request's extensions, as Hive verifies it. */
      kind: z.literal('hmac-extension'),
      secret: secret(),
      /** Extension name. Default: `hmac-signature`. */
      extension: text().default('hmac-signature'),
    }),
  ],
  'one of { kind: "aws-sigv4" }, { kind: "hmac" } and { kind: "hmac-extension" }',
)

const TLS_VERSION = 'TLSv1.2 or TLSv1.3'

/** TLS options; files are PEM, and are read again after changes. */
const tls = options({
  /** Trusted certificate authorities, replacing the system's. */
  caFile: text('the path of a file').optional(),
  /** Client certificate (mTLS), with `keyFile`. */
  certFile: text('the path of a file').optional(),
  /** Private key of `certFile`. */
  keyFile: text('the path of a file').optional(),
  /** Passphrase of `keyFile`. */
  passphrase: text().optional(),
  /** Expected name in the certificate. Default: host of the URL. */
  servername: text('the name of a host').optional(),
  /** Minimum TLS version. Default: TLSv1.2. */
  minVersion: z.enum(['TLSv1.2', 'TLSv1.3'], TLS_VERSION).optional(),
}).refine(({ certFile, keyFile }) => (certFile === undefined) === (keyFile === undefined), {
  error: 'an object with both "certFile" and "keyFile" or neither',
})

const PROTOCOLS = ['sse', 'graphql-transport-ws', 'subscriptions-transport-ws', 'callback'] as const

/** Subscription transport of a subgraph. */
const subscriptionOptions = options({
  /**
   * `sse` (default): server-sent events of graphql-sse. `graphql-transport-ws`: WebSocket of
   * graphql-ws. `subscriptions-transport-ws`: its predecessor, as in Apollo Server 2. `callback`:
   * HTTP callback protocol.
   */
  protocol: z.enum(PROTOCOLS, `one of ${PROTOCOLS.join(', ')}`).optional(),
  /** WebSocket URL, ws or wss. Default: from the subgraph's URL. */
  url: z
    .string('a ws or wss URL')
    .refine((url) => /^wss?:$/.test(URL.parse(url)?.protocol ?? ''), 'a ws or wss URL')
    .optional(),
  /** For `callback`: URL of this process's `/callbacks` as seen from the subgraph. */
  callbackUrl: httpUrl().optional(),
  /** Which subscriptions share a WebSocket. Default: those with the same credentials. */
  socketPer: z.enum(['credentials', 'subscription'], 'credentials or subscription').optional(),
  /**
   * Interval of pings or heartbeats in seconds; a silent subgraph counts as dead. With `sse` set it
   * only for a subgraph that sends comments as often. Default: 15, none with `sse`.
   */
  heartbeatSeconds: wholeNumber(1, 3_600).optional(),
  /**
   * Maximum consecutive reconnection attempts (with `sse` only for events with ids); 0: a lost
   * connection ends its subscriptions. Default: 5.
   */
  reconnectAttempts: wholeNumber(0, 100).optional(),
}).superRefine(({ protocol, callbackUrl }, context) => {
  if (protocol === 'callback' && callbackUrl === undefined) {
    context.addIssue({ code: 'custom', path: ['callbackUrl'], message: 'an http or https URL, for callbacks' })
  }
})
export type SubgraphSubscriptionOptions = z.input<typeof subscriptionOptions>

/** Options of a subgraph over HTTP. */
export const remoteSubgraphOptions = options({
  /** URL that replaces the supergraph's; http or https, without credentials. */
  url: text('an http or https URL').optional(),
  /** Timeout of a fetch including retries, in ms. Default: 5000. */
  timeoutMilliseconds: wholeNumber(1, 60_000).optional(),
  /** How the subgraph sends the events of subscriptions. */
  subscriptions: subscriptionOptions.optional(),
  /** Header rules in both directions. Those of `allSubgraphs` apply first. */
  headers: headerOptions.optional(),
  /** Request signing. Default: none. */
  signing: signing.optional(),
  /** TLS options. Default: system's authorities, TLS 1.2 or newer, no client certificate. */
  tls: tls.optional(),
  /** Connection limits. */
  connections: options({
    /** Timeout of connecting in ms. Default: 2000, at most `timeoutMilliseconds`. */
    connectTimeoutMilliseconds: wholeNumber(1, 60_000).optional(),
    /** Timeout until response headers in ms. Default: only `timeoutMilliseconds` applies. */
    headersTimeoutMilliseconds: wholeNumber(1, 60_000).optional(),
    /** Timeout between parts of a body in ms. Default: only `timeoutMilliseconds` applies. */
    bodyTimeoutMilliseconds: wholeNumber(1, 60_000).optional(),
    /** Idle time after which a connection closes, in ms. Default: 4000. */
    keepAliveMilliseconds: wholeNumber(1, 600_000).optional(),
    /** Maximum concurrent connections. Default: 64. */
    maxConnections: wholeNumber(1, 1_024).optional(),
    /** HTTP/1.1 pipelining: requests per connection before their responses. Default: 1. */
    pipelining: wholeNumber(1, 16).optional(),
    /** Whether to use HTTP/2 when the subgraph offers it over TLS (ALPN). Default: false. */
    http2: flag().optional(),
  }).optional(),
  /** Retries of queries. */
  retries: options({
    /** Maximum retries; 0 disables them. Default: 2. */
    maxRetries: wholeNumber(0, 10).optional(),
    /** Retry budget, relative to requests of the last 10 s. Default: none. */
    budget: options({
      /** Retries per request. Default: 0.2. */
      ratio: z.number('a number from 0 to 1').min(0, 'a number from 0 to 1').max(1, 'a number from 0 to 1').default(0.2),
      /** Retries per second that are always allowed. Default: 10. */
      minimumPerSecond: wholeNumber(0, 10_000).default(10),
    }).optional(),
  }).optional(),
  /** Whether equal queries in flight of one operation are sent once. Default: true. */
  deduplication: flag().optional(),
  /**
   * Whether entity fetches that a plan begins together are sent as one query: with each entity once
   * where their selections are equal, else with several `_entities` under aliases. Default: true.
   */
  mergeFetches: flag().optional(),
  /** Sends concurrent queries of one operation as one JSON array. Default: off. */
  batching: options({
    /** Maximum queries per batch. Default: 10. */
    maxOperations: wholeNumber(2, 100).default(10),
  }).optional(),
  /**
   * Sends the SHA-256 of a query instead of its text (automatic persisted queries). Default: false.
   */
  persistedQueries: flag().optional(),
})
/** Options of a remote subgraph after validation. */
export type ValidSubgraphOptions = z.output<typeof remoteSubgraphOptions>
