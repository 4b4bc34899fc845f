import { generatedFrom, tableOf } from './markdown.ts'

/** A bound of something that clients can fill. */
export type Bound = {
  /** What is bounded. */
  readonly what: string
  /** The number and its unit, or the setting. */
  readonly bound: string
  /** What happens at the bound. */
  readonly then: string
  /** Where code defines it: file and name. */
  readonly where: readonly (readonly [file: string, name: string])[]
}

/** A row for each bound: what | bound | at the bound | file: name, or several of them. */
const ROWS = `
judged documents and operations | 1,000, of 1,000,000 characters | judged again | gateway/operations/document-cache.ts: DOCUMENT_CACHE_BOUND
documents registered by hash (APQ), and in Redis | 10,000, of 5,000,000 characters | \`PERSISTED_QUERY_NOT_FOUND\`; the client sends the text again | gateway/operations/persisted-documents.ts: REGISTERED_DOCUMENTS_BOUND
shapes of a document, by \`@skip\` and \`@include\` | 16 | made again | gateway/executor/federated/plan.ts: PROJECTION_CACHE
plans of an operation, by labels of \`@override\` | 16 | planned again | gateway/executor/override-variants.ts: VARIANTS
plans of an operation, by values of \`@defer(if:)\` | 16 | planned again | gateway/executor/plan-deferred.ts: DEFERRED_PLANS
deferred fragments of an operation, and payloads that wait for a reader | 20 | \`OPERATION_TOO_LARGE\` | gateway/limits/limits.ts: defers
contextual values in one request to a subgraph | 25 | further requests | gateway/executor/federated/contexts.ts: MAX_GROUPS_PER_REQUEST
entities of one request for several fetches | 500 | fetches are sent apart | gateway/executor/federated/merged-fetch.ts: MAX_MERGED_REPRESENTATIONS
selections in it | 10 | further requests | gateway/executor/federated/merge-groups.ts: MAX_LISTS
its documents of one plan | 16 | written again | gateway/executor/federated/merged-fetch.ts: JOINED_DOCUMENTS
compiled fetches of a subgraph of this process | 500, of 500,000 characters | compiled again | gateway/subgraph-client/local-subgraph.ts: DOCUMENTS
the same in a subgraph process | 500, of 500,000 characters | parsed again | gateway/signed-link/document-reader.ts: DOCUMENTS
cached answers | \`RESPONSE_CACHE_BYTES\` and 10,000 | forgotten | gateway/caching/response-cache.ts: MAX_ENTRIES
cached entities (off by default) | \`ENTITY_CACHE_BYTES\` | forgotten | gateway/caching/entity-memory-store.ts: maxBytes
invalidated tags of entities | 100,000 | all entities are invalid | gateway/caching/entity-store.ts: MAX_INVALIDATED_TAGS
invalidated tags that wait for Redis | 10,000 | all entities are invalid when Redis is back | gateway/caching/entity-redis-store.ts: MAX_WAITING_TAGS
channels with invalidations of entities | 20 | the start is refused | gateway/options/entity-cache-options.ts: MAX_INVALIDATION_CHANNELS
tags of one entity | 32 | it is not cached | gateway/caching/entity-cache-tags.ts: MAX_TAGS_PER_ENTITY
values of \`Accept\` | 200, of 50,000 characters | read again | gateway/transports/content-negotiation.ts: ACCEPT_CACHE_BOUND
operations in a batch of usage | 2,000 | counted as "other", with all coordinates | gateway/usage/usage-recorder.ts: MAX_BATCH_OPERATIONS
clients and versions in it | 10,000 | counted as "other" | gateway/usage/usage-recorder.ts: MAX_BATCH_COUNTS
new operations of usage in a day (table) | 500 | counted as one | composition/usage/usage-store.ts: MAX_NEW_OPERATIONS_PER_DAY
counts of usage of a day (table) | 20,000 | counted as "other" | composition/usage/usage-store.ts: MAX_COUNTS_PER_DAY
characters of an operation in usage | 10,000 | only coordinates are stored | gateway/usage/signature.ts: MAX_SIGNATURE_CHARACTERS
fields of a form | 2,000 | 413 | web/frame/form.ts: MAX_FORM_FIELDS
bytes of a form of the console | 1,300,000 of who is signed in, 8,000 of others | 413; 403 before the body is read | web/console/serve.ts: MAX_CHANGE_BYTES
characters of a client's name | 100 | cut | platform/http/request-caller.ts: MAX_CLIENT_CHARACTERS
names of operations in metrics | 100 | counted as "other" | gateway/observability/operation-metrics.ts: MAX_OPERATION_NAMES
requests and operations that run | \`LOAD_LIMIT\`, and a quarter more for callers below their share | 503 with Retry-After, except \`/health\`, \`/ready\`, \`/metrics\` | platform/http/load-shedding.ts: shedLoad
WebSockets; event streams | 20,000 each | 503; \`UNAVAILABLE\` | gateway/limits/limits.ts: connections
operations of one WebSocket | 100 | refused | gateway/limits/limits.ts: socketOperations
operations of one WebSocket in the trace of its client | 1,000 | traces of their own | gateway/transports/websocket-operation.ts: MAX_TRACED_OPERATIONS
log lines that wait for the OpenTelemetry collector | 2,048, of 20,000 characters | counted, and not exported | gateway/observability/otlp-logs.ts: MAX_WAITING_LOG_LINES
spans of events of one source | 100 in a minute | none, counted at the next one | gateway/observability/tracing.ts: MAX_TRACED_EVENTS
spans of events of all sources and of their fetches | 500 in a second | none, counted at the next event, or at that of the fetch | gateway/observability/tracing.ts: MAX_EVENT_SPANS_PER_SECOND
unread bytes of a WebSocket or event stream | 1,000,000 | disconnected | gateway/limits/limits.ts: socketBacklogBytes
bytes of a subgraph's callback | 1,000,000 | 413 | gateway/transports/callback-endpoint.ts: MAX_CALLBACK_BYTES
operations of one WebSocket to a subgraph | 100 | another WebSocket | gateway/subgraph-client/upstream-socket.ts: MAX_OPERATIONS
characters of a message of a broker | 1,000,000 | \`INVALID_SUBGRAPH_ANSWER\` for this message | gateway/event-sources/event-broker.ts: MAX_MESSAGE_CHARACTERS
bytes of one fetch from Kafka; of a partition in it, unless one batch is larger | 5,242,880; 1,048,576 | the next fetch | gateway/event-sources/kafka-client.ts: MAX_FETCH_BYTES
decompressed bytes of a batch from Kafka | 33,554,432 | one event with an error | gateway/event-sources/kafka-batches.ts: MAX_BATCH_BYTES
parsed operations on events of brokers | 500, of 500,000 characters | parsed again | gateway/event-sources/event-link.ts: OPERATIONS
events in the stream of a relay (Redis) | about 20,000, for ten minutes | the reader reads the database | platform/events/redis-stream.ts: MAX_STREAM_ENTRIES
topics whose last relayed number is known | 50,000 | published again, and ignored | platform/events/relay-publisher.ts: MAX_PUBLISHED_TOPICS
topics with events to relay | 50,000 | all topics of the last half minute are read | platform/events/relay-publisher.ts: MAX_WAITING_TOPICS
unread events of a listener | 1,000 | \`SLOW_READER\`; the subscription ends | platform/collections/bounded-queue.ts: MAX_WAITING_ITEMS
their characters, of events of brokers | 10,000,000 | \`SLOW_READER\` | platform/collections/bounded-queue.ts: MAX_WAITING_CHARACTERS
token buckets: sign-ins, guesses, keys, \`COST_BUDGET\`, tools | 20,000 for each limit | full again | platform/rate-limit/token-buckets.ts: CACHE_LIMITS
rate limits of the store's REST, by address and store | 20,000 | full again | rest-facade/store/caller/rate-limit.ts: MAX_WINDOWS
identities of the store's REST | 10,000, for a second | verified again | rest-facade/store/caller/authentication.ts: MAX_IDENTITIES
verified credentials of a store | 10,000, for a second | verified again | subgraphs/store/access/access.ts: MAX_CACHED
who wrote last (with a replica) | 10,000 | reads go to the primary | platform/database/recent-writes.ts: MAX_WRITERS
what credentials of a store are granted | 10,000, for a second | found again | composition/store-grants.ts: MAX_REMEMBERED_CALLERS
distinct sets of grants | 1,000 | made again | composition/store-grants.ts: MAX_DISTINCT_GRANTS
hashes of texts for a subgraph's persisted queries * | 5,000 for each subgraph | hashed again | gateway/subgraph-client/shaped-fetch.ts: MAX_HASHES
bytes of a coprocessor's message * | 10,000,000; 64 connections | \`HOOK_FAILED\` | gateway/hooks/coprocessor.ts: MAX_COPROCESSOR_BYTES
characters of a coprocessor's context * | 100,000 | \`HOOK_FAILED\` | gateway/hooks/coprocessor-messages.ts: MAX_CONTEXT_CHARACTERS
time of a hook * | 1,000 ms unless options say otherwise | \`HOOK_FAILED\` | gateway/hooks/hook-stages.ts: HOOK_TIMEOUT_MS
uploads at once * | \`UPLOAD_MAX_CONCURRENCY\` | 503 | gateway/uploads/upload-receiver.ts: maxConcurrency
paths of files in a request * | 200 | \`UPLOAD_TOO_LARGE\` | gateway/uploads/place-files.ts: MAX_PATHS
headers of a part of a multipart request * | 20 | ignored | gateway/uploads/multipart-body.ts: MAX_PART_HEADERS
requests of candidates and comparisons to a subgraph * | half of its connections | wait | gateway/subgraph-client/shared-connections.ts: candidateConnections
distinct differences of a candidate * | 100 | forgotten | gateway/shadow/difference-log.ts: MAX_RECORDED
nodes and requests of a query trace | 200 and 500; 2,000 characters of a query | left out | gateway/observability/query-trace.ts: MAX_NODES
places of one difference * | 50 | left out | gateway/shadow/compare-results.ts: MAX_DIFFERENCES
verified JSON Web Tokens * | 10,000, for a minute | verified again | gateway/authorization/token-verifier.ts: MAX_REMEMBERED_TOKENS
plans of operations without refused fields | 1,000, of 200,000 characters (60 MB) | planned again | gateway/authorization/authorization.ts: REFUSED_PLANS
passwords that wait to be hashed | 500, two at once | \`RATE_LIMITED\`, 5 seconds | subgraphs/toolkit/password.ts: MAX_WAITING_HASHES
streams of MCP clients | 1,000 | refused | mcp/exchange.ts: MAX_OPEN_STREAMS
changes of what a server offers (table) | 200 of a server | the oldest are deleted | subgraphs/directory/probe/repository.ts: MAX_STORED_CHANGES
requests of a probe of a server | 100 | \`TOO_LARGE\` | subgraphs/directory/probe/guarded-fetch.ts: MAX_REQUESTS
sources of the directory (table) | 200 | refused with the field \`name\` | subgraphs/directory/source/source.ts: MAX_DIRECTORY_SOURCES
records of a source | 300,000 | \`TOO_LARGE\` | subgraphs/directory/source/fetched.ts: MAX_RECORDS
pages of a registry (table, until the run ends) | 5,000 of 8 MB, 300 million characters | \`TOO_LARGE\` | subgraphs/directory/source/pages.ts: MAX_PAGES, MAX_PAGE_BYTES, MAX_RUN_CHARACTERS
an archive of a source, and its files | 200 MB, 400 MB, 200,000 files | \`TOO_LARGE\` | subgraphs/directory/source/files.ts: MAX_ARCHIVE_BYTES, MAX_UNPACKED_BYTES, MAX_ENTRIES
requests to a source in an hour | \`DIRECTORY_SOURCE_REQUESTS_PER_HOUR\` | the next hour | subgraphs/directory/source/request.ts: budgetOf
error of a source (table) | 500 characters | cut | subgraphs/directory/source/repository.ts: MAX_ERROR_LENGTH
repositories observed at GitHub | 100 a turn; \`DIRECTORY_GITHUB_REQUESTS_PER_HOUR\` | the next turn, or hour | subgraphs/directory/observation/due.ts: MAX_PER_TURN
packages observed at npm and PyPI | 100 a turn; \`DIRECTORY_PACKAGES_PER_HOUR\` | the next turn, or hour | subgraphs/directory/published-package/due.ts: MAX_PACKAGES
an answer about a package | 10 MB; 100 kB of counts, 500 kB of attestations | observed again the next day | subgraphs/directory/published-package/npm.ts: MAX_PACKAGE_BYTES
advisories about a package; bytes of an answer of OSV | 20; 2 MB | the first ones; unknown | subgraphs/directory/published-package/osv.ts: MAX_ADVISORIES
names of one request for downloads | 128 | another request | subgraphs/directory/published-package/npm.ts: MAX_NAMES
licence expressions | 120 characters; 16 ways to choose | no licence that is known | subgraphs/directory/item/license.ts: MAX_EXPRESSION_LENGTH
bytes of the file of the catalogue; it is written from so many items on | 4 GB; 20,000 | read from the database | subgraphs/directory/catalogue-file/catalogue-file.ts: MAX_CATALOGUE_BYTES; subgraphs/directory/catalogue-file/catalogue-store.ts: MIN_ITEMS
files of the catalogue that other versions wrote | 1, the newest | removed | subgraphs/directory/catalogue-file/catalogue-store.ts: MAX_OTHER_FILES
searches whose matches are remembered, of one revision | 1,000, of 400,000 matches (11 MB) | searched again | subgraphs/directory/search/recent-matches.ts: MAX_QUERIES
licences whose values for filters are remembered | 1,000 | read again | subgraphs/directory/item/license.ts: MAX_REMEMBERED
an answer of GitHub | 200 kB | observed again the next day | subgraphs/directory/observation/github.ts: MAX_ANSWER_BYTES
parsed questions about trust | 2,000, of 1,000,000 characters | parsed again | subgraphs/trust/parts.ts: requestCache
judgements about trust | 2,000, of 8,000,000 characters | judged again | subgraphs/trust/decision/judgement-cache.ts: MAX_JUDGEMENTS
targets of \`atrium trust check --file\` | 10,000, twenty at once | refused | cli/trust/check-file.ts: MAX_TARGETS
reports of wrong decisions (table) | 50 of a key in 24 hours, one of a decision, one open of a target and kind, 2,000 characters | refused | subgraphs/trust/decision-report/decision-report.ts: MAX_REPORTS_PER_KEY
listings of a threat feed (table) | 1,000, for 180 days | a sample by hashes stays | subgraphs/trust/feed/feed.ts: MAX_LISTINGS_PER_FEED
listings to write | 5,000, for ten seconds | written at once; more are not counted while others are written | subgraphs/trust/feed/recorder.ts: MAX_PENDING_LISTINGS
watched domains of a key (table) | 10 on the free plan, 1,000 on others | refused | subgraphs/trust/watched-domain/watched-domain.ts: MAX_WATCHED_DOMAINS
changes of a watched domain (table) | 500, for 365 days | the oldest are deleted | subgraphs/trust/watched-domain/watched-domain.ts: MAX_CHANGES_PER_WATCH
attempts to send such a change | 5, the last 354 minutes after the first | failed | subgraphs/trust/watched-domain/watched-domain.ts: MAX_ATTEMPTS
rows of a streamed batch that are decided at once | 8 | they wait | rest-facade/trust/decision/batch-stream.ts: MAX_CONCURRENT_ROWS
targets of a job (table) | 10,000, of 2,000,000 bytes | 422 or 413 | subgraphs/trust/decision-job/decision-job.ts: MAX_JOB_TARGETS
running jobs of a key (table) | 1 on the free plan, 5 on others | refused | subgraphs/trust/decision-job/decision-job.ts: MAX_RUNNING_JOBS
targets of a key's jobs (table), kept for 7 days | 1,000 in 24 hours on the free plan, 100,000 on others | refused | subgraphs/trust/decision-job/decision-job.ts: MAX_JOB_TARGETS_PER_DAY
targets of jobs that a process decides | 10 at once | they wait | subgraphs/trust/decision-job/worker.ts: MAX_CONCURRENT_JOB_TARGETS
attempts to decide a target of a job | 3 | failed | subgraphs/trust/decision-job/decision-job.ts: MAX_JOB_ATTEMPTS
assessments of watched domains | 10 in ten seconds, two at once | the next run | subgraphs/trust/watched-domain/watcher.ts: MAX_CHECKS_PER_RUN
webhooks about watched domains | 10 at once | the next run | subgraphs/trust/watched-domain/watcher.ts: MAX_WEBHOOKS_PER_RUN
entries of the operator's lists (table) | 100,000 | refused | subgraphs/trust/operator-list/operator-list.ts: MAX_LIST_ENTRIES
brands of the operator | 1,000 | refused | subgraphs/trust/operator-list/operator-list.ts: MAX_BRAND_ENTRIES
entries of lists with hits to write | 10,000, for ten seconds | written at once | subgraphs/trust/operator-list/matcher.ts: MAX_PENDING_ENTRIES
hosts to look at in the background | 1,000, four at once | left out | subgraphs/trust/assessment/background.ts: MAX_WAITING_HOSTS
outward connections of trust | 10 an upstream, 200 in all | waits, at most 15 seconds, then \`no_capacity\`; the question does not wait | subgraphs/trust/collectors/sources.ts: MAX_CONCURRENT_REQUESTS
review of a paid product by a shopper (table) | 5,000 characters, and one review | refused | subgraphs/store/product-review/actions.ts: MAX_TEXT_LENGTH
DNS queries over one local port | 32 | the next port | platform/outbound/dns-sockets.ts: MAX_QUERIES_PER_PORT
signed-out sessions of operators, as hashes | 1,000, for eight hours | all operators sign in again | web/operations/ended-sessions.ts: MAX_ENDED_SESSIONS
shared chains of redirects | 1,000, for a minute; 5 redirects, 1.2 seconds and 16 kB of headers each | followed again | subgraphs/trust/collectors/redirects.ts: MAX_SHARED_CHAINS
prepared insertions, by number of rows | 200 texts | sent unprepared | platform/database/statement-names.ts: MAX_COUNTED_INSERTS
statements that wait for a connection to PostgreSQL, by tenant | those of running operations, for 10 seconds | the operation fails | platform/database/database.ts: CONNECT_TIMEOUT_MS
writers who wait for one room | one at a time | \`RATE_LIMITED\` after 10 seconds | platform/collections/keyed-mutex.ts: ACQUIRE_TIMEOUT_MS
unwritten log lines | 1,000,000 bytes | lost | platform/process/log.ts: MAX_PENDING_CHARACTERS
measurements for \`/operations\` | 180 | forgotten | gateway/observability/history.ts: MAX_SAMPLES
refreshes that tabs of pages share | 10,000 | refreshed again, which ends the session | web/account/responder.ts: MAX_REFRESHES
trust keys that a user makes (table) | 3 in use, 5 in a month | \`TrustKeyLimitReached\` | subgraphs/trust/key/key.ts: MAX_KEYS_PER_USER
an image for the console | 10 MB, one file, 20 fields | 413 | web/console/image-form.ts: MAX_IMAGE_BYTES
rows of products, sources or taxes in a report of sales | 250, and one that sums the others | \`BAD_USER_INPUT\` | subgraphs/store/sales-report/sales-report.ts: MAX_REPORT_ROWS
sessions of the console (table) | 100 of a store, 10 of each user in it, 8 hours | the oldest ends | subgraphs/store/console-session/repository.ts: MAX_SESSIONS_PER_STORE
authorization requests (table) | 30 minutes; 240 a minute from an address | swept every 10 minutes | subgraphs/store/oauth/adapter.ts: SWEEP_INTERVAL_MS
collections of a user; items of a collection | 100; 100 | \`ItemCollectionLimitReached\` | subgraphs/social/item-collection/item-collection.ts: MAX_COLLECTIONS, subgraphs/social/item-collection/item-collection.ts: MAX_ENTRIES
failed log-ins (table) | 48 hours | swept at the next right log-in | subgraphs/social/session/attempt-repository.ts: FORGET_AFTER_MS
notifications of payment gateways | 1,200 a minute per address; 64 kB | 429; 413 | subgraphs/store/payment/routes.ts: NOTIFICATIONS_PER_MINUTE
requests to payment gateways | 20 each, 200 in all; 8 seconds | a job asks again | subgraphs/store/payment/external-gateway.ts: MAX_CONCURRENT
attempted codes of gift cards | 20 a minute per address and shop; 10 cards in a cart | \`RATE_LIMITED\` | subgraphs/store/gift-card/gift-card.ts: CODES_PER_MINUTE
links and sign-ins of customers | 10 and 20 a minute per address; 60 and 300 of a shop, without opened links | \`RATE_LIMITED\` | subgraphs/store/customer-account/limits.ts: LINKS
changed passwords and erasures, and exports, of customers | 20 and 10 a minute per address | \`RATE_LIMITED\` | subgraphs/store/customer-account/limits.ts: PROOFS
confirmations of orders by e-mail | 5 an hour to an address of a store; 2,000 a day | not sent; logged once an hour | subgraphs/store/mail/limits.ts: MAX_CONFIRMATIONS
e-mails about low stock | one in 15 minutes of a store, of 50 items; 40 an hour of a store to an address; 200 of all | in the next one; counted; not to that address, logged | subgraphs/store/low-stock-alert/low-stock-alert.ts: ALERT_INTERVAL_MS, MAX_LISTED_ITEMS; subgraphs/store/mail/limits.ts: MAX_ALERTS, MAX_ALERTS_OF_ALL_STORES
links to customers by e-mail | 10 an hour to an address; 5 a day to one that a shop has not confirmed | not sent, with the same answer | subgraphs/store/mail/limits.ts: MAX_LINKS
customer accounts (table) | 10 addresses, 20 sessions, 16 links each; 24 hours without a confirmed address | the oldest end; deleted | subgraphs/store/customer-account/customer-account.ts: MAX_ADDRESSES
open draft orders (table) | 1,000, of 500 lines each | \`ValidationError\` | subgraphs/store/draft-order/draft-order.ts: MAX_OPEN_DRAFTS
open imports of a store (table) | 5; 100 MB, 100,000 objects and 1,000 stored errors each; 30 days, a day without a start | \`ConflictError\`; the import fails | subgraphs/store/store-import/store-import.ts: MAX_OPEN_IMPORTS, MAX_FILE_BYTES
rows of an import | 1,000,000 characters and 500 columns; 1,000 rows of one object | the import fails and names the row | subgraphs/store/record-file/file-reader.ts: MAX_ROW_LENGTH
returns (table) | 50 an order, of 500 lines; fulfilled units, within \`Store.returnWindowDays\` | \`ValidationError\` | subgraphs/store/order-return/order-return.ts: MAX_RETURNS
price lists of a store (table) | 50; 10,000 fixed prices each, 20 by quantity of an item; 250 rows in a request | \`ConflictError\`; \`ValidationError\` | subgraphs/store/price-list/price-list.ts: MAX_PRICE_LISTS, MAX_PRICES, MAX_QUANTITY_BREAKS
search synonyms of a store (table) | 100, of 10 terms and 10 targets; 30 in a search | \`ConflictError\`, \`ValidationError\`; later words as they are | subgraphs/store/search-synonym/search-synonym.ts: MAX_SYNONYMS, MAX_TERMS, MAX_SEARCHED_SYNONYMS
carts (table) | 600 new ones a minute per address; 100 lines; 30 days without a change | deleted | subgraphs/store/checkout/jobs.ts: CART_AGE_MS; subgraphs/store/cart/cart.ts: MAX_CART_LINES
idempotency keys of a store (table) | 24 hours | as if new | subgraphs/store/idempotency.ts: KEY_LIFETIME_HOURS
`

export const BOUNDS: readonly Bound[] = ROWS.trim()
  .split('\n')
  .map((row) => {
    const [what = '', bound = '', then = '', where = '', ...more] = row.split(' | ')
    const places = where.split(/[;,] /).reduce<[string, string][]>((all, place) => {
      const [file = '', name] = place.split(': ')
      all.push(name === undefined ? [all.at(-1)?.[0] ?? '', file] : [file, name])
      return all
    }, [])
    if (more.length > 0 || places.some(([file, name]) => !file || !name))
      throw new Error(`Expected "what | bound | at the bound | file: name", not "${row}".`)
    return { what, bound, then, where: places }
  })

/** What is bounded, by what, and what happens there. */
export function boundsPage(): string {
  const rows = BOUNDS.map(({ what, bound, then, where }) => [
    what,
    bound,
    then,
    where.map(([file, name]) => `\`${file}\`: \`${name}\``).join('; '),
  ])
  return `# Bounds
Feeds, caches, maps and queues whose keys come from clients, in entries of one process unless stated otherwise. Rows with * are of a gateway by itself. What is forgotten is what was used least of late. Memory of a single request ends with it. Tables of users, stores and their content are not listed. Limits of requests: [limits](limits.md).

${tableOf(['what', 'bound', 'at the bound', 'where'], rows)}

${generatedFrom('scripts/reference/bounds.ts')}`
}
