import { BOUNDS } from '../../gateway/limits/limits.ts'
import { codeOf, generatedFrom, tableOf } from './markdown.ts'

const count = (number: number): string => number.toLocaleString('en-US')
const kilobytes = (bytes: number): string => `${count(bytes / 1000)} kB`

/** What is limited, by what, and the code of the refusal. */
const operationRows = (): readonly (readonly [what: string, limit: string, code: string])[] => [
  ['body of a request, message of a WebSocket', kilobytes(BOUNDS.bodyBytes), '`PAYLOAD_TOO_LARGE` (413), close code 1009'],
  ['`content-encoding` of a body', 'none', '`UNSUPPORTED_MEDIA_TYPE` (415)'],
  ['tokens', count(BOUNDS.tokens), '`OPERATION_TOO_LARGE`'],
  ['fields, with fragments spread', count(BOUNDS.fields), 'the same'],
  ['one response name; fragments; spreads; directives', count(BOUNDS.repetitions), 'the same'],
  ['aliased fields', count(BOUNDS.aliases), 'the same'],
  ['root fields', count(BOUNDS.rootFields), 'the same'],
  ['`__schema` and `__type`', count(BOUNDS.introspections), 'the same'],
  ['`@defer`', count(BOUNDS.defers), 'the same'],
  ['nesting of values in a document', count(BOUNDS.variableDepth), 'the same'],
  ['nesting of values in variables', count(BOUNDS.variableDepth), '`BAD_USER_INPUT`'],
  ['levels of fields', codeOf('DEPTH_LIMIT'), '`DEPTH_LIMIT_EXCEEDED`'],
  ['page size', `0 to ${count(BOUNDS.pageSize)}`, '`PAGE_SIZE_OUT_OF_RANGE`'],
  ['cost of an operation', codeOf('COST_LIMIT'), '`COST_LIMIT_EXCEEDED`'],
  ['its cost for one subgraph', codeOf('SUBGRAPH_COST_LIMITS'), '`SUBGRAPH_COST_LIMIT_EXCEEDED`'],
  ['cost of a client per minute', codeOf('COST_BUDGET'), '`RATE_LIMITED` (429), `retryAfterSeconds`, `Retry-After`'],
  ['concurrent requests of a process', codeOf('LOAD_LIMIT'), '`UNAVAILABLE` (503), `Retry-After`'],
  ['wall time', `${count(BOUNDS.operationTimeoutMs / 1000)} seconds`, '`TIMEOUT`'],
]

const subscriptionRows = (): readonly (readonly [what: string, limit: string, then: string])[] => [
  ['from the upgrade to `connection_init`', '5 seconds', 'closed with 4408'],
  ['operations at once over one WebSocket', count(BOUNDS.socketOperations), '`TOO_MANY_OPERATIONS`'],
  ['subscriptions of an address', codeOf('MAX_SUBSCRIPTIONS_PER_ADDRESS'), '`TOO_MANY_SUBSCRIPTIONS`; the socket stays open'],
  ['subscriptions of a credential', codeOf('MAX_SUBSCRIPTIONS_PER_CREDENTIAL'), 'the same'],
  ['memory of all subscriptions of a process', codeOf('SUBSCRIPTION_MEMORY_PERCENT'), 'the same'],
  ['subscriptions being opened', codeOf('LOAD_LIMIT'), '`UNAVAILABLE`'],
  ['events queued for a subscription', count(BOUNDS.waitingEvents), '`SLOW_READER`'],
  ['unread bytes of a WebSocket or event stream', kilobytes(BOUNDS.socketBacklogBytes), 'closed; WebSockets with 1013'],
  ['WebSockets; event streams of a process', `${count(BOUNDS.connections)} each`, '503; `UNAVAILABLE`'],
]

/** Limits of operations and subscriptions, with the numbers of the code. */
export function operationLimitsPage(): string {
  return `# Limits of operations
Checked for every operation on every transport, before any of it runs. A refusal states value and limit. How cost, budget and overload work: [limits](limits.md). Caches and queues: [bounds](bounds.md).

${tableOf(['what', 'limit', 'code'], operationRows())}

## Subscriptions
${tableOf(['what', 'limit', 'at the limit'], subscriptionRows())}

${generatedFrom('gateway/limits/limits.ts and scripts/reference/operation-limits.ts')}`
}
