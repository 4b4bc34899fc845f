import { codeOf, generatedFrom, sourcesOf, tableOf } from './markdown.ts'

type Metric = { readonly name: string; readonly help: string; readonly labels: readonly string[]; readonly type: string }

/** Entries of the metric table: `new Counter({ name, help, labelNames })`. */
const TABLE_ENTRY =
  /new (?<type>Counter|Histogram)\(\{\s*name: '(?<name>atrium_\w+)',\s*help: (?<quote>['"])(?<help>.+?)\k<quote>,\s*labelNames: \[(?<labels>[^\]]*)\]/g
/** Calls that add one series: `metrics.gauge('name', 'help', …)`. */
const ADDED =
  /metrics\??\.(?<type>gauge|gaugePer|counter|histogram)\(\s*'(?<name>atrium_\w+)',\s*(?<quote>['"])(?<help>.+?)\k<quote>,\s*(?:\[(?<labels>[^\]]*)\])?/g

const TYPES: Readonly<Record<string, string>> = {
  Counter: 'counter',
  Histogram: 'histogram',
  gauge: 'gauge',
  gaugePer: 'gauge',
  counter: 'counter',
  histogram: 'histogram',
}

/** Series that sources define, by name. */
export function definedMetrics(): readonly Metric[] {
  const sources = sourcesOf('gateway', 'platform', 'composition', 'subgraphs')
  const found = sources.flatMap(({ text }) =>
    [...text.matchAll(TABLE_ENTRY), ...text.matchAll(ADDED)].map(({ groups = {} }) => ({
      name: groups.name ?? '',
      help: groups.help ?? '',
      labels: [...(groups.labels ?? '').matchAll(/'(\w+)'/g)].map(([, label = '']) => label),
      type: TYPES[groups.type ?? ''] ?? '',
    })),
  )
  return found.sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Series of `GET /metrics`. */
export const metricsPage = (): string => `# Metrics
Series of \`GET /metrics\`. Who may read it, alarms and the dashboard: [monitoring](../operations/monitoring.md). The label \`door\` is the class of a route: \`graphql\`, \`rest\`, \`mcp\`, \`oauth\`, \`files\`, \`pages\`, or \`link\` for a subgraph by itself.

${tableOf(
  ['series', 'type', 'labels', 'meaning'],
  definedMetrics().map(({ name, type, labels, help }) => [codeOf(name), type, labels.map(codeOf).join(', ') || '–', help]),
)}

\`process_*\` and \`nodejs_*\` are those of prom-client: memory, processor time, event loop and garbage collection.

The first 100 names of operations have a label each. Others, operations without a name and refused ones are \`other\`: no client can create series by inventing names.

${generatedFrom('the code that counts')}`
