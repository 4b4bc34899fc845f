import { SKILL_SOURCES, TRANSPORTS } from '../item/item.ts'
import { isLicense } from '../item/license.ts'
import type { Merged } from './merge.ts'

/** A row of table item as an import writes it; the database adds ids, times and the revision. */
export type Row = {
  readonly kind: Merged['kind']
  readonly identity: string
  readonly key: string
  readonly name: string
  readonly description: string
  readonly category: string
  readonly original_category: string | null
  readonly tags: readonly string[]
  readonly popularity: number
  readonly license: string | null
  readonly detail: Readonly<Record<string, unknown>>
  readonly provenance: Merged['provenance']
}

/** The row of an item under its key, whose parts become fields of the detail. */
export function rowOf(item: Merged, key: string): Row {
  const [first = '', second = ''] = key.split('/')
  const parts =
    item.kind === 'MCP_SERVER'
      ? { owner: first, repo: second }
      : item.kind === 'PLUGIN'
        ? { marketplaceSlug: first, slug: second }
        : { slug: key }
  return {
    kind: item.kind,
    identity: item.identity,
    key,
    name: item.name,
    description: item.description,
    category: item.category,
    original_category: item.originalCategory,
    tags: item.tags,
    popularity: item.popularity,
    license: item.license,
    detail: { ...parts, ...item.detail },
    provenance: item.provenance,
  }
}

/** One path segment of a URL, legible and the same in every case-folding: what a key is made of. */
const SEGMENT = '[A-Za-z0-9_][A-Za-z0-9._-]{0,149}'
const PAIR = new RegExp(`^${SEGMENT}/${SEGMENT}$`)
const SINGLE = new RegExp(`^${SEGMENT}$`)

/** Largest number that the database and GraphQL's Int both hold. */
const MAX_INTEGER = 2_147_483_647

/**
 * What must hold for every row, each with the words that complete "the item …". Readers keep most
 * of it; this makes sure.
 */
const RULES: readonly { readonly holds: (row: Row) => boolean; readonly fault: string }[] = [
  {
    holds: ({ kind, key }) => (kind === 'MCP_SERVER' || kind === 'PLUGIN' ? PAIR : SINGLE).test(key),
    fault: 'has a key with characters other than A to Z, digits, ".", "_" and "-"',
  },
  { holds: ({ identity }) => identity.length <= 1_000, fault: 'has an identity of more than 1,000 characters' },
  { holds: ({ name }) => name.trim() !== '' && name.length <= 200, fault: 'has no name, or one of more than 200 characters' },
  { holds: ({ description }) => description.length <= 4_000, fault: 'has a description of more than 4,000 characters' },
  {
    holds: ({ popularity }) => Number.isInteger(popularity) && popularity >= 0 && popularity <= MAX_INTEGER,
    fault: 'has a number of stars that is not a whole number from 0 on',
  },
  {
    holds: ({ license }) => license === null || isLicense(license),
    fault: 'has a licence that is no SPDX identifier or expression',
  },
  { holds: (row) => addressesOf(row).every(isAddress), fault: 'has no absolute http or https address' },
  {
    holds: ({ detail }) => detail.installCommand === undefined || isLine(detail.installCommand),
    fault: 'has an install command that is empty, too long, or holds control characters',
  },
  {
    holds: ({ detail }) => !Array.isArray(detail.installations) || detail.installations.every(({ command }) => isLine(command)),
    fault: 'has an installation whose command is empty, too long, or holds control characters',
  },
  {
    holds: ({ kind, detail }) => kind !== 'MCP_SERVER' || TRANSPORTS.some((transport) => transport === detail.transport),
    fault: 'has an unknown transport',
  },
  {
    holds: ({ kind, detail }) => kind !== 'SKILL' || SKILL_SOURCES.some((source) => source === detail.source),
    fault: 'has an unknown source',
  },
]

/** Which rule the row breaks, as words that complete "the item …"; null when it keeps all. */
export function faultOf(row: Row): string | null {
  return RULES.find(({ holds }) => !holds(row))?.fault ?? null
}

/** Every address that a row must have. */
function addressesOf({ kind, detail }: Row): readonly unknown[] {
  switch (kind) {
    case 'MCP_SERVER':
      return detail.repoUrl === null ? [detail.docsUrl] : [detail.docsUrl, detail.repoUrl]
    case 'PLUGIN':
      return [detail.sourceUrl]
    case 'SKILL':
      return [detail.docsUrl, detail.repoUrl]
    default:
      return [detail.url]
  }
}

const isAddress = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= 2_000 && /^https?:\/\/[^/\s]+/.test(value)

/** Lines are allowed: the commands of a plugin are two. */
const isLine = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && value.length <= 4_000 && !/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u.test(value)
