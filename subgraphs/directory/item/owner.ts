import type { Item } from './item.ts'

/** Address of the source of an item; empty when none is known. */
export function sourceOf(item: Item): string {
  switch (item.kind) {
    case 'MCP_SERVER':
      return item.repoUrl ?? ''
    case 'PLUGIN':
      return item.sourceUrl
    case 'SKILL':
      return item.repoUrl
  }
}

/** A repository on GitHub, and whose it is. */
const ON_GITHUB = /^https:\/\/github\.com\/([^/!#]+)\/[^/!#]/i

/** Who owns an item, in lower case: the account of its source on GitHub, else the owner of a server; empty when unknown. */
export function ownersOf(item: Item): readonly string[] {
  const account = ON_GITHUB.exec(sourceOf(item))?.[1]
  if (account !== undefined) return [account.toLowerCase()]
  return item.kind === 'MCP_SERVER' ? [item.owner.toLowerCase()] : []
}

/** An owner as `ownersOf` has it; null lets everything through. */
export const ownerValue = (owner: string | null | undefined): string | null => owner?.toLowerCase() ?? null
