import type { DirectorySort, ServerLocation } from '#generated/operations.ts'

/** The parameters that every list of the directory has; their ranges are part of the contract. */
export const listParameters = {
  limit: { kind: 'integer', min: 1, max: 100, default: 20 },
  // The largest Int of GraphQL: beyond the end of any list, where pages are empty.
  offset: { kind: 'integer', min: 0, max: 2_147_483_647, default: 0 },
} as const

/** A search text, as long as the graph accepts. Pasted texts have tabs and line breaks. */
export const searchText = { kind: 'text', max: 200, collapsesSpace: true } as const

/** REST's values of the enum DirectorySort. */
export const SORT_ORDERS = {
  relevance: 'RELEVANCE',
  popularity: 'POPULARITY',
  newest: 'NEWEST',
  updated: 'UPDATED',
  name: 'NAME',
} as const satisfies Readonly<Record<string, DirectorySort>>

/** REST's values of the enum ServerLocation. */
export const LOCATIONS = { local: 'LOCAL', remote: 'REMOTE' } as const satisfies Readonly<Record<string, ServerLocation>>

/** Order of results; that of the list when absent. */
export const sortParameter = { kind: 'enum', values: ['relevance', 'popularity', 'newest', 'updated', 'name'] } as const

/** By what people choose a server. */
export const serverParameters = {
  keyless: { kind: 'boolean' },
  verified: { kind: 'boolean' },
  location: { kind: 'enum', values: ['local', 'remote'] },
  transport: { kind: 'enum', values: ['stdio', 'streamable-http', 'sse', 'unknown'] },
  /** Name of a tool; no server lists a longer one. */
  tool: { kind: 'text', max: 128 },
} as const

/** `permissive`, `copyleft`, `unknown` or an SPDX identifier or expression; the graph refuses others. */
export const licenseParameter = { kind: 'text', max: 120 } as const

/** A value to match exactly; the list is empty where nothing has it. */
export const exactText = { kind: 'text', max: 200 } as const
