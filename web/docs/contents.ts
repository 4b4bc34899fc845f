/** A part of the documentation, with its pages by their names below /docs, in reading order. */
export type Section = { readonly heading: string; readonly names: readonly string[] }

/**
 * What the sidebar shows, in this order. A page that is not named here stands in the section whose
 * `folder` it is in, or in the last one.
 */
export const DOCS_SECTIONS: readonly (Section & { readonly folder?: string })[] = [
  { heading: 'Get started', folder: 'start', names: ['start/agents', 'start/integrators', 'start/shops', 'start/operators'] },
  {
    heading: 'Guides',
    folder: 'guides',
    names: [
      'guides/deploy-behind-a-proxy',
      'guides/first-administrator',
      'guides/back-up-and-restore',
      'guides/upgrade',
      'guides/scale-out',
      'guides/rotate-a-secret',
      'guides/sell-with-atrium',
      'guides/verify-a-webhook',
      'guides/refresh-tokens',
      'guides/subscribe-and-resume',
      'guides/query-over-get',
      'guides/gate-an-agent',
      'guides/import-a-registry',
      'guides/write-a-subgraph',
      'guides/remove-a-field',
      'guides/replace-apollo-gateway',
    ],
  },
  {
    heading: 'Concepts',
    names: ['architecture', 'store', 'trust', 'mcp', 'clients', 'examples', 'security', 'reliability', 'scaling', 'performance'],
  },
  {
    heading: 'Gateway',
    folder: 'gateway',
    names: ['gateway', 'gateway/comparison', 'gateway/standalone', 'gateway/configuration'],
  },
  {
    heading: 'Reference',
    folder: 'reference',
    names: [
      'reference/settings',
      'reference/options',
      'reference/commands',
      'reference/errors',
      'reference/limits',
      'reference/operation-limits',
      'reference/bounds',
      'reference/events',
      'reference/metrics',
      'reference/graphql',
      'reference/subscriptions',
      'reference/caching',
      'reference/store-contract',
      'reference/staff-roles',
    ],
  },
  {
    heading: 'Operate',
    folder: 'operations',
    names: [
      'operations',
      'operations/running',
      'operations/monitoring',
      'operations/runbooks',
      'operations/backups',
      'operations/people',
      'operations/shops',
      'operations/directory',
      'operations/trust',
      'operations/erasure',
      'secrets',
      'kubernetes',
      'operations/dependencies',
    ],
  },
  { heading: 'Data model', folder: 'data-model', names: [] },
  { heading: 'Decisions and words', names: ['adr', 'glossary', 'contributing', 'changelog'] },
]

/** Folders whose pages are reached from a page of their own, and are not listed in the sidebar. */
export const UNLISTED: readonly string[] = ['adr', 'examples']
