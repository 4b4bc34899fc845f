import { z } from 'zod'
import { flag, urlWithProtocol, type Variables, wholeNumber } from '../../platform/config/config.ts'
import { proxyVariables } from '../../platform/http/trusted-proxies.ts'
import { jwtVariables } from '../authorization/variables.ts'
import { entityCacheVariables } from '../caching/variables.ts'
import { telemetryVariables } from '../observability/variables.ts'
import { splitVariables } from '../signed-link/variables.ts'
import { uploadVariables } from '../uploads/variables.ts'
import { sourceVariables } from './source-variables.ts'

/**
 * Settings shared by the standalone gateway and the full system. The root `config.ts` imports them,
 * so that defaults and descriptions exist once.
 */
export const gatewaySettings = {
  HOST: {
    read: z.string().regex(/^[\w.:-]+$/, 'a host name or an address'),
    default: '127.0.0.1',
    unit: null,
    meaning: 'Address to listen on; 0.0.0.0 listens on every one.',
  },
  PORT: {
    read: wholeNumber(0, 65_535),
    default: '4000',
    unit: null,
    meaning: 'TCP port of HTTP and WebSocket; 0 takes any free one.',
  },
  ...proxyVariables,
  SUBGRAPH_TIMEOUT_MILLISECONDS: splitVariables.SUBGRAPH_TIMEOUT_MILLISECONDS,
  // Twice a large burst of one client: about 100 MB when all requests wait for subgraphs.
  // `platform/http/load.ts` lowers it while the event loop is busy.
  LOAD_LIMIT: {
    read: wholeNumber(0, 1_000_000),
    default: '1000',
    unit: 'requests',
    meaning:
      'Requests, and operations over WebSocket, that a process runs at once; more are answered with 503, and fewer are accepted while the processor is short. 0 sets no bound.',
  },
  // 20 full sockets: an office, or a page open in every tab. Clients behind a proxy missing in
  // TRUSTED_PROXIES share one address and need more.
  MAX_SUBSCRIPTIONS_PER_ADDRESS: {
    read: wholeNumber(0, 10_000_000),
    default: '2000',
    unit: 'subscriptions',
    meaning:
      'Most subscriptions that one client address (of IPv6 its /64) may have at once, over WebSocket and event streams together, in each process; 0 sets no bound.',
  },
  // Five full sockets: one program on a few devices.
  MAX_SUBSCRIPTIONS_PER_CREDENTIAL: {
    read: wholeNumber(0, 10_000_000),
    default: '500',
    unit: 'subscriptions',
    meaning:
      'Most subscriptions that may run at once with the same credentials, from all addresses together, in each process; 0 sets no bound.',
  },
  // The rest of the heap is for everything else, and for garbage not yet collected.
  SUBSCRIPTION_MEMORY_PERCENT: {
    read: wholeNumber(1, 75),
    default: '25',
    unit: 'percent of the heap',
    meaning:
      "How much of the largest heap of a process (Node's --max-old-space-size) all its subscriptions may take, by what each kind is known to take; more are refused.",
  },
  DEPTH_LIMIT: {
    read: wholeNumber(0, 1_000),
    default: '10',
    unit: 'levels',
    meaning: 'Deepest nesting of a GraphQL operation; 0 turns the limit off.',
  },
  COST_LIMIT: {
    read: wholeNumber(0, 100_000_000),
    default: '1000',
    unit: 'points',
    meaning: 'Highest cost of a GraphQL operation; 0 turns the limit off.',
  },
  BATCH_LIMIT: {
    read: wholeNumber(0, 50),
    default: '0',
    unit: 'operations',
    meaning:
      'Most GraphQL operations in one HTTP request, as a JSON list; together they count against COST_LIMIT. 0 takes no lists.',
  },
  PERSISTED_MANIFEST: {
    read: z.string(),
    default: null,
    unit: null,
    meaning:
      "File with GraphQL documents that clients may name instead of sending: Apollo's manifest, or a JSON map from id to text.",
  },
  PERSISTED_ONLY: {
    read: flag,
    default: '0',
    unit: null,
    meaning: '1 refuses every GraphQL document that is not in PERSISTED_MANIFEST.',
  },
  INTROSPECTION: {
    read: flag,
    default: '1',
    unit: null,
    meaning:
      '0 keeps the schema from clients: no introspection, no suggestions. Documents in PERSISTED_MANIFEST may still ask for it.',
  },
  EXPLORER: {
    read: flag,
    default: '1',
    unit: null,
    meaning: '0 serves no GraphiQL to browsers at /graphql.',
  },
  QUERY_TRACES: {
    read: z.enum(['off', 'everyone'], 'one of off, everyone'),
    default: null,
    unit: null,
    meaning:
      'everyone gives every caller who requests it the query plan and the times of its fetches, also in the explorer; unset, everyone in development and off elsewhere.',
  },
  QUERY_TRACE_TOKEN: {
    read: z
      .string()
      .regex(/^[\x21-\x7e]*$/, 'visible ASCII characters')
      .min(16, 'at least 16 characters'),
    default: null,
    unit: null,
    secret: true,
    meaning:
      'Password with which callers get the query plan and the times of its fetches, in the header atrium-trace; unset, QUERY_TRACES decides.',
  },
  COST_PROFILE: {
    read: z.enum(['default', 'dear-objects'], 'one of default, dear-objects'),
    default: 'default',
    unit: null,
    meaning:
      'Points where the schema has no `@cost`: default is 1 for a leaf, 2 for an object, dear-objects 1 and 10; both take 10 items for a list.',
  },
  COST_SCALAR: {
    read: wholeNumber(0, 1_000),
    default: null,
    unit: 'points',
    meaning: 'Points of a leaf; unset, as COST_PROFILE says.',
  },
  COST_OBJECT: {
    read: wholeNumber(0, 1_000),
    default: null,
    unit: 'points',
    meaning: 'Points of an object; unset, as COST_PROFILE says.',
  },
  COST_LIST_FACTOR: {
    read: wholeNumber(1, 1_000),
    default: null,
    unit: 'items',
    meaning: 'Length of a list whose length neither the schema nor an argument says; unset, as COST_PROFILE says.',
  },
  COST_BUDGET: {
    read: wholeNumber(0, 100_000_000),
    default: '0',
    unit: 'points per minute',
    meaning: 'Cost that one client of /graphql may spend in a minute; 0 sets no budget.',
  },
  REDIS_URL: {
    read: urlWithProtocol(['redis:', 'rediss:'], 'a URL such as redis://user:password@host:6379'),
    default: null,
    unit: null,
    secret: true,
    meaning:
      'A Redis in which several copies count COST_BUDGET and all rate limits together, share documents that clients register by hash, and share recent writes; unset, each counts by itself.',
  },
  LOG_LEVEL: {
    read: z.enum(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      'one of fatal, error, warn, info, debug, trace, silent',
    ),
    default: 'info',
    unit: null,
    meaning: 'The least severe log lines that are written: fatal, error, warn, info, debug, trace, silent.',
  },
  SLOW_OPERATION_MILLISECONDS: {
    read: wholeNumber(0, 60_000),
    default: '1000',
    unit: 'milliseconds',
    meaning:
      'Queries and mutations that take so long or longer are logged with their name, cost and what each subgraph took; 0 logs none.',
  },
  METRICS: {
    read: flag,
    default: '1',
    unit: null,
    meaning: 'Whether GET /metrics answers with figures for Prometheus: 1 or 0.',
  },
  METRICS_PORT: {
    read: wholeNumber(1, 65_535),
    default: null,
    unit: null,
    meaning:
      'Separate TCP port for /metrics, on HOST; unset, it is on PORT, and requires METRICS_TOKEN where HOST is not loopback.',
  },
  METRICS_TOKEN: {
    read: z
      .string()
      .regex(/^[\x21-\x7e]*$/, 'visible ASCII characters')
      .min(16, 'at least 16 characters'),
    default: null,
    unit: null,
    secret: true,
    meaning:
      'Password of /metrics, as Bearer token or by HTTP Basic with any user name; unset, none is needed, and /metrics is refused on PORT unless HOST is loopback.',
  },
  ...telemetryVariables,
  RESPONSE_CACHE_BYTES: {
    read: wholeNumber(0, 999_999_999),
    default: '20000000',
    unit: 'bytes',
    meaning: 'Bytes of the response cache: answers to queries live as long as their @cacheControl hints allow; 0 is off.',
  },
  SHUTDOWN_GRACE_SECONDS: {
    read: wholeNumber(0, 3_600),
    default: '10',
    unit: 'seconds',
    meaning: 'How long a stop waits for requests that are being answered.',
  },
  SHUTDOWN_DRAIN_SECONDS: {
    read: wholeNumber(0, 600),
    default: '0',
    unit: 'seconds',
    meaning: 'How long a stop still accepts requests while /ready answers 503, so that a balancer sends the next ones elsewhere.',
  },
} as const satisfies Variables

/** Settings of `node gateway/main.ts`: supergraph source, shared settings, JWT. */
export const variables = {
  ...sourceVariables,
  ...gatewaySettings,
  ...entityCacheVariables,
  ...jwtVariables,
  ...uploadVariables,
  SHADOW_TOKEN: {
    read: z
      .string()
      .regex(/^[\x21-\x7e]*$/, 'visible ASCII characters')
      .min(16, 'at least 16 characters'),
    default: null,
    unit: null,
    secret: true,
    meaning:
      'Password of GET /shadow, where differences of a candidate supergraph are read, as Bearer token or by HTTP Basic with any user name; unset, it is not served.',
  },
  CANARY_TOKEN: {
    read: z
      .string()
      .regex(/^[\x21-\x7e]*$/, 'visible ASCII characters')
      .min(16, 'at least 16 characters'),
    default: null,
    unit: null,
    secret: true,
    meaning:
      'Password of /canary, where a candidate supergraph is watched, promoted and rolled back, as Bearer token or by HTTP Basic with any user name; unset, it is not served.',
  },
  SUBGRAPH_COST_LIMITS: {
    read: z
      .string()
      .regex(/^\s*[^\s,=]+=\d{1,9}(\s*,\s*[^\s,=]+=\d{1,9})*\s*$/, 'costs of subgraphs, such as products=500,reviews=200')
      .transform((text) => new Map(text.split(',').map((pair) => costOf(pair.trim())))),
    default: null,
    unit: 'points',
    meaning:
      'Highest cost of what one operation sends to a subgraph, such as products=500,reviews=200; 0 and subgraphs that are not named have no limit.',
  },
  OVERRIDE_LABELS: {
    read: z
      .string()
      .regex(/^\s*[\w:./-]+(\s*,\s*[\w:./-]+)*\s*$/, 'labels separated by commas, such as new-prices,eu')
      .transform((text) => text.split(',').map((label) => label.trim())),
    default: null,
    unit: null,
    meaning:
      'Labels of @override(label:) that are active for every request, separated by commas; percent(x) is decided for each request, and others are inactive.',
  },
} as const

function costOf(pair: string): readonly [name: string, points: number] {
  const at = pair.indexOf('=')
  return [pair.slice(0, at), Number(pair.slice(at + 1))]
}
