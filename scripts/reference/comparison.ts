import { generatedFrom, tableOf } from './markdown.ts'

/** What one capability is called, where it is described and proved, and what others document. */
type Comparison = {
  readonly capability: string
  /** Page of this documentation, from docs/gateway/, and its section. */
  readonly page: string
  /** Files of tests, from test/, without `.test.ts`; what goes over a wire, on loopback. */
  readonly tests: readonly string[]
  /** Apollo Router, Hive, Cosmo and Grafbase; a dash where their documentation was not looked up. */
  readonly others: readonly [apollo: string, hive: string, cosmo: string, grafbase: string]
}

const FEDERATION = '../gateway.md#federation-support'
const SUBGRAPH = 'gateway/subgraph-client'

/** Conformance to the specification of federation. */
const CONFORMANCE: readonly Comparison[] = [
  {
    capability: 'All 46 themes of the public federation audit, with own supergraphs; arguments of `@requires` that conflict',
    page: FEDERATION,
    tests: ['gateway/federation-audit', 'gateway/federation-conformance', 'gateway/planning/requires-arguments'],
    others: ['–', '–', '–', '–'],
  },
  {
    capability: '`@context`, `@fromContext`',
    page: FEDERATION,
    tests: ['gateway/differential/table', 'gateway/executor/federated/contexts'],
    others: ['plan', 'composed; Router: planned', 'documents federation to 2.5', '–'],
  },
  {
    capability: '`@override(label:)`: percent and own labels',
    page: FEDERATION,
    tests: ['gateway/planning/override-labels'],
    others: ['plan', 'yes', 'documents federation to 2.5', '–'],
  },
  {
    capability: '`@defer`: multipart (`deferSpec=20220824`), WebSocket, event streams',
    page: FEDERATION,
    tests: ['gateway/transports/incremental', 'gateway/executor/federated/deferred-plan'],
    others: ['–', '–', '–', 'multipart, SSE'],
  },
  {
    capability: '`@stream`: refused by name',
    page: FEDERATION,
    tests: ['gateway/executor/federated/deferred-plan', 'gateway/abuse'],
    others: ['–', '–', '–', '–'],
  },
  {
    capability: 'Interface objects; `@inaccessible` also in answers',
    page: FEDERATION,
    tests: ['gateway/federation-audit', 'gateway/differential/table', 'gateway/executor/federated/fetch-invalid-answers'],
    others: ['–', 'yes', '–', '–'],
  },
  {
    capability: 'Contracts by `@tag`',
    page: 'contracts.md',
    tests: ['gateway/planning/contract'],
    others: ['GraphOS', 'Console', 'yes', 'extension'],
  },
  {
    capability: 'Supergraphs of federation 1',
    page: FEDERATION,
    tests: ['gateway/federation-conformance'],
    others: ['to 1.59', 'no', 'yes', '–'],
  },
]

const CAPABILITIES: readonly Comparison[] = [
  {
    capability:
      'Subscriptions of subgraphs over graphql-transport-ws, subscriptions-transport-ws, SSE, HTTP callback; deduplicated, resumed, with heartbeat',
    page: 'subscriptions.md',
    tests: [`${SUBGRAPH}/websocket-upstreams`, `${SUBGRAPH}/upstream-subscriptions`, `${SUBGRAPH}/callback-upstreams`],
    others: [
      'plan; WebSocket, callback',
      'WebSocket, SSE, multipart, callback',
      'both WebSockets, SSE, multipart',
      'WebSocket, SSE',
    ],
  },
  {
    capability: 'Events of Redis, NATS and Kafka as subscriptions, by `@edfs__…`',
    page: 'events.md',
    tests: ['gateway/event-sources/event-sources', 'gateway/event-sources/kafka-client'],
    others: ['–', '–', 'yes', 'NATS, Kafka'],
  },
  {
    capability:
      'Entity cache by `@cacheControl`, in memory or Redis, shared by copies; tags, invalidation over HTTP and by events; private per caller',
    page: 'entity-cache.md',
    tests: [
      'gateway/caching/entity-cache',
      'gateway/caching/entity-redis-store',
      'gateway/caching/follow-invalidation-events',
      'gateway/caching/entity-cache-model',
    ],
    others: ['plan; Redis', 'responses', '–', 'memory, Redis'],
  },
  {
    capability: 'JWT: JWKS, rotation, several issuers; `@authenticated`, `@requiresScopes`, `@policy`',
    page: 'tokens.md',
    tests: ['gateway/authorization/token-verifier', 'gateway/authorization/authorization'],
    others: ['plan', 'yes', 'yes', 'extensions'],
  },
  {
    capability: 'Rules for headers and cookies, both ways, per subgraph',
    page: 'traffic.md#headers-and-cookies',
    tests: ['gateway/headers/request-rules'],
    others: ['yes', 'yes', 'yes', 'yes'],
  },
  {
    capability: 'Signed requests: AWS SigV4, HMAC',
    page: 'traffic.md#signed-requests',
    tests: [`${SUBGRAPH}/shaped-fetch`],
    others: ['SigV4', 'SigV4, HMAC (Gateway)', '–', 'message signatures'],
  },
  {
    capability: 'mTLS, TLS per subgraph, HTTP/2',
    page: 'traffic.md#tls',
    tests: [`${SUBGRAPH}/tls-connector`],
    others: ['mTLS', '–', 'TLS', '–'],
  },
  {
    capability: 'Timeouts, retry budgets and pools per subgraph',
    page: 'traffic.md#connections-timeouts-retries',
    tests: [`${SUBGRAPH}/shaped-fetch`, `${SUBGRAPH}/retrying-fetch`],
    others: ['yes', 'yes', 'yes', 'timeouts'],
  },
  {
    capability: 'Hooks in TypeScript at six stages: async, typed, with a bound of time',
    page: 'hooks.md',
    tests: ['gateway/hooks/hooks', 'gateway/hooks/hook-stages', 'gateway/hooks/hooks-subscriptions'],
    others: ['Rhai, Rust', 'TypeScript (Gateway), Rust', 'Go', 'WebAssembly'],
  },
  {
    capability: 'HTTP coprocessor with the same stages',
    page: 'hooks.md#coprocessor',
    tests: ['gateway/hooks/coprocessor'],
    others: ['plan', 'yes', '–', '–'],
  },
  {
    capability:
      'Supergraph from a file, HTTP with ETag, S3, Hive CDN, Apollo Uplink, a folder of SDL; polled, verified, swapped; last good one on disk',
    page: '../gateway.md#where-the-supergraph-comes-from',
    tests: ['gateway/planning/sources/follow-supergraph', 'gateway/planning/watched-file', 'gateway/planning/hot-swap'],
    others: ['file, OCI, Uplink', 'file, Hive CDN', 'file, CDN, S3', 'file, registry, Hive CDN'],
  },
  {
    capability: 'Demand control, also per subgraph; measured mode; actual cost',
    page: '../reference/limits.md#cost',
    tests: ['gateway/limits/cost-limit', 'gateway/limits/subgraph-costs', 'gateway/limits/actual-cost'],
    others: ['plan', 'yes', 'yes', '–'],
  },
  {
    capability: 'To subgraphs: batches of queries, APQ, deduplication on and off',
    page: 'traffic.md#fewer-and-smaller-requests',
    tests: [`${SUBGRAPH}/shaped-fetch`, `${SUBGRAPH}/remote-subgraph`],
    others: ['APQ', 'batches', '–', '–'],
  },
  {
    capability: 'File uploads, streamed to a subgraph',
    page: 'uploads.md',
    tests: ['gateway/uploads/uploads'],
    others: ['–', '–', 'yes', '–'],
  },
  {
    capability: 'Shadow traffic to a candidate supergraph, with differences of answers',
    page: 'shadow.md',
    tests: ['gateway/shadow/shadow-traffic', 'gateway/shadow/shadow-endpoint'],
    others: ['–', '–', '–', '–'],
  },
  {
    capability: 'Canary of a candidate supergraph',
    page: 'canary.md',
    tests: ['gateway/canary/canary', 'gateway/canary/canary-program'],
    others: ['–', '–', 'feature flags', '–'],
  },
  {
    capability: 'Usage of fields, operations and clients in an own database; `atrium schema check` before a breaking change',
    page: 'usage.md',
    tests: ['gateway/usage/usage-recorder', 'cli/schema', 'cli/usage'],
    others: ['GraphOS', 'Console', '–', 'platform'],
  },
  {
    capability: 'OpenTelemetry: traces, metrics and logs; Prometheus',
    page: '../operations/running.md#traces',
    tests: ['gateway/observability/tracing', 'gateway/observability/telemetry-config', 'gateway/observability/metrics'],
    others: ['yes', 'yes', 'yes', 'yes'],
  },
  {
    capability: 'Traces of queries in the explorer: plan drawn, time per fetch',
    page: 'traces.md',
    tests: ['gateway/observability/query-trace', 'web/explorer'],
    others: ['–', '–', 'yes', '–'],
  },
  {
    capability: 'Configuration as one typed, validated file, `--print-defaults`, and by environment',
    page: 'configuration.md',
    tests: ['gateway/standalone/config-file', 'gateway/standalone/source-variables'],
    others: ['YAML', 'TypeScript (Gateway), YAML', 'YAML', 'TOML'],
  },
  {
    capability:
      'Bad input: supergraphs, subgraphs that lie, 100 MB, hooks that hang, brokers that are gone, headers that would poison caches',
    page: '../reliability.md',
    tests: ['faults/bad-subgraphs', 'faults/bad-gateway-input', 'gateway/executor/federated/fetch-invalid-answers'],
    others: ['–', '–', '–', '–'],
  },
]

/** All rows, in the order of the page. */
export const COMPARISONS: readonly Comparison[] = [...CONFORMANCE, ...CAPABILITIES]

const testLink = (test: string): string => `[${test.split('/').at(-1)}](../../test/${test}.test.ts)`

const rowsOf = (rows: readonly Comparison[]): string =>
  tableOf(
    ['capability', 'Atrium', 'tests', 'Apollo Router', 'Hive', 'Cosmo', 'Grafbase'],
    rows.map(({ capability, page, tests, others }) => [capability, `[yes](${page})`, tests.map(testLink).join(', '), ...others]),
  )

/** The page that compares the gateway with others. */
export const comparisonPage = (): string => `# Compared with other gateways
Each "yes" leads to its page. Tests of what goes over a wire run against real servers on loopback.

- Other columns say what public documentation of the product says, in stored copies of varying age, up to September 2026. "–" was not looked up, and is no "no".
- "plan" needs a licence of GraphOS. "GraphOS" and "Console" are services beside the router.
- Speed is in the [benchmarks](../benchmarks.md).

## Conformance
${rowsOf(CONFORMANCE)}

## Capabilities
${rowsOf(CAPABILITIES)}

Read: [Apollo](https://www.apollographql.com/docs/graphos/routing), [Hive](https://the-guild.dev/graphql/hive/docs/router/compatibility), [Cosmo](https://cosmo-docs.wundergraph.com/router/intro), [Grafbase](https://grafbase.com/docs).

${generatedFrom('scripts/reference/comparison.ts')}`
